import Annals
import AnnalsSamples

/// A sample's steps as JSON, an object each.
enum DemoJSON {
  /// A step after it happened, or the list as it was opened if there is no step.
  static func step(_ scenario: Scenario, number: Int, _ step: Scenario.Step?) -> String {
    let screen = step?.screen ?? scenario.screen
    let table = screen.isRight ? "null" : "{\"sections\":\(sections(screen.table.sections))}"
    return "{\"sample\":\(text(scenario.name)),\"step\":\(number),\"title\":\(text(step?.title ?? scenario.summary)),"
      + "\"position\":\(screen.position()),\"notifications\":\(texts(screen.takeNotes())),"
      + "\"sections\":\(sections(screen.list())),\"wrongTable\":\(table),\"lines\":\(texts(step?.lines() ?? [])),"
      + "\"remark\":\(text(step?.remark))}"
  }

  private static func sections(_ sections: [TableSection]) -> String {
    let texts = sections.map { "{\"title\":\(text($0.title)),\"rows\":\(self.texts($0.rows))}" }
    return "[\(texts.joined(separator: ","))]"
  }

  private static func texts(_ texts: [String]) -> String { "[\(texts.map(text).joined(separator: ","))]" }

  private static func text(_ text: String?) -> String { text.map(JSONValue.quoted) ?? "null" }
}

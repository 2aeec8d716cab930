import Annals
import AnnalsSamples

/// A step of a sample after it happened, or the list as it was opened; the first step has the number 1.
let demoForm = JSONForm<(scenario: Scenario, number: Int, step: Scenario.Step?, screen: AnyListScreen)>([
  "sample": .of { $0.scenario.name }, "step": .of { $0.number }, "title": .of { $0.step?.title ?? $0.scenario.summary },
  "position": .of { $0.screen.position() }, "notifications": .of { $0.screen.takeNotes() },
  "sections": .of { $0.screen.list() },
  "wrongTable": .of(
    { $0.screen.isRight ? nil : WrongTable(sections: $0.screen.table.sections) },
    "The contents of a table that was told the wrong changes; null if it is right."),
  "lines": .of { $0.step?.lines() ?? [] }, "remark": .of { $0.step?.remark },
])

private struct WrongTable: JSONObject {
  let sections: [TableSection]

  static let form = Form(["sections": .of(\.sections)])
}

extension TableSection: JSONObject {
  static let form = Form(["title": .of(\.title), "rows": .of(\.rows)])
}

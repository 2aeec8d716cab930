import Annals
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

/// What holds of the full-screen view, whatever is pressed and whatever the log says.
@Suite struct ScrubPropertyTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  private static let texts = [
    "Annals", "史記", "👩‍👩‍👧‍👦 family", "e\u{301}le\u{300}ve", "a\u{1B}[2J\u{1B}]0;x\u{7}b", "line\nline", "\u{202E}txet",
    "z\u{200B}w", "", String(repeating: "long ", count: 60), "tab\there", "🇩🇪🇫🇷", "क्षि", "\u{9B}31m", "|│└", "가나다",
  ]

  /// A history with hostile texts in ids, titles, sections and actors.
  private func fill(_ random: inout SplitMix64, _ count: Int) throws {
    var (ids, lines) = ([String](), [String]())
    func quoted(_ text: String) -> String { JSONValue.quoted(text) }
    func text(_ random: inout SplitMix64) -> String { Self.texts.randomElement(using: &random) ?? "" }
    for number in 1...count {
      let transaction = "t\(number / Int.random(in: 1...4, using: &random))"
      let fields =
        "{\"title\":\(quoted(text(&random))),\"n\":\(Int.random(in: 0...9, using: &random)),"
        + "\"shelf\":\(quoted(text(&random))),\(quoted("f" + text(&random))):\(quoted(text(&random)))}"
      let data: String
      let type: String
      switch Int.random(in: 0...9, using: &random) {
      case 0 where !ids.isEmpty:
        type = "RecordDeleted"
        data = "{\"collection\":\"c\",\"id\":\(quoted(ids.remove(at: Int.random(in: 0..<ids.count, using: &random))))}"
      case 1...4 where !ids.isEmpty:
        type = "RecordUpdated"
        let id = ids.randomElement(using: &random) ?? ""
        data = "{\"collection\":\"c\",\"id\":\(quoted(id)),\"fields\":\(fields)}"
      default:
        type = "RecordInserted"
        ids.append("\(number)\(text(&random))")
        data = "{\"collection\":\"c\",\"id\":\(quoted(ids[ids.count - 1])),\"fields\":\(fields)}"
      }
      let actor = quoted(text(&random) + "!")
      lines.append(
        line(number, type, data, transaction: transaction).replacing(
          "\"specversion\"", with: "\"actor\":\(actor),\"specversion\""))
    }
    let answer = try tool.importLines(lines)
    #expect(answer.status == 0, "\(answer.talk)")
  }

  private static let keys: [Key] =
    KeyWords.keys("←→⇧←⇧→⌥←⌥→↑↓⇞⇟↖↘⏎⎋⌫⇥⇤gG[]{}b/fnNm'dcsSteyF +-?,.hjkl<>q12axxwW") + [
      .paste("a\nb\u{1B}"), .control("d"), .text("史"), .text("\u{301}"), .up, .down, .right(.none), .left(.none),
      .escape, .enter,
    ]

  @Test func `Whatever is pressed at any size, each row has exactly the screen's columns`() throws {
    var random = SplitMix64(seed: 11)
    try fill(&random, 60)
    for (columns, rows) in [(80, 24), (120, 40), (40, 12), (20, 5), (72, 14), (1, 1), (3, 2), (200, 60)] {
      var run = try ScrubTests.open(tool.log, columns, rows)
      for _ in 0..<120 {
        let key = Self.keys.randomElement(using: &random) ?? .escape
        // Quitting would end the test.
        if key != .text("q") || run.model.front != nil {
          run.press(key)
        }
        if Int.random(in: 0..<12, using: &random) == 0 {
          run.resize(columns: Int.random(in: 1...130, using: &random), rows: Int.random(in: 1...45, using: &random))
        }
        if Int.random(in: 0..<6, using: &random) == 0 { run.settle() }
        if Int.random(in: 0..<6, using: &random) == 0 { run.tick() }
        let screen = run.model.screen()
        #expect(screen.columns == run.model.columns && screen.rows == run.model.rows)
        ScreenTests.check(screen)
        let model = run.model
        #expect(model.position <= model.shown?.end ?? 0)
      }
    }
  }

  @Test func `The list on the screen is the one that show prints`() throws {
    var random = SplitMix64(seed: 5)
    try fill(&random, 40)
    var run = try ScrubTests.open(tool.log, 500, 120, ["--section-by", "n", "--sort", "n"])
    for _ in 0..<60 {
      let key = KeyWords.keys("←→⇧←⇧→⌥←⌥→").randomElement(using: &random) ?? .home
      run.press(key)
      let shown = tool.run("show", tool.log, "\(run.model.position)", "--section-by", "n", "--sort", "n")
      // The ids of the rows, in order, and the sections between them; what has no width is in no cell.
      let wanted = shown.output.replacing("\u{200B}", with: "").split(separator: "\n").dropFirst().map { line in
        line.hasPrefix("  ") ? String(line.dropFirst(2).prefix { $0 != " " }) : String(line.prefix { $0 != " " })
      }
      let layout = run.model.layout
      let screen = run.model.screen()
      let found = (layout.list.y + 1..<layout.list.y + layout.list.height).compactMap { y -> String? in
        let text = screen.row(y).dropFirst(2).prefix(layout.list.width).map(\.text).joined()
        if text.allSatisfy({ $0 == " " }) { return nil }
        let isRow = " +>~−".contains(text.first ?? "x") && text.dropFirst().first == " "
        return String((isRow ? text.dropFirst(2) : text[...]).prefix { $0 != " " })
      }
      if run.model.position > 0 { #expect(found == wanted, "at \(run.model.position)") }
      #expect(run.model.list?.position == run.model.position)
    }
  }
}

import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

/// The text of `diff`, `log` and `show`: names instead of numbers.
@Suite struct NameTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func line(
    _ number: Int, _ type: String, _ data: String, _ members: String = "", transaction: String? = nil
  ) -> String {
    #"{"specversion":"1.0","id":"\#(number)","source":"t","type":"\#(type)","subject":"s","#
      + #""time":"2026-01-02T03:04:05Z","transaction":"\#(transaction ?? "\(number)")","#
      + #"\#(members)"data":{"collection":"book",\#(data)}}"#
  }

  private func insert(_ number: Int, _ id: String, _ fields: String) -> String {
    line(number, "RecordInserted", #""id":"\#(id)","fields":{\#(fields)}"#)
  }

  @Test func `changes are grouped by the titles of their sections, and JSON has the index paths`() throws {
    try tool.importLines([
      insert(1, "b1", #""title":"Annals","shelf":"a""#), insert(2, "b2", #""title":"Sagas","shelf":"b""#),
      insert(3, "b3", #""title":"Emma","shelf":"b","price":5"#),
      line(4, "SectionRenamed", #""section":"b","title":"Bees""#),
      line(5, "RecordUpdated", #""id":"b3","fields":{"price":7}"#),
      line(6, "RecordUpdated", #""id":"b2","fields":{"shelf":"c"}"#),
      line(7, "RecordDeleted", #""id":"b1""#),
      insert(8, "b4", #""title":"Dune","shelf":"b""#),
    ])
    #expect(
      tool.run("diff", tool.log, "3..", "--section-by", "shelf", "--time", "none").lines == [
        "3 → 8  SectionRenamed  RecordUpdated ×2  RecordDeleted  RecordInserted",
        "- a  -1", "    - b1  Annals  (7)",
        "~ Bees (was b)  +1 ~1", "    + b4  title: Dune, shelf: b  (8)",
        "    ~ b3  Emma  price: 7 (was 5)  (5)",
        "+ c  >1", "    > b2  Sagas  shelf: c (was b)  from b  (6)",
      ])
    #expect(
      tool.run("diff", tool.log, "3..", "--section-by", "shelf", "--time", "none", "--stat").lines.dropFirst() == [
        "- a  -1", "~ Bees (was b)  +1 ~1", "+ c  >1",
        "  sections: 1 inserted, 1 deleted, 1 updated; rows: 1 inserted, 1 deleted, 1 moved, 1 updated",
      ])
    #expect(tool.run("diff", tool.log, "4..5", "--time", "none").lines[1] == "  ~ b3  Emma  price: 7 (was 5)")
    #expect(tool.run("diff", tool.log, "4..5", "--json").output.contains(#""at":[0,2],"newAt":[0,2]"#))
  }

  @Test func `the counts of sections add up to the counts of rows`() throws {
    try check(
      RandomHistoryTests.History.generator(transactions: 6), settings: CheckSettings(examples: 15, maxChoices: 100_000)
    ) { history in
      let runner = try ToolRunner()
      try runner.importLines(history.lines)
      let words = ["diff", runner.log, "--each", "--section-by", "kind", "--sort", "rank", "--stat"]
      var (sum, sums) = ([:] as [Character: Int], [] as [[Int]])
      for line in runner.run(words).lines {
        if line.first?.isNumber == true {
          if line.contains(" → ") { sum = [:] }
          continue
        }
        if line.hasPrefix("  sections: ") || line.hasPrefix("  rows: ") {
          sums.append(["+", "-", ">", "~"].map { sum[$0] ?? 0 })
          continue
        }
        guard let counts = line.range(of: "  ", options: .backwards) else { continue }
        for word in line[counts.upperBound...].split(separator: " ") {
          if let mark = word.first, "+->~".contains(mark), let count = Int(word.dropFirst()) {
            sum[mark, default: 0] += count
          }
        }
      }
      let rows = try runner.run(words + ["--json"]).lines.map { line in
        let rows = try JSONValue(parsing: line)["counts"]?["rows"]
        return ["inserted", "deleted", "moved", "updated"].map { rows?[$0]?.int ?? -1 }
      }
      try ensure(sums == rows, "\(sums)\n\(rows)")
    }
  }

  @Test func `a new value is printed before the old one, which a narrow terminal leaves out`() throws {
    let long = String(repeating: "x", count: 30)
    try tool.importLines([
      insert(1, "b1", #""title":"Annals","a":"\#(long)","price":5"#),
      line(2, "RecordUpdated", #""id":"b1","fields":{"a":"y\#(long)","price":7}"#),
    ])
    let words = ["diff", tool.log, "1..2", "--time", "none"]
    #expect(tool.run(words).lines[1] == "  ~ b1  Annals  price: 7 (was 5), a: y\(long) (was \(long))")
    tool.isTerminal = true
    for (columns, expected) in [
      (110, "~ b1  Annals  price: 7 (was 5), a: y\(long) (was \(long))"),
      (80, "~ b1  Annals  price: 7 (was 5), a: y\(long)"), (60, "~ b1  Annals  price: 7, a: y\(long)"),
      (30, "~ b1  Annals  price: 7, a: …"),
    ] {
      tool.size = (columns, 24)
      let plain = tool.run(words).lines[1].replacing(try Regex("\u{1B}\\[[0-9]+m"), with: "")
      #expect(plain == "  " + expected && Text.width(plain) <= columns, "\(columns)")
    }
  }

  @Test func `the label is first in a row, and long values are last`() throws {
    let note = String(repeating: "n", count: 24)
    try tool.importLines([insert(1, "b1", #""abstract":"\#(note)","price":5,"name":"N","title":"T""#)])
    #expect(tool.run("show", tool.log).lines[1] == "  b1  title: T, name: N, price: 5, abstract: \(note)")
  }

  @Test func `a batch's headline is the message of its events, or else their types`() throws {
    let message = #""actor":"ann","message":"Fix a leak\nIt was large.","#
    try tool.importLines([
      line(1, "RecordInserted", #""id":"b1","fields":{"x":1}"#, message, transaction: "a"),
      line(2, "RecordInserted", #""id":"b2","fields":{"x":1}"#, message, transaction: "a"),
      line(3, "RecordUpdated", #""id":"b1","fields":{"x":2}"#, #""undotitle":"Raise Price","#),
      line(4, "RecordUpdated", #""id":"b1","fields":{"x":3}"#),
    ])
    let lines = tool.run("diff", tool.log, "--each", "--time", "none").lines
    #expect(
      lines.filter { $0.first != " " } == ["0 → 2  Fix a leak  ann", "2 → 3  Raise Price", "3 → 4  RecordUpdated"])
    let events = tool.run("log", tool.log, "--time", "none").lines
    #expect(events[0].hasPrefix("1  s 1  RecordInserted  Fix a leak  ann  {"), "\(events)")
    #expect(events[3].hasPrefix("4  s 4  RecordUpdated  {"))
    #expect(tool.run("why", tool.log, "b1.x", "--time", "none").output.hasSuffix("4  RecordUpdated\n"))
    #expect(tool.run("scrub", tool.log, "--keys", "g2⏎", "--size", "60x8").output.contains("Fix a leak"))
    let all = tool.run("diff", tool.log, "0..4", "--time", "none").lines[0]
    #expect(all == "0 → 4  Fix a leak  Raise Price  RecordUpdated  ann")
  }

  @Test func `rows without a sort are in the order in which people count, and files by their paths`() throws {
    try tool.importLines(["f10", "f2", "f1", "a", "f02", "10", "9"].enumerated().map { insert($0 + 1, $1, #""x":1"#) })
    let ids = ["9", "10", "a", "f1", "f02", "f2", "f10"]
    #expect(
      tool.run("show", tool.log, "--time", "none").lines.dropFirst().map { $0.split(separator: " ")[0] }
        == ids.map { Substring($0) })
    #expect(tool.run("why", tool.log, "f10").output.contains("after        f2"))
    #expect(tool.run("show", tool.log, "-n", "2").lines.count == 3)
    let files = tool.path("files")
    try tool.importLines(
      [("f1", "b"), ("f2", "a/c"), ("f3", "a/b")].enumerated().map { index, file in
        insert(index + 1, file.0, #""path":"\#(file.1)""#).replacing(#""book""#, with: #""file""#)
      }, to: files)
    #expect(tool.run("show", files).lines.dropFirst() == ["  f3  path: a/b", "  f2  path: a/c", "  f1  path: b"])
    #expect(tool.run("why", files, "f1").output.contains("after        f2"))
  }

  @Test(arguments: [("9", "10"), ("a9b", "a10"), ("a", "b"), ("0", "1"), ("x99", "x100"), ("1.9", "1.10"), ("", "0")])
  func `a natural key is smaller for the smaller number`(_ smaller: String, _ larger: String) {
    #expect(Text.naturalKey(smaller) < Text.naturalKey(larger))
    #expect(Text.naturalKey("x00\(smaller)") <= Text.naturalKey("x00\(larger)"))
    let digits = { String(repeating: "8", count: $0) }
    for count in 1...40 { #expect(Text.naturalKey(digits(count)) < Text.naturalKey(digits(count + 1))) }
  }

  @Test func `two authors that look equal have different texts`() throws {
    let names = ["Gwendal Rou\u{E9}", "Gwendal Roue\u{301}"]
    try tool.importLines(
      names.enumerated().map { index, name in
        line(index + 1, "RecordInserted", #""id":"b\#(index)","fields":{}"#, #""actor":"\#(name)","#, transaction: "t")
      })
    let head = tool.run("diff", tool.log, "0..2", "--time", "none").lines[0]
    #expect(Array(head.utf8) == Array("0 → 2  RecordInserted ×2  Gwendal Rou\u{E9}  Gwendal Roue\\u{301}".utf8))
    #expect(Text.distinct(["Roue\u{301}", "Bob", "Bob"]) == ["Roue\u{301}", "Bob"])
  }

  @Test func `section titles are bold on a terminal`() throws {
    try tool.importLines([insert(1, "b1", #""shelf":"a""#)])
    tool.isTerminal = true
    #expect(tool.run("show", tool.log, "--section-by", "shelf").output.contains("\u{1B}[1ma\u{1B}[0m"))
    #expect(tool.run("diff", tool.log, "0..1", "--section-by", "shelf").output.contains("\u{1B}[1ma\u{1B}[0m"))
  }

  @Test func `for a log without command ids the message says how to set them`() throws {
    try tool.importLines([insert(1, "b1", "")])
    let answer = tool.run("log", tool.log, "--commands")
    #expect(answer.status == 1 && answer.output == "")
    #expect(
      answer.talk == "no command of the log has an id. An app passes an id to execute(_:on:commandID:), and do takes "
        + "--command-id\n")
    #expect(tool.run("do", tool.log, "insert", "b2", "x=1", "--command-id", "c1").status == 0)
    #expect(tool.run("log", tool.log, "--commands").lines.count == 1)
  }

  @Test func `an app's sentence is printed with its event, unless the event is redacted`() throws {
    struct Cups: Projection {
      func project(_ event: CupEvent, into rows: inout Rows<Cup>) {
        switch event {
        case .bought(let id, let price): rows.insert(Cup(id: id, price: price))
        case .broken(let id): rows[id] = nil
        }
      }
    }
    tool.tool = ReplayTool(
      ReplayList(
        Cups(),
        sentence: { event in
          switch event {
          case .bought(let id, let price): "Bought cup \(id) for \(price)"
          case .broken: nil
          }
        }), ReplayRedaction(fields: ["price"]), name: "cups")
    let store = try SQLiteEventStore(path: tool.log)
    try store.append([CupEvent.bought(id: 1, price: 7)], to: "cups")
    try store.append([CupEvent.broken(id: 1)], to: "cups")
    store.close()
    let heads = tool.run("diff", tool.log, "--each", "--time", "none").lines.filter { $0.first != " " }
    #expect(heads == ["0 → 1  Bought cup 1 for 7", "1 → 2  CupBroken"])
    #expect(
      tool.run("log", tool.log, "--time", "none").lines == [
        #"1  cups 1  CupBought  Bought cup 1 for 7  {"id":1,"price":7}"#, #"2  cups 2  CupBroken  {"id":1}"#,
      ])
    #expect(!tool.run("log", tool.log, "--redact", "price").output.contains("for 7"))
    #expect(tool.run("log", tool.log, "1").lines[0] == "1  CupBought  Bought cup 1 for 7")
    #expect(tool.run("log", tool.log, "--tree", "1").output.contains("CupBought  Bought cup 1 for 7"))
    #expect(tool.run("why", tool.log, "1", "1").output.contains("CupBought  Bought cup 1 for 7"))
    #expect(tool.run("scrub", tool.log, "--keys", "g1⏎", "--size", "60x8").output.contains("Bought cup 1 for 7"))
  }
}

private struct Cup: Row {
  let id: Int
  let price: Int
}

private enum CupEvent: Event {
  case bought(id: Int, price: Int)
  case broken(id: Int)
}

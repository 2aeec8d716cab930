import Annals
import AnnalsSQLite
import Foundation
import Testing
@testable import AnnalsReplay

/// The ranges and choices of `annals log`, on a log whose answers are known.
@Suite struct FilterTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  @Test(arguments: [
    (["type:Record*"], "1 2 3 4 5 7 8 9"),
    (["type:!RecordUpdated"], "1 2 3 6 7 8"),
    (["type:RecordInserted", "type:Noted"], "1 2 3 6 8"),
    (["stream:note?"], "6"),
    (["stream:!book"], "6"),
    (["tag:note"], "6"),
    (["tag:book:*"], "6"),
    (["tag:!note"], "1 2 3 4 5 7 8 9"),
    (["tag:n*", "tag:note"], "6"),
    (["author:ann"], "1 2 4"),
    (["author:!ann"], "3 5 6 7 8 9"),
    (["author:*"], "1 2 3 4 7 9"),
    (["correlation:c-1"], "3"),
    (["correlation:reprice-b3"], "4 5"),
    (["command:reprice-b3"], "4"),
    (["command:re*"], "4"),
    (["source:shop"], "1 2 3 4 5 6 7 8 9"),
    (["source:!shop"], ""),
    (["source:s*", "source:sh*"], "1 2 3 4 5 6 7 8 9"),
    (["grep:Peace"], "3"),
    (["grep:sale"], "4"),
    ([#"grep:^\{"book"#], "6"),
    (["stars >= 5"], "6"),
    (["fields.price > 40"], "1 3"), (["price > 40"], "1 3"), (["price", ">", "40", "type:RecordInserted"], "1 3"),
    (["fields.tags[0]", "=", "a"], "3"),
    (["where:not fields exists"], "6 7"),
    (["type:RecordUpdated id = b1"], "5"), (["id = b1", "type:RecordUpdated"], "5"),
    (["type:Noted", "type:!Noted"], ""),
    (["--limit", "2"], "1 2"),
    (["--limit", "-2"], "8 9"),
    (["--limit", "0"], ""),
    (["--limit", "-0"], ""),
    (["2026-03-01T10:04..2026-03-01T10:06"], "4 5 6"), (["10:04..10:06"], "4 5 6"),
    (["2", "hours", "ago.."], "1 2 3 4 5 6 7 8 9"),
    (["1h.."], ""), (["today.."], "1 2 3 4 5 6 7 8 9"), (["..yesterday"], ""),
    (["2026-03.."], "1 2 3 4 5 6 7 8 9"), (["2026-03-02.."], ""),
    (["115m.."], "5 6 7 8 9"), (["116m.."], "4 5 6 7 8 9"),
    (["3..4"], "3 4"), (["march"], "1 2 3 4 5 6 7 8 9"), (["2026-03-01"], "1 2 3 4 5 6 7 8 9"), (["yesterday"], ""),
    (["2026-02"], ""),
    (["--time", "local", "--limit", "1"], "1"),
    (["id:e3..id:e4"], "3 4"), (["cmd:open-shop"], "1 2 3 4 5 6 7 8 9"), (["cmd:open-shop..cmd:open-shop"], "1 2"),
    (["cmd:reprice-b3..", "author:ann"], "4"), (["2026-03-01..2026-03-01"], "1 2 3 4 5 6 7 8 9"),
    (["0.."], "1 2 3 4 5 6 7 8 9"),
    (["-2.."], "7 8 9"),
    (["command:!re*"], "1 2 3 5 6 7 8 9"),
    (["command:*", "command:!open-shop"], "4"),
  ])
  func `a filter lets through what it says, in order`(words: [String], positions: String) {
    let answer = shop.tool.run(["log", shop.tool.log] + words)
    let found = answer.lines.map { $0.prefix { $0 != " " } }.joined(separator: " ")
    let isNegative = positions.isEmpty && !words.contains("--limit")
    #expect(found == positions && answer.status == (isNegative ? 1 : 0), "\(answer)")
  }

  @Test(arguments: [
    (["grep:("], #"grep: expected a regular expression, found "(""#),
    (
      ["price >"],
      "expected \(EventChoice.forms): character 8: expected a value for price, found the end, in \"price >\""
    ),
    (["4..3"], "A..B: the event 4 is after 3"), (["9..yesterday"], "A..B: the event 9 is after 0"),
    (["4..99"], "B 99 is past the end: the log's last position is 9"),
    (["grep:"], "grep: expected a value after the colon"),
    (["--limit", "x"], #"--limit: expected a whole number such as 20 or -20, found "x""#),
    (["--limit", "-2", "--limit", "1"], "--limit is given twice"),
    (["type:!"], "type: expected a value after the colon"),
    (["actor:ann"], #"unknown key actor: in "actor:ann"; did you mean author:?"#),
    (["author:anne"], "no event of the log has the author anne; did you mean ann?"),
    (["author:a*", "author:!ann", "tag:nope"], "no event of the log has the tag nope; did you mean note?"),
    (["price > abc"], "choice: character 9: expected a number for price, found \"abc\", in \"price > abc\""),
    (["lst"], "expected \(PlaceRange.forms), or \(EventChoice.forms), found \"lst\""),
    (["command:none"], "no event of the log has the command none"),
    (["correlation:c-2"], "no event of the log has the correlation c-2; did you mean c-1?"),
    (["source:elsewhere"], "no event of the log has the source elsewhere"),
    (["stream:notez"], "no event of the log has the stream notez; did you mean notes?"),
  ])
  func `a filter that is none is a mistake`(words: [String], message: String) {
    let answer = shop.tool.run(["log", shop.tool.log] + words)
    let talk = answer.talk.split(separator: "\n").last.map(String.init)
    #expect(answer.status == 2 && answer.output == "" && talk == "annals: \(message)", "\(answer)")
  }

  @Test func `JSON of some events has the lines of an export`() {
    let all = shop.tool.run("log", "--json", shop.tool.log).lines
    #expect(shop.tool.run("log", shop.tool.log, "--limit", "-2", "--json").lines == all.suffix(2))
  }

  /// A regular expression asks each event; a correlation and an actor are looked for in the metadata's bytes.
  @Test(arguments: [
    [], ["--limit", "40"], ["--limit", "-600"], ["--limit", "-7"], ["900..2100"], ["900..2100", "--limit", "-3"],
  ])
  func `a correlation and an actor are found in a long log, frequent or rare`(words: [String]) throws {
    let tool = try ToolRunner()
    let store = try SQLiteEventStore(path: tool.log)
    // Runs of c1, c2 here and there, c3 three times; "c2" stands in other metadata too, which is no correlation.
    let events = (1...3_000).map { number in
      var metadata: Metadata = ["note": "c2"]
      metadata.correlation =
        number % 1_000 < 400 ? "c1" : number % 97 == 0 ? "c2" : number % 1_000 == 999 ? "c3" : nil
      metadata.author = number % 2 == 0 ? "ann" : number == 1_501 ? #"Ann "A/B""# : nil
      return Append.Entry(stream: "notes", event: NewEvent(type: "Noted", payload: "{}", metadata: metadata))
    }
    try store.append(Append(events))
    store.close()
    for (key, name, value) in [
      ("correlation", "correlationid", "c1"), ("correlation", "correlationid", "c2"),
      ("correlation", "correlationid", "c3"), ("author", "actor", "ann"),
    ] {
      let found = tool.run(["log", tool.log] + words + ["\(key):\(value)"])
      let expected = tool.run(["log", tool.log] + words + ["grep:\"\(name)\":\"\(value)\""])
      #expect(found.output == expected.output && found.status == expected.status, "\(key) \(value)")
      #expect(!found.output.isEmpty)
    }
    #expect(tool.run(["log", tool.log] + words + [#"author:"Ann \"A/B\"""#]).lines.count == 1)
    let both = tool.run(["log", tool.log] + words + ["correlation:c1", "correlation:c3", "author:ann"])
    #expect(both.status == 0 && both.lines.allSatisfy { $0.contains("ann") && !$0.contains(" c2") }, "\(both)")
  }

  /// A naive choice of batches: those of a replay without filters that name an event that `events` prints.
  @Test(arguments: [
    ["type:Record*"], ["type:!RecordUpdated"], ["author:ann"], ["author:!ann"],
    ["stream:note?"],
    ["correlation:reprice-b3"], ["command:reprice-b3"], ["grep:Peace"], ["tag:n*"],
    ["source:!shop"], ["author:ann", "type:RecordInserted"], ["type:!*"],
  ])
  func `a replay prints the batches with an event that passes the filter`(filter: [String]) throws {
    let log = shop.tool.log
    let positions = Set(shop.tool.run(["log", log] + filter).lines.map { $0.prefix { $0 != " " } })
    for batch in ["transaction", "event", "2", "100"] {
      for from in ["0", "3"] {
        let words = ["diff", "--each", log, "--json", "--batch", batch, "\(from)..", "--section-by", "shelf"]
        // The first line is the list at the beginning.
        let all = shop.tool.run(words).lines.dropFirst(from == "0" ? 0 : 1)
        let expected = all.filter { line in
          line.matches(of: /{"position":(\d+),/).contains { positions.contains($0.output.1) }
        }
        let answer = shop.tool.run(words + filter)
        func withoutStart(_ line: String) -> String { line.replacing(/^{"from":\d+/, with: "") }
        #expect(answer.lines.map(withoutStart) == expected.map(withoutStart), "\(filter) \(batch): \(answer)")
        let saysNothing = answer.talk.contains("no event of the choice")
        #expect(answer.status == (expected.isEmpty ? 1 : 0) && saysNothing == expected.isEmpty, "\(answer)")
      }
    }
  }

  @Test func `a batch that is chosen leads from the list before it, and conditions ask rows`() throws {
    let log = shop.tool.log
    let places = /^{"from":(\d+),"to":(\d+)/
    for line in shop.tool.run("diff", "--each", log, "--json", "author:bob", "type:!Noted").lines {
      let found = try #require(line.firstMatch(of: places))
      let (from, to) = (String(found.output.1), String(found.output.2))
      let diff = shop.tool.run("diff", log, "--json", "\(from)..\(to)").lines
      #expect(diff == [line])
    }
    let rows = shop.tool.run("diff", "--each", log, "author:ann", "--where", "id = b1")
    #expect(rows.status == 0 && rows.output.contains("b1") && !rows.output.contains("b2"), "\(rows)")
    let none = shop.tool.run("diff", "--each", log, "type:RecordInsertd")
    #expect(none.status == 2 && none.talk.contains("did you mean RecordInserted?"), "\(none)")
    #expect(shop.tool.run("diff", "--each", log, "--check", "author:ann").talk.contains("a table view takes all"))
    #expect(shop.tool.run("diff", "--each", log, "grep:(").status == 2)
  }

  @Test(
    .enabled(if: ToolProcess.tool != nil),
    arguments: [
      (["log", "--follow", "command:late*"], ["11", "13"]),
      (["log", "--follow", "9..", "command:!late*"], ["9", "10", "12", "14"]),
      (["log", "--follow", "command:reprice-b3", "command:later"], ["4", "13"]),
      (["diff", "--follow", "command:late*"], ["10 → 11", "12 → 13"]),
      (["diff", "--follow", "command:!late*"], ["9 → 10", "11 → 12", "13 → 14"]),
      (["diff", "--follow", "3..", "command:none", "command:later"], ["12 → 13"]),
    ])
  func `commands that come while a log is followed are chosen too`(words: [String], heads: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(ToolProcess.tool))
    process.arguments = [words[0], words[1], shop.tool.log, "--progress", "none"] + words.dropFirst(2)
    let (output, talk) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, talk)
    try process.run()
    let store = try SQLiteEventStore(path: shop.tool.log)
    // Once `diff` names the events that are no records, it has begun; `log` prints the same, whenever it begins.
    if words[0] == "diff" { _ = talk.fileHandleForReading.availableData }
    for (number, command) in [nil, "late", nil, "later", nil].enumerated() {
      var event = NewEvent(
        type: "RecordUpdated", payload: #"{"collection":"book","id":"b1","fields":{"price":\#(number)}}"#)
      // A command may have a cause of its own.
      event.metadata.causation = number == 1 ? command : "x"
      try store.append(Append([.init(stream: "book", event: event)], commandID: command))
    }
    var text = ""
    let end = Date(timeIntervalSinceNow: 60)
    func found() -> [String] { text.split(separator: "\n").map { Self.head(String($0)) }.filter { !$0.isEmpty } }
    while found().count < heads.count, Date() < end {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    process.terminate()
    process.waitUntilExit()
    text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(found() == heads, "\(text)")
  }

  /// The position or positions that a line begins with; nothing of a row's line.
  private static func head(_ line: String) -> String {
    line.firstMatch(of: /^\d+( → \d+)?/).map { String($0.output.0) } ?? ""
  }
}

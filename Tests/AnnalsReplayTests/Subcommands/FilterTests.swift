import Annals
import AnnalsSQLite
import Foundation
import Testing

/// The filters of `annals events`, on a log whose answers are known.
@Suite struct FilterTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  @Test(arguments: [
    (["--type", "Record*"], "1 2 3 4 5 7 8 9"),
    (["--type", "!RecordUpdated"], "1 2 3 6 7 8"),
    (["--type", "RecordInserted", "--type", "Noted"], "1 2 3 6 8"),
    (["--stream", "note?"], "6"),
    (["--stream", "!book"], "6"),
    (["--tag", "note"], "6"),
    (["--tag", "book:*"], "6"),
    (["--tag", "!note"], "1 2 3 4 5 7 8 9"),
    (["--tag", "n*", "--tag", "note"], "6"),
    (["--author", "ann"], "1 2 4"),
    (["--author", "!ann"], "3 5 6 7 8 9"),
    (["--author", "a*", "--author", "!ann"], ""),
    (["--author", "*"], "1 2 3 4 7 9"),
    (["--correlation", "c-1"], "3"),
    (["--correlation", "reprice-b3"], "4 5"),
    (["--command", "reprice-b3"], "4"),
    (["--command", "none"], ""),
    (["--command", "re*"], "4"),
    (["--source", "shop"], "1 2 3 4 5 6 7 8 9"),
    (["--source", "!shop"], ""),
    (["--source", "elsewhere", "--source", "sh*"], "1 2 3 4 5 6 7 8 9"),
    (["--grep", "Peace"], "3"),
    (["--grep", "sale"], "4"),
    (["--grep", #"^\{"book"#], "6"),
    (["--where", "stars >= 5"], "6"),
    (["--where", "fields.price > 40"], "1 3"),
    (["--where", "fields.tags[0] = a"], "3"),
    (["--where", "not fields exists"], "6 7"),
    (["--where", "id = b1"], "1 5"),
    (["--type", "Noted", "--type", "!Noted"], ""),
    (["--limit", "2"], "1 2"),
    (["--tail", "2"], "8 9"),
    (["--reverse", "--limit", "2"], "9 8"),
    (["--reverse"], "9 8 7 6 5 4 3 2 1"),
    (["--limit", "0"], ""),
    (["--tail", "0"], ""),
    (["--since", "2026-03-01T10:04", "--until", "2026-03-01T10:06"], "5 6"),
    (["--since", "1h"], ""), (["--since", "today"], "1 2 3 4 5 6 7 8 9"), (["--until", "yesterday"], ""),
    (["--since", "2026-03"], "1 2 3 4 5 6 7 8 9"), (["--since", "2026-03-02"], ""),
    (["--since", "115m"], "6 7 8 9"), (["--since", "116m"], "5 6 7 8 9"),
    (["--from", "3", "--to", "4"], "3 4"),
    (["--time", "local", "--limit", "1"], "1"),
    (["--type", ""], ""),
    (["--from", "0"], "1 2 3 4 5 6 7 8 9"),
    (["--from", "-2"], "7 8 9"),
    (["--command", "!re*"], "1 2 3 5 6 7 8 9"),
    (["--command", "*", "--command", "!open-shop"], "4"),
  ])
  func `a filter lets through what it says, in order`(words: [String], positions: String) {
    let answer = shop.tool.run(["events", shop.tool.log] + words)
    let found = answer.lines.map { $0.prefix { $0 != " " } }.joined(separator: " ")
    #expect(found == positions && answer.status == (positions.isEmpty ? 1 : 0), "\(answer)")
  }

  @Test(arguments: [
    (["--grep", "("], #"--grep: expected a regular expression, found "(""#),
    (["--where", "price >"], #"--where: expected a value after >, found none, in "price >""#),
    (["--tail", "2", "--reverse"], #"--reverse and --tail cannot be given together"#),
    (["--from", "4", "--to", "3"], #"--from 4 is after --to 3"#),
    (["--from", "4", "--to", "99"], #"--to 99 is past the end: the log's last position is 9"#),
    (["--grep", ""], #"--grep: expected a regular expression, found """#),
    (["--limit", "-1"], #"--limit: expected a whole number of 0 or more, found "-1""#),
    (["--tail", "2", "--limit", "1"], #"--limit and --tail cannot be given together"#),
  ])
  func `a filter that is none is a mistake`(words: [String], message: String) {
    let answer = shop.tool.run(["events", shop.tool.log] + words)
    #expect(answer.status == 2 && answer.output == "" && answer.talk == "annals: \(message)\n", "\(answer)")
  }

  @Test func `events print metadata and tags on request, and JSON as export does`() {
    shop.pin(["events", "LOG", "--meta", "--limit", "1", "--from", "6"]).is(
      0,
      #"""
      6  2026-03-01T10:06:00Z  notes 1  Noted (schema 2)  {"book":"b1","stars":5}
          id  e6
          source  shop
          causationid  e4
          tags  book:b1 note
      """#)
    let all = shop.tool.run("export", shop.tool.log).lines
    #expect(shop.tool.run("events", shop.tool.log, "--tail", "2", "--json").lines == all.suffix(2))
    #expect(shop.tool.run("events", shop.tool.log, "--reverse", "--json").lines == all.reversed())
  }

  /// A regular expression asks each event; a correlation and an actor are looked for in the metadata's bytes.
  @Test(arguments: [
    [], ["--reverse"], ["--limit", "40"], ["--limit", "3", "--reverse"], ["--tail", "600"], ["--tail", "7"],
    ["--from", "900", "--to", "2100"], ["--from", "900", "--to", "2100", "--reverse"],
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
    for (option, name, value) in [
      ("--correlation", "correlationid", "c1"), ("--correlation", "correlationid", "c2"),
      ("--correlation", "correlationid", "c3"), ("--correlation", "correlationid", "c4"), ("--author", "actor", "ann"),
    ] {
      let found = tool.run(["events", tool.log, option, value] + words)
      let expected = tool.run(["events", tool.log, "--grep", "\"\(name)\":\"\(value)\""] + words)
      #expect(found.output == expected.output && found.status == expected.status, "\(option) \(value)")
      #expect(found.output.isEmpty == (value == "c4"))
    }
    #expect(tool.run(["events", tool.log, "--author", #"Ann "A/B""#] + words).lines.count == 1)
    let both = tool.run(["events", tool.log, "--correlation", "c1", "--correlation", "c3", "--author", "ann"] + words)
    #expect(both.status == 0 && both.lines.allSatisfy { $0.contains("ann") && !$0.contains(" c2") }, "\(both)")
  }

  /// A naive choice of batches: those of a replay without filters that name an event that `events` prints.
  @Test(arguments: [
    ["--type", "Record*"], ["--type", "!RecordUpdated"], ["--author", "ann"], ["--author", "!ann"],
    ["--stream", "note?"],
    ["--correlation", "reprice-b3"], ["--command", "reprice-b3"], ["--grep", "Peace"], ["--tag", "n*"],
    ["--source", "!shop"], ["--author", "ann", "--type", "RecordInserted"], ["--type", ""],
  ])
  func `a replay prints the batches with an event that passes the filter`(filter: [String]) throws {
    let log = shop.tool.log
    let positions = Set(shop.tool.run(["events", log] + filter).lines.map { $0.prefix { $0 != " " } })
    for batch in ["transaction", "event", "2", "100"] {
      for from in ["0", "3"] {
        let words = ["replay", log, "--json", "--batch", batch, "--from", from, "--section-by", "shelf"]
        let all = shop.tool.run(words + ["--no-list"]).lines
        let expected = all.filter { line in
          line.matches(of: /{"position":(\d+),/).contains { positions.contains($0.output.1) }
        }
        let answer = shop.tool.run(words + filter)
        func withoutStart(_ line: String) -> String { line.replacing(/^{"from":\d+/, with: "") }
        #expect(answer.lines.map(withoutStart) == expected.map(withoutStart), "\(filter) \(batch): \(answer)")
        let saysNothing = ["no such event", "the log has no"].contains { answer.talk.contains($0) }
        #expect(answer.status == (expected.isEmpty ? 1 : 0) && saysNothing == expected.isEmpty, "\(answer)")
      }
    }
  }

  @Test func `a batch that is chosen leads from the list before it, and conditions ask rows`() throws {
    let log = shop.tool.log
    let places = /^{"from":(\d+),"to":(\d+)/
    for line in shop.tool.run("replay", log, "--json", "--author", "bob", "--type", "!Noted").lines {
      let found = try #require(line.firstMatch(of: places))
      let (from, to) = (String(found.output.1), String(found.output.2))
      let diff = shop.tool.run("diff", log, "--json", "--from", from, "--to", to).lines
      #expect(diff == [line])
    }
    let rows = shop.tool.run("replay", log, "--author", "ann", "--where", "id = b1")
    #expect(rows.status == 0 && rows.output.contains("b1") && !rows.output.contains("b2"), "\(rows)")
    let none = shop.tool.run("replay", log, "--type", "RecordInsertd")
    #expect(none.status == 1 && none.talk.contains("did you mean RecordInserted?"), "\(none)")
    #expect(shop.tool.run("replay", log, "--check", "--author", "ann").talk.contains("a table view takes all"))
    #expect(shop.tool.run("replay", log, "--grep", "(").status == 2)
  }

  @Test(
    .enabled(if: ToolProcess.tool != nil),
    arguments: [
      (["events", "--follow", "--command", "late*"], ["11", "13"]),
      (["events", "--follow", "--command", "!late*", "--from", "9"], ["9", "10", "12", "14"]),
      (["events", "--follow", "--command", "reprice-b3", "--command", "later"], ["4", "13"]),
      (["follow", "--command", "late*", "--wide"], ["10 → 11", "12 → 13"]),
      (["follow", "--command", "!late*"], ["9 → 10", "11 → 12", "13 → 14"]),
      (["follow", "--command", "none", "--command", "later", "--from", "3"], ["12 → 13"]),
    ])
  func `commands that come while a log is followed are chosen too`(words: [String], heads: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(ToolProcess.tool))
    process.arguments = [words[0], shop.tool.log, "--progress", "none"] + words.dropFirst()
    let (output, talk) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, talk)
    try process.run()
    let store = try SQLiteEventStore(path: shop.tool.log)
    // Once `follow` says what it passes over, it has begun; `events` prints the same, whenever it begins.
    if words[0] == "follow" { _ = talk.fileHandleForReading.availableData }
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

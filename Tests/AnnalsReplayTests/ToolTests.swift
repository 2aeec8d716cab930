import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing
@testable import AnnalsReplay

/// The sentences of `Docs/ToolReference.md`.
@Suite struct ToolTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  private func fill() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"title":"Annals","price":50.5,"shelf":"a"}"#, transaction: "t1"),
      inserted(2, "b2", #"{"title":"Sagas","price":9,"shelf":"b","gone":null}"#, transaction: "t1"),
      line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":60.50}}"#, transaction: "t2"),
      line(4, "SectionRenamed", #"{"collection":"book","section":"a","title":"Classics"}"#, transaction: "t3"),
      line(5, "Elsewhere", "[1,  2]"),
    ])
  }

  /// An event as a batch names it.
  private func cause(_ number: Int, _ type: String, _ transaction: Int) -> String {
    #"{"position":\#(number),"time":"2026-01-02T03:04:05Z","type":"\#(type)","source":"test","id":"\#(number)","#
      + #""stream":"s","version":\#(number),"transaction":\#(transaction)}"#
  }

  @Test func `show prints the list as JSON`() throws {
    try fill()
    #expect(
      tool.run("show", tool.log, "--json", "--section-by", "shelf", "--sort", "price").output
        == #"""
        {"position":5,"count":2,"sections":[\#
        {"key":"a","title":"Classics","indexTitle":"C","rows":[\#
        {"id":"b1","fields":{"price":60.50,"shelf":"a","title":"Annals"}}]},\#
        {"key":"b","title":"b","indexTitle":"B","rows":[{"id":"b2","fields":{"price":9,"shelf":"b","title":"Sagas"}}]}]}

        """#)
    #expect(
      tool.run("show", tool.log, "--json", "0").output
        == #"{"position":0,"count":0,"sections":[{"key":null,"title":"","indexTitle":"","rows":[]}]}"# + "\n")
    #expect(
      tool.run("show", tool.log, "--json", "0", "--section-by", "shelf").output
        == #"{"position":0,"count":0,"sections":[]}"# + "\n")
  }

  @Test func `show prints the list for people`() throws {
    try fill()
    #expect(
      tool.run("show", tool.log, "--section-by", "shelf", "--sort", "-price").lines == [
        "position 5: 2 rows in 2 sections", "Classics  1", "  b1  title: Annals, price: 60.50, shelf: a", "b  1",
        "  b2  title: Sagas, price: 9, shelf: b",
      ])
    #expect(tool.run("show", tool.log, "--limit", "1").lines[0] == "position 5: 1 of 2 rows")
  }

  @Test func `replay prints a line for each batch that changes something, and begins with the one section`() throws {
    try fill()
    #expect(
      tool.run("diff", "--each", tool.log, "--json", "--sort", "price").lines == [
        #"{"from":0,"to":2,"sections":[{"type":"insert","index":0,"key":null,"title":""}],"rows":["#
          + #"{"type":"insert","id":"b2","at":[0,0],"fields":{"price":9,"shelf":"b","title":"Sagas"},"events":[2]},"#
          + #"{"type":"insert","id":"b1","at":[0,1],"#
          + #""fields":{"price":50.5,"shelf":"a","title":"Annals"},"events":[1]}],"#
          + #""time":"2026-01-02T03:04:05Z","eventCount":2,"events":["#
          + cause(1, "RecordInserted", 1) + "," + cause(2, "RecordInserted", 1) + "]}",
        #"{"from":2,"to":3,"sections":[],"rows":[{"type":"update","id":"b1","at":[0,1],"newAt":[0,1],"#
          + #""fields":{"price":60.50,"shelf":"a","title":"Annals"},"old":{"price":50.5},"events":[3]}],"#
          + #""time":"2026-01-02T03:04:05Z","eventCount":1,"events":["# + cause(3, "RecordUpdated", 2) + "]}",
      ])
    #expect(
      tool.run("diff", "--each", tool.log, "--json", "--section-by", "shelf", "3..").lines.last
        == #"{"from":3,"to":4,"sections":["#
        + #"{"type":"update","index":0,"newIndex":0,"key":"a","title":"Classics"}],"rows":[],"#
        + #""time":"2026-01-02T03:04:05Z","eventCount":1,"events":["# + cause(4, "SectionRenamed", 3) + "]}")
    #expect(tool.run("diff", "--each", tool.log, "--section-by", "shelf", "--batch", "event").lines.count == 11)
  }

  @Test func `a moved row says so, and whether its content changed`() throws {
    try fill()
    try tool.importLines([line(6, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":1}}"#)])
    #expect(
      tool.run("diff", tool.log, "--json", "--sort", "price", "5..6").output
        == #"{"from":5,"to":6,"sections":[],"rows":[{"type":"move","id":"b1","from":[0,1],"to":[0,0],"#
        + #""contentChanged":true,"#
        + #""fields":{"price":1,"shelf":"a","title":"Annals"},"old":{"price":60.50},"events":[6]}],"#
        + #""time":"2026-01-02T03:04:05Z","eventCount":1,"events":["# + cause(6, "RecordUpdated", 5) + "]}\n")
    #expect(
      tool.run("diff", tool.log, "--json", "--section-by", "price", "5..6").output.contains(
        #""moved":true"#))
  }

  @Test func `diff goes both ways, and its status says whether there is a difference`() throws {
    try fill()
    let there = tool.run("diff", tool.log, "2..3")
    #expect(there.status == 1 && there.lines[0] == "2 → 3  2026-01-02T03:04:05Z  RecordUpdated")
    #expect(tool.run("diff", tool.log, "3..2").output.contains("price: 50.5 (was 60.50)"))
    let none = tool.run("diff", tool.log, "4..5")
    #expect(none.status == 0 && none.output == "")
    #expect(tool.run("diff", tool.log).status == 2 && tool.run("diff", tool.log, "1..").status == 1)
  }

  @Test func `events lists events between positions, of a stream or of a type`() throws {
    try fill()
    #expect(tool.run("log", tool.log).lines.count == 5)
    #expect(
      tool.run("log", tool.log, "5..5").output
        == "5  2026-01-02T03:04:05Z  s 5  Elsewhere  [1,  2]\n")
    #expect(tool.run("log", tool.log, "type:SectionRenamed", "--json").lines.count == 1)
    #expect(tool.run("log", tool.log, "stream:s").lines.count == 5)
    let nothing = tool.run("log", tool.log, "stream:t")
    #expect(nothing.status == 2 && nothing.output == "")
    #expect(tool.run("log", tool.log, "3..2").status == 2)
    #expect(tool.run("log", tool.log, "6..").status == 2)
  }

  @Test func `import says what it did, and skips what the log has`() throws {
    try fill()
    let again = tool.run("import", tool.log, tool.path("in.jsonl"))
    #expect(again.status == 0 && again.output == "")
    #expect(
      again.talk == "0 events imported in 0 transactions, 5 skipped that the log had; its last position is 5\n")
    tool.input = Data((inserted(9, "b9") + "\r\n\n" + inserted(9, "b9") + "\n" + inserted(10, "b10")).utf8)
    #expect(
      tool.run("import", tool.log, "-", "--json").output
        == "{\"events\":2,\"transactions\":2,\"skipped\":1,\"position\":7}\n")
  }

  @Test func `an event that stands twice in one transaction is taken once`() throws {
    let one = line(1, "T", "1", transaction: "t")
    tool.input = Data((one + "\n" + one + "\n" + line(2, "T", "1", transaction: "t")).utf8)
    #expect(
      tool.run("import", tool.log, "-", "--json").output
        == "{\"events\":2,\"transactions\":1,\"skipped\":1,\"position\":2}\n")
  }

  @Test func `neighbouring lines of one transaction are one append`() throws {
    try fill()
    let transactions = try SQLiteEventStore(readingFrom: tool.log).events(.all, after: 0, through: nil, limit: 9)
      .map(\.transaction)
    #expect(transactions == [1, 1, 2, 3, 4])
  }

  @Test(arguments: [
    ("{", "expected a member's name, found the end of the text (at byte 2)"),
    ("[1]", "expected an object, found \"[\" (at byte 1)"),
    (
      #"{"id":"1"}"#,
      "expected the attributes specversion, source and type, found none\na minimal line is "
        + #"{"specversion":"1.0","id":"1","source":"shop","type":"RecordInserted","#
        + #""data":{"collection":"book","id":"b1","fields":{"title":"Annals"}}}"# + "\nplain rows need --rows ID"
    ),
    (
      #"{"specversion":"0.3","id":"1","source":"s","type":"t","subject":"x"}"#,
      "specversion: expected \"1.0\", found \"0.3\""
    ),
    (#"{"specversion":"1.0","source":"s","type":"t","subject":"x"}"#, "expected the attribute id, found none"),
    (#"{"specversion":"1.0","id":7,"source":"s","type":"t","subject":"x"}"#, "id: expected a string, found 7"),
    (
      #"{"specversion":"1.0","id":"","source":"s","type":"t","subject":"x"}"#,
      #"id: expected a non-empty string, found """#
    ),
    (#"{"specversion":"1.0","id":"9","source":"s","type":"t","subject":7}"#, "subject: expected a string, found 7"),
    (
      #"{"specversion":"1.0","id":"9","source":"s","type":"t","subject":"x","time":"yesterday"}"#,
      "time: expected a time such as 2026-01-31T12:00:00Z, in the years 0000 to 9999 UTC, found \"yesterday\""
    ),
    (
      #"{"specversion":"1.0","id":"9","id":"8","source":"s","type":"t","subject":"x"}"#,
      "the member \"id\" appears twice in one object (at byte 31)"
    ),
    (inserted(9, "b1"), "inserts the id \"b1\", which \"book\" has"),
    (
      line(9, "RecordUpdated", #"{"collection":"book","id":"x","fields":{}}"#),
      "updates the id \"x\", which \"book\" does not have"
    ),
    (
      line(9, "RecordDeleted", #"{"collection":"shop","id":"b1"}"#),
      "deletes the id \"b1\", which \"shop\" does not have"
    ),
    (
      line(9, "RecordInserted", #"{"collection":"book","id":"x"}"#),
      "RecordInserted: fields: expected an object, found none"
    ),
    (
      line(9, "RecordInserted", #"{"collection":"book","id":5,"fields":{}}"#),
      "RecordInserted: id: expected a string, found 5"
    ),
    (
      line(9, "RecordInserted", #"{"id":"x","fields":{}}"#), "RecordInserted: collection: expected a string, found none"
    ),
    (
      line(9, "SectionRenamed", #"{"collection":"book","section":1}"#),
      "SectionRenamed: title: expected a string, found none"
    ),
    (line(9, "RecordDeleted", "7"), "RecordDeleted: data: expected an object, found \"7\" (at byte 1)"),
  ])
  func `a bad line stops the import and is named`(line: String, message: String) throws {
    try fill()
    let answer = try tool.importLines([
      inserted(6, "b6", transaction: "good"), inserted(7, "b7", transaction: "bad"),
      line.replacing("\"time\":\"2026", with: "\"transaction\":\"bad\",\"time\":\"2026"),
      inserted(8, "b8"),
    ])
    #expect(answer.status == 3)
    #expect(answer.talk.hasPrefix("annals: \(tool.path("in.jsonl")), line 3: \(message)\n"), "\(answer.talk)")
    // A line without a transaction is a transaction of its own, so that the one before it is complete. A broken line
    // could belong to either.
    let isOwn =
      (try? JSON.members(ofObject: line))?.contains { $0.name == "subject" || $0.name == "id" } ?? false
    let position = isOwn && !line.contains("\"subject\":\"s\"") ? 7 : 6
    #expect(tool.run("show", tool.log, "--json").output.hasPrefix("{\"position\":\(position),"))
  }

  @Test func `bytes that are not UTF-8 are named by line and byte`() throws {
    let bytes = Data((inserted(1, "a") + "\n{\"id\": \"").utf8) + Data([0xFF, 0x22, 0x7D, 0x0A])
    try bytes.write(to: tool.folder.appending(path: "in.jsonl"))
    let answer = tool.run("import", tool.log, tool.path("in.jsonl"))
    #expect(answer.status == 3)
    #expect(answer.talk.contains("line 2: expected UTF-8, found other bytes (at byte 9)"))
  }

  @Test func `a byte-order mark, line ends of Windows and blank lines are passed over`() throws {
    let file = try tool.file("in.jsonl", "\u{FEFF}" + inserted(1, "a") + "\r\n \t\r\n\r\n" + inserted(2, "b"))
    #expect(tool.run("import", tool.log, file).status == 0)
    #expect(tool.run("show", tool.log, "--json").output.hasPrefix("{\"position\":2,\"count\":2,"))
    try SQLiteEventStore(path: tool.path("empty")).close()
    #expect(tool.run("show", tool.path("empty"), "--json").output.hasPrefix("{\"position\":0,\"count\":0,"))
  }

  @Test func `numbers of any size are kept and compared by their value`() throws {
    try tool.importLines([
      inserted(1, "a", #"{"n":9007199254740993}"#), inserted(2, "b", #"{"n":9007199254740992}"#),
      inserted(3, "c", #"{"n":1e999}"#), inserted(4, "d", #"{"n":-1e999}"#), inserted(5, "e", #"{"n":1e-999}"#),
      inserted(6, "f", #"{"n":0.10e3}"#),
    ])
    let list = try JSONList(tool.run("show", tool.log, "--json", "--sort", "n").output)
    #expect(list.sections[0].rows.map(\.id) == ["d", "e", "f", "b", "a", "c"])
    #expect(tool.run("show", tool.log, "--json").output.contains(#""n":9007199254740993"#))
    #expect(tool.run("show", tool.log, "--json", "--where", "n = 100").output.contains("\"count\":1"))
    let huge = try tool.importLines([inserted(7, "g", #"{"n":1e1000000001}"#)])
    #expect(huge.status == 3)
    #expect(huge.talk.contains("the number's exponent must be from -1,000,000,000 to 1,000,000,000"))
  }

  @Test func `unknown members and record types are kept, and do not affect the list`() throws {
    let lines = [
      line(1, "RecordInserted", #"{"collection":"book","id":"a","fields":{"n":1},"extra":{"x":[1]}}"#),
      line(2, "RecordArchived", #"{"collection":"book","id":"a"}"#), line(3, "RecordArchived", "[]"),
    ]
    #expect(try tool.importLines(lines).status == 0)
    #expect(
      tool.run("show", tool.log, "--json").output
        == #"{"position":3,"count":1,"sections":[{"key":null,"title":"","indexTitle":"","rows":[{"id":"a","#
        + #""fields":{"n":1}}]}]}"# + "\n")
    #expect(tool.run("log", "--json", tool.log).lines[0].contains(#""extra":{"x":[1]}"#))
    #expect(tool.run("log", tool.log, "type:RecordArchived").lines.count == 2)
  }

  @Test func `very deep JSON, a NUL in a stream's name and a very long line are answered`() throws {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    let first = try tool.importLines([line(1, "T", deep)])
    #expect(first.status == 3 && first.talk.contains("line 1: the value is nested deeper than 256 levels"))
    let second = try tool.importLines([line(1, "T", "1").replacing("\"subject\":\"s\"", with: #""subject":"s\u0000""#)])
    #expect(second.status == 3 && second.talk.contains("contains a NUL character"))
    let long = try tool.importLines([inserted(1, "a", #"{"t":"\#(String(repeating: "x", count: 1_000_000))"}"#)])
    #expect(long.status == 0)
    let nul = try tool.importLines([inserted(2, #"b\u0000c"#, #"{"\u0000":"\u0000"}"#)])
    #expect(nul.status == 0, "\(nul.talk)")
    #expect(
      tool.run("show", tool.log, "--json").output.contains(
        #""id":"b\u0000c","fields":{"\u0000":"\u0000"}"#))
  }

  @Test func `a log that is cut off anywhere is unreadable, and stays as it is`() throws {
    try tool.importLines(
      (0..<300).map { inserted($0, "id \($0)", #"{"text":"\#(String(repeating: "t", count: 99))"}"#) })
    let whole = try Data(contentsOf: URL(fileURLWithPath: tool.log))
    for count in [1, 50, 100, 1_000, 4_096, 5_000, 8_192, whole.count / 2, whole.count - 1] {
      let cut = whole.prefix(count)
      try cut.write(to: tool.folder.appending(path: "cut"))
      let answer = tool.run("show", tool.path("cut"))
      #expect(answer.status == 3 && answer.talk.hasPrefix("annals: \(tool.path("cut")): "), "\(count): \(answer)")
      #expect(try Data(contentsOf: tool.folder.appending(path: "cut")) == cut)
      for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: tool.path("cut") + end) }
    }
  }

  @Test func `an export keeps what it does not know, and what an app wrote`() throws {
    let odd =
      #"{"type":"T","data":{"a": 1.0, "b" : "\u00e9"},"specversion":"1.0","id":"x","source":"s","subject":"é","#
      + #""zeta":1.50,"time":"2026-01-02t03:04:05.123456789+01:00","correlationid":"c","alpha":true,"#
      + #""transaction":"t","position":77}"#
    try tool.importLines([odd])
    let line = tool.run("log", "--json", tool.log).output
    #expect(
      line == #"""
        {"specversion":"1.0","id":"x","source":"s","type":"T","subject":"é",\#
        "time":"2026-01-02t03:04:05.123456789+01:00","transaction":"t","position":1,"alpha":true,"correlationid":"c",\#
        "zeta":1.50,"data":{"a": 1.0, "b" : "\u00e9"}}

        """#)
    let store = try SQLiteEventStore(path: tool.path("own"))
    var metadata: Metadata = ["actor": "Ann", "position": "no place", "time": "noon"]
    metadata.set("data", json: "[1]")
    try store.append(
      Append(
        [
          NewEvent(
            type: "A", schema: 3, payload: "{\n  \"a\": 1\r\n}", tags: ["b c", "a%"], metadata: metadata,
            id: EventID(source: "me", id: "1"), time: Date(timeIntervalSince1970: 0.5)),
          NewEvent(type: "B", payload: nil, id: EventID(source: "me", id: "2"), time: Date(timeIntervalSince1970: -1)),
        ], to: "s"))
    let first = tool.run("log", "--json", tool.path("own")).output
    #expect(
      first.split(separator: "\n").map(String.init) == [
        #"{"specversion":"1.0","id":"1","source":"me","type":"A","subject":"s","time":"1970-01-01T00:00:00.5Z","#
          + #""transaction":"1","position":1,"schemaversion":3,"tags":"a%25 b%20c","actor":"Ann","metadatadata":[1],"#
          + #""metadataposition":"no place","metadatatime":"noon","data":{   "a": 1  }}"#,
        #"{"specversion":"1.0","id":"2","source":"me","type":"B","subject":"s","time":"1969-12-31T23:59:59Z","#
          + #""transaction":"1","position":2}"#,
      ])
    tool.run("import", tool.path("two"), try tool.file("export.jsonl", first))
    #expect(tool.run("log", "--json", tool.path("two")).output == first)
    let stored = try SQLiteEventStore(readingFrom: tool.path("two")).events(.all, after: 0, through: nil, limit: 9)
    #expect(stored[0].tags == ["b c", "a%"] && stored[0].schema == 3 && stored[0].metadata.author == "Ann")
    #expect(Set(stored.map(\.transaction)) == [1])
  }

  @Test func `collections are distinguished and named`() throws {
    #expect(tool.run("import", tool.log, try tool.file("none.jsonl", line(1, "Other", "1"))).status == 0)
    #expect(tool.run("show", tool.log, "--json").status == 1)
    try tool.importLines([inserted(2, "a"), line(3, "RecordInserted", #"{"collection":"é","id":"a","fields":{}}"#)])
    let several = tool.run("show", tool.log)
    #expect(several.status == 2)
    #expect(several.talk == "annals: the log has 2 collections; choose one with --list: \"book\", \"é\"\n")
    #expect(tool.run("show", tool.log, "--list", "book").status == 0)
    let unknown = tool.run("diff", "--each", tool.log, "--list", "e\u{301}")
    #expect(unknown.status == 2 && unknown.talk.contains("has no list or collection"))
  }

  @Test func `what a log is not is said with its own status, and nothing is written`() throws {
    func status(_ words: String...) -> (Int32, String) {
      let answer = tool.run(words)
      return (answer.status, answer.talk)
    }
    #expect(status("show", tool.log) == (4, "annals: \(tool.log): the file doesn't exist. Check the path\n"))
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    #expect(status("show", tool.folder.path).0 == 4)
    #expect(status("import", tool.log, tool.path("missing")).0 == 4)
    #expect(status("import", tool.log, tool.folder.path).0 == 3)
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    for (name, text) in [("empty", ""), ("noise", String(repeating: "noise ", count: 999))] {
      let path = try tool.file(name, text)
      #expect(status("show", path).0 == 3)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
    }
    try fill()
    var newer = try Data(contentsOf: URL(fileURLWithPath: tool.log))
    newer[63] = 99
    try newer.write(to: tool.folder.appending(path: "newer"))
    #expect(status("show", tool.path("newer")).0 == 5)
    newer[63] = 1
    newer[70] = 0
    try newer.write(to: tool.folder.appending(path: "other"))
    #expect(status("show", tool.path("other")).0 == 3)
  }

  @Test func `reading changes nothing in the log`() throws {
    try fill()
    let before = try Data(contentsOf: URL(fileURLWithPath: tool.log))
    for words in [["show"], ["diff", "--each"], ["log", "--json"], ["log"], ["diff", "0..5"]] {
      tool.run([words[0], tool.log] + words.dropFirst())
      #expect(try Data(contentsOf: URL(fileURLWithPath: tool.log)) == before)
    }
  }

  @Test(arguments: [
    (["shwo", "x"], "unknown subcommand shwo; did you mean show?\n"),
    (["--versoin"], "unknown option --versoin; did you mean --version?\n"),
    (["frobnicate"], "unknown subcommand frobnicate\n"),
    (["show", "x", "--section"], "unknown option --section of annals show; did you mean --section-by?\n"),
    (["show", "x", "--sectionby", "a"], "unknown option --sectionby of annals show; did you mean --section-by?\n"),
    (["show", "x", "--sort"], "--sort needs a value: --sort FIELD\n"),
    (["show", "x", "--limit=1", "--limit=2"], "--limit is given twice\n"),
    (["show", "x", "--json=yes"], "--json takes no value, found \"yes\"\n"),
    (["show"], "annals show needs LOG\n"),
    (["info", "x", "y"], "annals info does not take \"y\"\n"),
  ])
  func `a mistake in what was typed is named, with the nearest name`(words: [String], message: String) {
    let answer = tool.run(words)
    #expect(answer.status == 2 && answer.output == "")
    #expect(answer.talk.hasPrefix("annals: " + message), "\(answer.talk)")
  }

  @Test(arguments: [
    (["show", "6"], "PLACE 6 is past the end: the log's last position is 5"),
    (["show", "-6"], "PLACE: expected -5 or less far from the end, found \"-6\": the log's last position is 5"),
    (
      ["show", "x"],
      "PLACE: expected \(Place.forms), found \"x\""
    ),
    (["show", "--limit", "1.5"], "--limit: expected a whole number of 0 or more, found \"1.5\""),
    (["show", "--sort", "a,,b"], "--sort: expected a field name, found \"\""),
    (
      ["show", "--where", "price"],
      "--where: character 6: expected an operator after price, found none; put a value of several words in quotes, "
        + "in \"price\""
    ),
    (["diff", "--each", "3..2"], "A..B: 3 is after 2. Only diff without --each is backwards"),
    (["diff", "--each", "--batch", "0"], "--batch: expected transaction, event or a number from 1, found \"0\""),
    (["diff", "--each", "..9"], "B 9 is past the end: the log's last position is 5"),
  ])
  func `a value that cannot be is named`(words: [String], message: String) throws {
    try fill()
    let answer = tool.run([words[0], tool.log] + words.dropFirst())
    #expect(answer.status == 2 && answer.output == "")
    #expect(answer.talk == "annals: \(message)\n")
  }

  @Test(arguments: [
    ("price > 9", ["b1"]), ("price>=9", ["b1", "b2"]), ("price = 60.5", ["b1"]), ("price != 9.0", ["b1"]),
    ("title contains aga", ["b2"]), ("title contains 9", []), ("title < B", ["b1"]), ("missing = null", ["b1", "b2"]),
    ("missing != x", ["b1", "b2"]), ("title = \"Sagas\"", ["b2"]), ("title <= Annals", ["b1"]),
  ])
  func `a condition chooses rows`(condition: String, ids: [String]) throws {
    try fill()
    let list = try JSONList(tool.run("show", tool.log, "--json", "--where", condition).output)
    #expect(list.sections.flatMap { $0.rows.map(\.id) } == ids)
    #expect(
      tool.run("show", tool.log, "--json", "--where", condition, "--where", "price < 0").output.contains("\"count\":0"))
  }

  @Test func `help has a page for the tool and for each subcommand, within 80 columns`() {
    let page = tool.run("--help")
    #expect(page.status == 0 && page.output.contains("usage: annals SUBCOMMAND LOG"))
    for name in ["import", "log", "show", "diff"] {
      #expect(page.output.contains("\n  \(name) "))
      let own = tool.run(name, "--help")
      #expect(own.status == 0 && own.output.contains("examples:\n  annals \(name) ") || own.output.contains("| annals"))
      #expect(own.output == tool.run("help", name).output)
      #expect(own.lines.allSatisfy { $0.count <= 80 }, "\(own.lines.filter { $0.count > 80 })")
    }
    #expect(page.lines.allSatisfy { $0.count <= 80 }, "\(page.lines.filter { $0.count > 80 })")
    #expect(tool.run([]).status == 2)
    #expect(tool.run("--version").output == "annals 0.1.0\n")
  }

  @Test func `titles and ids cannot steer a terminal`() throws {
    try tool.importLines([inserted(1, #"a\u001b[2Jb\u202e"#, #"{"shelf":"x\u0007\u2066y\u0085"}"#)])
    for words in [["show"], ["diff", "--each"], ["log"], ["diff", "0..1"]] {
      let answer = tool.run([words[0], tool.log] + words.dropFirst())
      #expect(!answer.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
      #expect(!answer.output.unicodeScalars.contains { [0x202E, 0x2066, 0x85].contains($0.value) })
    }
    #expect(tool.run("show", tool.log).output.contains(#"a\u{1b}[2Jb\u{202e}  shelf: x\u{7}\u{2066}y\u{85}"#))
  }

  @Test func `colours and cut lines are for terminals, and NO_COLOR is heard`() throws {
    try tool.importLines([inserted(1, "a", #"{"text":"\#(String(repeating: "long ", count: 40))"}"#)])
    #expect(!tool.run("diff", "--each", tool.log).output.contains("\u{1B}"))
    tool.isTerminal = true
    let colourful = tool.run("diff", "--each", tool.log)
    #expect(colourful.output.contains("\u{1B}[32m+\u{1B}[0m"))
    tool.environment = ["NO_COLOR": "1", "COLUMNS": "60"]
    let plain = tool.run("diff", "--each", tool.log)
    #expect(!plain.output.contains("\u{1B}"))
    #expect(plain.lines.allSatisfy { $0.count <= 60 })
  }

  @Test func `times are read and written as RFC 3339 says`() throws {
    let times = [
      "1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00", "1990-12-31T23:59:60Z", "1937-01-01T12:00:27.87+00:20",
      "2000-02-29t00:00:00z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z",
    ]
    let lines = times.enumerated().map { line($0.offset, "T", "1").replacing("2026-01-02T03:04:05Z", with: $0.element) }
    #expect(try tool.importLines(lines).status == 0)
    let store = try SQLiteEventStore(readingFrom: tool.log)
    let stored = try store.events(.all, after: 0, through: nil, limit: 99).map { $0.time.microseconds / 10_000 }
    #expect(
      stored == [
        48_219_605_052, 85_104_239_700, 66_268_800_000, -104_133_717_213, 95_178_240_000, -6_213_559_680_000,
        25_340_230_079_999,
      ])
    let exported = tool.run("log", "--json", tool.log).lines
    for (line, time) in zip(exported, times) { #expect(line.contains("\"time\":\"\(time)\"")) }
    for bad in [
      "2026-02-30T00:00:00Z", "2026-1-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "2026-01-01",
    ] {
      let answer = try tool.importLines([line(99, "T", "1").replacing("2026-01-02T03:04:05Z", with: bad)])
      #expect(answer.status == 3)
    }
  }

  @Test func `events of any schema are shown as they are stored, and nothing else minds them`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"price":1}"#),
      line(2, "BookRepriced", #"{"id":"b1"}"#).replacing(#","data""#, with: #","schemaversion":3,"data""#),
      line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":2}}"#)
        .replacing(#","data""#, with: #","schemaversion":2,"data""#),
    ])
    let lines = tool.run("log", tool.log).lines
    #expect(lines.map { $0.contains("(schema ") } == [false, true, true])
    #expect(lines[1].hasSuffix(#"BookRepriced (schema 3)  {"id":"b1"}"#))
    let exported = tool.run("log", tool.log, "--json").lines
    #expect(exported.map { $0.contains("schemaversion") } == [false, true, true])
    #expect(exported[1].contains(#""schemaversion":3"#) && exported[2].contains(#""schemaversion":2"#))
    #expect(tool.run("show", tool.log).lines.last?.contains("price: 2") == true)
    #expect(tool.run("diff", "--each", tool.log, "--check", "--json").status == 0)
    #expect(tool.run("verify", tool.log).status == 0)
  }
}

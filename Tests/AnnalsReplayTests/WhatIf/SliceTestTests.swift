import Annals
import AnnalsReplay
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Tests that the tool writes.
@Suite struct SliceTestTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.tool = ToolRunner.wares
    try tool.makeWares()
  }

  @Test func `a test has the events, the projection and the list that it makes of them`() throws {
    let answer = tool.run("test", tool.log, "1..2")
    let lines = tool.run("log", "--json", tool.log).lines
    #expect(answer.status == 0 && answer.talk == "")
    #expect(
      answer.output == ##"""
        // Events 1 to 2 of log.annals, and the list that Wares makes of them.
        // Written by `shoptool test log.annals 1..2`.

        import Annals
        import AnnalsTesting
        import Testing

        @testable import AnnalsReplayTests

        @Test func `Wares lists events 1 to 2 of log.annals`() throws {
          // Events of WareEvent, as `shoptool log --json` prints them.
          try Wares().ensureLists(
            #"""
            \##(lines[0])
            \##(lines[1])
            """#,
            as: #"""
            {"id":"a","price":1,"shelf":"x"}
            {"id":"b","price":2,"shelf":"x"}
            """#)
        }

        """##)
    let json = tool.run("test", tool.log, "1..2", "--json").output
    #expect(json.hasPrefix(#"{"from":1,"to":2,"folds":true,"code":"// Events 1 to 2 of"#))
  }

  @Test func `what a test expects is what it finds`() throws {
    let events = tool.run("log", "--json", tool.log).lines.joined(separator: "\n")
    let picture = #"""
      {"id":"a","price":5,"shelf":"x"}
      {"id":"b","price":8,"shelf":"y"}
      {"id":"c","price":6,"shelf":"y"}
      """#
    try Wares().ensureLists(events, as: picture)
    #expect(tool.run("test", tool.log, "1..last").output.contains(picture.replacing("\n", with: "\n    ")))
    let other = #expect(throws: Unmet.self) { try Wares().ensureLists(events, as: picture + "\n{}") }
    #expect(other?.description.hasPrefix("row 4 of the list: expected {}, found no row\nthe list is\n{\"id\"") ?? false)
    try Wares().ensureLists(
      events, as: "# \"Left\"\n" + picture.replacing("\n{\"id\":\"b\"", with: "\n# \"y\"\n{\"id\":\"b\""),
      in: ListRequest(section: .by(\.shelf)))
    let broken = #expect(throws: Unmet.self) { try Wares().ensureLists("{", as: "") }
    #expect(broken?.description.hasPrefix("line 1 isn't an event: ") ?? false)
    try Wares().ensureLists("", as: "")
  }

  @Test func `a test of events that the log itself cannot fold fails as the log does`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    try store.append(Append([NewEvent(type: "WareDeleted", payload: #"{"id":"zz"}"#)], to: "WareShop-main"))
    let answer = tool.run("test", tool.log, "10..11", "--json")
    #expect(answer.status == 0 && answer.output.contains(#""folds":false"#), "\(answer.talk)")
    #expect(
      answer.talk.hasPrefix(
        "the test fails, as the log does: Wares can't apply event 11 (WareDeleted): notThere(\"zz\")"))
    #expect(tool.run("test", tool.log, "9..11").status == 1)
    let whole = tool.run("test", tool.log, "1..11")
    #expect(whole.output.contains("    as: \"\")\n") && whole.output.contains("  // This fails until Wares folds"))
    let lines = tool.run("log", "--json", tool.log).lines.joined(separator: "\n")
    let failure = #expect(throws: Unmet.self) { try Wares().ensureLists(lines, as: "") }
    #expect(failure?.description == "Wares can't apply event 11 (WareDeleted): notThere(\"zz\")")
  }

  @Test func `events that fold only after others are refused, and what else is wrong is said`() throws {
    let alone = tool.run("test", tool.log, "8..10")
    #expect(alone.status == 1 && alone.output == "")
    #expect(alone.talk.contains("do not fold without those before them") && alone.talk.contains("such as 1..10"))
    #expect(tool.run("test", tool.log, "10..10").talk.contains("of these events alone, without those before 10"))
    for (range, message) in [
      ("3..2", "3 is after 2"), ("x", "expected PLACE or A..B"),
      ("1..99", "B 99 is past the end"),
    ] {
      let answer = tool.run("test", tool.log, range)
      #expect(answer.status == 2 && answer.talk.contains(message), "\(range): \(answer.talk)")
    }
    tool.tool = .annals
    try tool.importLines([inserted(1, "b1")], to: tool.path("records"))
    let records = tool.run("test", tool.path("records"), "1..1")
    #expect(records.status == 2 && records.talk.contains("records have none"))
  }

  @Test func `a test goes to a new file, and to no file that is there`() throws {
    let path = tool.path("SliceTests.swift")
    let answer = tool.run("test", tool.log, "1..2", "-o", path)
    #expect(answer.status == 0 && answer.output == "")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == tool.run("test", tool.log, "1..2").output)
    let again = tool.run("test", tool.log, "1..3", "-o", path)
    #expect(again.status == 4 && again.talk.contains("cannot be written: it is there already"))
    #expect(tool.run("test", tool.log, "1..2", "-o", tool.path("no/where")).status == 4)
  }

  @Test func `hostile text ends no literal, no name and no comment, and hides nothing`() throws {
    let log = tool.path("a`b\nc*.annals")
    let store = try SQLiteEventStore(path: log)
    let id = "\"\"\"# \\#(x) \u{202E}\u{7F}\u{E0041}"
    try store.append(
      Append(
        [NewEvent(type: "WareInserted", payload: "{\"id\":\(JSONValue.string(id).text),\"price\":1,\"shelf\":\"\"}")],
        to: "WareShop-main"))
    let code = tool.run("test", log, "1..1").output
    #expect(code.contains("`Wares lists event 1 of a-b-c-.annals`"), "\(code)")
    #expect(code.contains("\\u202e\\u007f\\udb40\\udc41") && !code.unicodeScalars.contains("\u{202E}"))
    #expect(code.contains("\n    ##\"\"\"\n") && code.contains("\n    \"\"\"##"), "\(code)")
    let lines = tool.run("log", "--json", log).output
    let row = "{\"id\":\"\\\"\\\"\\\"# \\\\#(x) \\u202e\\u007f\\udb40\\udc41\",\"price\":1,\"shelf\":\"\"}"
    try Wares().ensureLists(lines, as: row)
  }
}

import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// The lists and the events of two logs.
@Suite struct DiffTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.tool = ToolRunner.wares
    try tool.makeWares()
  }

  /// A copy of the log by its export, with its lines changed.
  private func copy(_ change: ([String]) -> [String]) throws -> String {
    let lines = change(tool.run("log", "--json", tool.log).lines)
    try tool.importLines(lines, to: tool.path("other"))
    return tool.path("other")
  }

  @Test func `equal logs have no difference, and it is said up to where they were compared`() throws {
    let other = try copy { $0 }
    let answer = tool.run("diff", tool.log, other)
    #expect(answer.status == 0 && answer.output == "" && answer.talk == "the logs are equal up to 10\n")
    #expect(tool.run("diff", tool.log, other, "3", "3").talk == "the logs are equal up to 3\n")
  }

  @Test func `the difference leads from the first list to the second, and the first other event is named`() throws {
    let other = try copy { lines in
      lines.enumerated().map { $0.offset == 6 ? $0.element.replacing("\"to\":6", with: "\"to\":60") : $0.element }
    }
    let answer = tool.run("diff", tool.log, other)
    #expect(
      answer.lines == [
        "10 of \(tool.log) → 10 of \(other)", "  y  >1", "    > c  price: 60 (was 6)",
      ] && answer.status == 1, "\(answer.output)")
    #expect(
      answer.talk == """
        the logs are equal up to 6
          \(tool.log)  7  2026-01-02T03:04:05Z  WareRepriced  bob  {"id":"c","to":6}
          \(other)  7  2026-01-02T03:04:05Z  WareRepriced  bob  {"id":"c","to":60}

        """)
    let json = tool.run("diff", tool.log, other, "--json", "7", "8")
    #expect(
      json.output.hasPrefix(
        #"{"from":7,"to":8,"sections":[],"rows":[{"type":"update","id":"b","at":[0,1],"newAt":[0,1],"#),
      "\(json.output)")
    #expect(json.output.contains(#","log2":"\#(other)","equalThrough":6,"comparedIDs":true,"differ":{"event":{"#))
    #expect(tool.run("diff", other, tool.log).lines.last == "    > c  price: 6 (was 60)")
  }

  @Test func `a log that ends earlier, an empty one and one that was written apart are compared`() throws {
    let short = try copy { Array($0.prefix(3)) }
    let answer = tool.run("diff", tool.log, short, "3")
    #expect(answer.status == 0 && answer.talk == "the logs are equal up to 3\n")
    #expect(tool.run("diff", tool.log, short).talk.contains("other ends there"))
    #expect(tool.run("diff", tool.log, short, "--json").output.contains(#""event2":null"#))
    let empty = tool.path("empty")
    _ = try SQLiteEventStore(path: empty)
    let nothing = tool.run("diff", tool.log, empty)
    #expect(nothing.status == 1 && nothing.lines.filter { $0.hasPrefix("    - ") }.count == 3, "\(nothing.output)")
    #expect(tool.run("diff", empty, tool.log).status == 1)
    #expect(tool.run("diff", empty, empty, "--json").output.contains(#""rows":[]"#))
    try tool.makeWares("apart")
    let apart = tool.run("diff", tool.log, tool.path("apart"))
    #expect(
      apart.status == 0
        && apart.talk == "the logs were written apart: ids are not compared\nthe logs are equal up to 10\n")
  }

  @Test func `an event without a payload is equal to another without one, and to none that has one`() throws {
    tool.tool = .annals
    func log(_ name: String, _ more: String) throws -> String {
      let noted =
        #"{"specversion":"1.0","id":"2","source":"test","type":"Noted","subject":"s","#
        + #""time":"2026-01-02T03:04:05Z"\#(more)}"#
      try tool.importLines([inserted(1, "b1"), noted], to: tool.path(name))
      return tool.path(name)
    }
    let bare = try log("bare", "")
    #expect(tool.run("diff", bare, try log("copy", "")).talk == "the logs are equal up to 2\n")
    #expect(tool.run("diff", bare, try log("full", #","data":{}"#)).talk.contains("\nthe logs are equal up to 1\n"))
  }

  @Test func `records of another collection, a missing log and options of another diff are errors`() throws {
    tool.tool = .annals
    let (one, other) = (tool.path("one"), tool.path("two"))
    try tool.importLines([inserted(1, "b1", #"{"n":1}"#)], to: one)
    try tool.importLines([line(2, "RecordInserted", #"{"collection":"x","id":"b1","fields":{"n":2}}"#)], to: other)
    let answer = tool.run("diff", one, other)
    #expect(answer.status == 2 && answer.talk.contains("two: the log has no list or collection \"book\". It has \"x\""))
    #expect(tool.run("diff", one, tool.path("none")).status == 4)
    for (words, message) in [
      (["0", "9"], "PLACE2 9 is past the end"), (["--without", "1"], "--without is not for a diff of two logs"),
      (["0", "0", "0"], "expected at most two places"), (["--each"], "--each is not for a diff of two logs"),
    ] {
      let answer = tool.run(["diff", one, other] + words)
      #expect(answer.status == 2 && answer.talk.contains(message), "\(answer.talk)")
    }
  }
}

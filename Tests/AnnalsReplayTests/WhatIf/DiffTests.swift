import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// The lists of two logs, and of two versions of a tool.
@Suite struct DiffTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.tool = ToolRunner.wares
    try tool.makeWares()
  }

  /// A copy of the log by its export, with its lines changed.
  private func copy(_ change: ([String]) -> [String]) throws -> String {
    let lines = change(tool.run("export", tool.log).lines)
    try tool.importLines(lines, to: tool.path("other"))
    return tool.path("other")
  }

  @Test func `equal logs have no difference, and it is said up to where they were compared`() throws {
    let other = try copy { $0 }
    let answer = tool.run("diff", tool.log, other)
    #expect(answer.status == 0 && answer.output == "" && answer.talk == "the logs are equal up to 10\n")
    #expect(tool.run("diff", tool.log, other, "--at", "3", "--at2", "3").talk == "the logs are equal up to 3\n")
  }

  @Test func `the difference leads from the first list to the second, and the first other event is named`() throws {
    let other = try copy { lines in
      lines.enumerated().map { $0.offset == 6 ? $0.element.replacing("\"to\":6", with: "\"to\":60") : $0.element }
    }
    let answer = tool.run("diff", tool.log, other)
    #expect(
      answer.lines == [
        "10 of \(tool.log) → 10 of \(other)", "  > [1, 0] → [1, 1]  c  price: 6 → 60",
      ] && answer.status == 1, "\(answer.output)")
    #expect(
      answer.talk == """
        the logs are equal up to 6
          \(tool.log)  7  2026-01-02T03:04:05Z  WareRepriced  bob  {"id":"c","to":6}
          \(other)  7  2026-01-02T03:04:05Z  WareRepriced  bob  {"id":"c","to":60}

        """)
    let json = tool.run("diff", tool.log, other, "--json", "--at", "7", "--at2", "8")
    #expect(
      json.output.hasPrefix(
        #"{"from":7,"to":8,"sections":[],"rows":[{"type":"update","id":"b","at":[0,1],"newAt":[0,1],"#),
      "\(json.output)")
    #expect(json.output.contains(#","log2":"\#(other)","equalThrough":6,"comparedIDs":true,"differ":{"event":{"#))
    #expect(tool.run("diff", other, tool.log).lines.last == "  > [1, 1] → [1, 0]  c  price: 60 → 6")
  }

  @Test func `a log that ends earlier, an empty one and one that was written apart are compared`() throws {
    let short = try copy { Array($0.prefix(3)) }
    let answer = tool.run("diff", tool.log, short, "--at", "3")
    #expect(answer.status == 0 && answer.talk == "the logs are equal up to 3\n")
    #expect(tool.run("diff", tool.log, short).talk.contains("other ends there"))
    #expect(tool.run("diff", tool.log, short, "--json").output.contains(#""event2":null"#))
    let empty = tool.path("empty")
    _ = try SQLiteEventStore(path: empty)
    let nothing = tool.run("diff", tool.log, empty)
    #expect(nothing.status == 1 && nothing.lines.filter { $0.hasPrefix("  - [") }.count == 3, "\(nothing.output)")
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
    #expect(tool.run("diff", bare, try log("full", #","data":{}"#)).talk.hasPrefix("the logs are equal up to 1\n"))
  }

  @Test func `records of another collection, a missing log and options of another diff are errors`() throws {
    tool.tool = .annals
    let (one, other) = (tool.path("one"), tool.path("two"))
    try tool.importLines([inserted(1, "b1", #"{"n":1}"#)], to: one)
    try tool.importLines([line(2, "RecordInserted", #"{"collection":"x","id":"b1","fields":{"n":2}}"#)], to: other)
    let answer = tool.run("diff", one, other)
    #expect(answer.status == 1 && answer.talk.contains("two: the log has no collection \"book\"; it has \"x\""))
    #expect(tool.run("diff", one, tool.path("none")).status == 4)
    for (words, message) in [
      (["--from", "1"], "--from is not for a diff of two logs"), (["--without", "1"], "--without is not for a diff"),
      (["--code", "x"], "LOG2 and --code cannot be given together"), (["--at2", "9"], "--at2 9 is past the end"),
    ] {
      let answer = tool.run(["diff", one, other] + words)
      #expect(answer.status == 2 && answer.talk.contains(message), "\(answer.talk)")
    }
    #expect(tool.run("diff", one, "--at", "1").talk.contains("--at is not for a diff of two positions"))
  }

  #if os(macOS) || os(Linux)
    /// A script that stands for an older version of the tool: the tool, and a filter behind it.
    private func old(_ filter: String) throws -> String {
      let path = try tool.file(
        "old", "#!/bin/bash\nset -o pipefail\n\"\(try #require(ToolProcess.tool))\" \"$@\" | \(filter)\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      return path
    }

    private func records() throws -> String {
      tool.tool = .annals
      let log = tool.path("records")
      try tool.importLines(
        [
          inserted(1, "b1", #"{"n":1,"s":"x"}"#), inserted(2, "b2", #"{"n":2,"s":"x"}"#),
          line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"n":3}}"#),
          line(4, "RecordDeleted", #"{"collection":"book","id":"b2"}"#),
        ], to: log)
      return log
    }

    @Test func `the first position at which old code shows another list is named, with the difference`() throws {
      let log = try records()
      let equal = tool.run("diff", log, "--code", try old("cat"), "--section-by", "s")
      #expect(equal.status == 0 && equal.output == "", "\(equal.talk)")
      #expect(equal.talk.contains("shows the same list at every position"))
      let path = try old(#"sed 's/"n":3/"n":4/'"#)
      let answer = tool.run("diff", log, "--code", path, "--section-by", "s", "--sort", "-n")
      #expect(answer.lines == ["3  2026-01-02T03:04:05Z  RecordUpdated", "  ~ [0, 0]  b1  n: 4 → 3"])
      #expect(answer.status == 1 && answer.talk.contains("the lists differ from position 3 on"))
      let json = tool.run("diff", log, "--code", path, "--json", "--every", "2")
      #expect(
        json.output.hasPrefix(
          #"{"from":4,"to":4,"sections":[],"rows":[{"type":"update","id":"b1","at":[0,0],"newAt":[0,0],"#))
      #expect(json.output.contains(#""position":4,"code":"\#(path)"}"#))
      #expect(tool.run("diff", log, "--code", path, "--to", "2").status == 0)
      // A batch that is missing, and one that is only printed otherwise.
      #expect(tool.run("diff", log, "--code", try old("head -3")).lines.last == "  - [0, 1]  b2")
      #expect(tool.run("diff", log, "--code", try old(#"sed 's/,"events":\[[0-9]*\]//'"#)).status == 0)
    }

    @Test func `a section that only old code shows is deleted, and one that only new code shows inserted`() throws {
      let path = try old(#"sed 's/"key":"x","title":"x"/"key":"w","title":"w"/'"#)
      let answer = tool.run("diff", try records(), "--code", path, "--section-by", "s", "--json")
      #expect(
        answer.output.hasPrefix(
          #"{"from":1,"to":1,"sections":[{"type":"delete","index":0,"key":"w"},"#
            + #"{"type":"insert","index":0,"key":"x","title":"x"}],"#), "\(answer)")
    }

    @Test func `an old tool that cannot be run, fails, or prints something else is said`() throws {
      let log = try records()
      let cases: [(String, Int32, String)] = [
        (tool.path("nope"), 4, "the file doesn't exist. Check the path"), ("", 2, "expected an executable, found \"\""),
        (log, 4, "cannot be run: expected an executable"), (tool.folder.path, 4, "expected an executable file"),
        (try old("cat; echo no such event >&2; exit 3"), 1, "ended with status 3, and said\n  no such event\nup to "),
      ]
      for (path, status, message) in cases {
        let answer = tool.run("diff", log, "--code", path)
        #expect(answer.status == status && answer.talk.contains(message), "\(path): \(answer.talk)")
      }
      #expect(tool.run("diff", log, "--code", try old("cat; exit 7")).status == 4)
      let other = tool.run("diff", log, "--code", try old("sed s/from/form/g; echo hello"))
      #expect(other.status == 4 && other.talk.contains("found \"hello\""), "\(other.talk)")
      let wrong = tool.run("diff", log, "--code", try old(#"sed 's/\[0,1\]/[5,1]/'"#))
      #expect(wrong.status == 4 && wrong.talk.contains("is none of its list"), "\(wrong.talk)")
      #expect(tool.run("diff", log, "--code", try old("cat"), "--every", "0").status == 2)
    }
  #endif
}

import Annals
import AnnalsReplay
import Foundation
import Testing

/// A log is created by its first append.
@Suite struct NewLogTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func files() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).filter { $0.hasPrefix("log.annals") })
  }

  @Test(arguments: [
    "{\"specversion\":\"1.0\"}", "[1]", "\u{FFFD}PNG", "{",
    #"{"specversion":"1.0","id":"1","source":"s","type":"T","subject":"s","data":{"$personal":7}}"#,
    #"{"specversion":"1.0","id":"1","source":"s","type":"RecordDeleted","subject":"s","#
      + #""data":{"collection":"c","id":"a"}}"#,
  ])
  func `an import that fails at its first line leaves no file`(bad: String) throws {
    for rest in [[], [inserted(2, "a")]] {
      let answer = try tool.importLines([bad] + rest)
      #expect(answer.status == 3 && answer.talk.contains("line 1: "), "\(answer)")
      #expect(answer.talk.contains("0 events were imported"))
      #expect(try files() == [])
    }
    // An existing file stays: the tool does not treat an empty file as a log either.
    try Data().write(to: URL(fileURLWithPath: tool.log))
    #expect(try tool.importLines([bad]).status == 3)
    #expect(try files() == ["log.annals"] && Data(contentsOf: URL(fileURLWithPath: tool.log)) == Data())
    #expect(try tool.importLines([inserted(2, "a")]).status == 0)
    #expect(tool.run("show", tool.log).lines.count == 2)
  }

  @Test func `an import that fails later leaves the transactions before, and one of nothing no log`() throws {
    #expect(try tool.importLines([inserted(1, "a"), "x"]).status == 3)
    #expect(tool.run("show", tool.log).lines.count == 2)
    let empty = tool.path("empty.annals")
    let answer = try tool.importLines(["", " "], to: empty)
    #expect(answer.status == 0 && answer.talk.hasSuffix("in.jsonl has no events, so \(empty) was not created\n"))
    #expect(!FileManager.default.fileExists(atPath: empty))
    let json = tool.run("import", empty, tool.path("in.jsonl"), "--json")
    #expect(json.status == 0 && json.output.contains(#""events":0"#), "\(json)")
    // The first transaction is ready when the second begins.
    let other = tool.path("other.annals")
    #expect(
      try tool.importLines([inserted(1, "a", transaction: "t"), inserted(1, "a", transaction: "t"), "x"], to: other)
        .status == 3)
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  @Test func `a command that is refused leaves no file`() throws {
    let answer = tool.run("do", tool.log, "insert", "a", #"name={"$personal":7}"#, "--list", "c")
    #expect(answer.status == 1 && answer.talk.contains("a subject that isn't a string"), "\(answer)")
    #expect(try files() == [])
  }

  @Test func `another process may begin the log meanwhile`() throws {
    let lines = [inserted(1, "a", transaction: "t"), inserted(2, "b", transaction: "t"), inserted(3, "c")]
    var reads = 0
    tool.onInput = {
      reads += 1
      if reads == 2 { self.tool.run("do", self.tool.log, "insert", "z", "--list", "book") }
      return Data((reads == 1 ? lines.prefix(2).map { $0 + "\n" }.joined() : reads == 2 ? lines[2] : "").utf8)
    }
    let answer = tool.run("import", tool.log, "-", "--json")
    #expect(answer.output == #"{"events":3,"transactions":2,"skipped":0,"position":4}"# + "\n", "\(answer)")
    #expect(tool.run("show", tool.log).lines.map { $0.prefix(3) } == ["pos", "  a", "  b", "  c", "  z"])
  }

  @Test func `a message for a shell's user names no Swift`() {
    for (message, expected) in [
      (
        "x: cannot be written; change its permissions, or open the log with SQLiteEventStore(readingFrom:)",
        "x: cannot be written; change its permissions"
      ),
      (
        "x: the log was opened for reading only; open it with SQLiteEventStore(path:) to compact it",
        "x: the log was opened for reading only"
      ),
      ("x: the disk is full, and no data was added", "x: the disk is full, and no data was added"),
    ] {
      #expect(ReplayError(EventStoreError(.readOnly, message)).message == expected)
    }
  }
}

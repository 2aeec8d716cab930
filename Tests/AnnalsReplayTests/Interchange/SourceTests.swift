@testable import AnnalsReplay
import Annals
import AnnalsSQLite
import Foundation
import Testing

/// The kinds of sources that `import` recognizes.
@Suite struct SourceTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  @Test func `a log is imported from another log, with its transactions and identities, and only once`() throws {
    let source = tool.path("source.annals")
    try tool.importLines(
      [inserted(1, "a", transaction: "t"), inserted(2, "b", transaction: "t"), inserted(3, "c")], to: source)
    tool.run("do", source, "update", "a", #"name={"$personal":"ann","value":"Ann"}"#, "--author", "eve")
    let first = tool.run("import", tool.log, source)
    #expect(
      first.status == 0
        && first.talk == "4 events imported in 3 transactions, 0 skipped that the log had; its last position is 4\n")
    #expect(tool.run("log", "--json", tool.log).output == tool.run("log", "--json", source).output)
    tool.run("do", source, "delete", "b")
    let second = tool.run("import", tool.log, source, "--json")
    #expect(second.output == #"{"events":1,"transactions":1,"skipped":4,"position":5}"# + "\n", "\(second)")
    // A log that has another event under the same identity differs.
    let other = tool.path("other.annals")
    try tool.importLines([inserted(1, "x"), inserted(2, "b")], to: other)
    let conflict = tool.run("import", tool.log, other)
    #expect(conflict.status == 3 && conflict.talk.hasPrefix("annals: \(other), event 1: the id \"1\""), "\(conflict)")
  }

  @Test func `a damaged log is refused`() throws {
    let source = tool.path("source.annals")
    try tool.importLines((1...50).map { inserted($0, "b\($0)") }, to: source)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: source))
    let event = try #require(bytes.range(of: Data("RecordInserted".utf8)))
    bytes.replaceSubrange(event, with: Data("RecordInsxrted".utf8))
    try bytes.write(to: URL(fileURLWithPath: source))
    let damaged = tool.run("import", tool.log, source)
    #expect(damaged.status == 3 && damaged.talk.contains("damaged"), "\(damaged)")
  }

  @Test(arguments: [
    ("clone", "import LOG URL"), ("git", "import LOG FOLDER"), ("mirror", "import LOG URL"),
  ])
  func `the error for a removed subcommand names import`(name: String, line: String) {
    let answer = tool.run(name, "a", "b")
    #expect(answer.status == 2 && answer.talk.contains("did you mean \(line)?"), "\(answer)")
  }

  @Test func `lines without required attributes are reported with all attributes and a minimal line`() throws {
    let answer = try tool.importLines([#"{"id":"1","title":"x"}"#])
    #expect(
      answer.status == 3 && answer.talk.contains("expected the attributes specversion, source and type, found none"))
    let sample = try #require(answer.talk.firstMatch(of: /a minimal line is (.*)/)?.output.1)
    #expect(try tool.importLines([String(sample)]).status == 0)
    #expect(tool.run("show", tool.log).lines.last == "  b1  title: Annals")
    // The line has no subject, so its stream is its source.
    #expect(
      tool.run("log", "--json", tool.log).output.contains(#""source":"shop","type":"RecordInserted","subject":"shop","#)
    )
    #expect(try tool.importLines([String(sample)]).talk.contains("0 events imported in 0 transactions, 1 skipped"))
  }

  @Test func `Ctrl-C during an import commits the lines before it, and prints how to continue`() throws {
    let lines = (0..<2_000).map { line($0, "T", "{\"number\":\($0)}") }
    _ = try tool.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    let answer = try ToolProcess.shell(
      """
      mkfifo pipe
      "$TOOL" import log.annals - < pipe 2> talk & tool=$!
      exec 3> pipe
      head -n 1500 in.jsonl >&3
      # The last line could belong to a longer transaction, so it isn't in the log yet.
      for n in {1..1200}; do
        "$TOOL" info log.annals --json 2> /dev/null | grep -q '"events":1499' && break; sleep 0.05
      done
      kill -INT $tool
      wait $tool
      echo "status $?"
      cat talk
      exec 3>&-
      ls log.annals*
      "$TOOL" import log.annals in.jsonl
      """, in: tool.folder)
    #expect(
      answer.output
        == "status 130\nstopped: 1500 events are in the log; run it again to continue\nlog.annals\n", "\(answer)")
    #expect(
      answer.talk
        == "500 events imported in 500 transactions, 1500 skipped that the log had; its last position is 2000\n")
  }
}

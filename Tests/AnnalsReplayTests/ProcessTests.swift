import Annals
import AnnalsSQLite
import Foundation
import Testing

/// The executable itself, run by a shell.
@Suite struct ProcessTests {
  @Test func `the executable has the table that checks batches, and nothing else of the harness`() throws {
    let program = try Data(contentsOf: URL(fileURLWithPath: #require(ToolProcess.tool)))
    // A module's name is in the names of all that it has, after its length.
    #expect(program.range(of: Data("12AnnalsMirror".utf8)) != nil)
    #expect(program.range(of: Data("13AnnalsTesting".utf8)) == nil)
  }

  @Test func `the executable reads its input, returns its statuses and is silent when its reader stops`() throws {
    let runner = try ToolRunner()
    let lines = (0..<20_000).map { line($0, "T", "{\"number\":\($0)}", transaction: "t\($0 / 1_000)") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    let imported = try ToolProcess.shell("cat in.jsonl | \"$TOOL\" import log.annals - --json", in: runner.folder)
    #expect(imported.output == "{\"events\":20000,\"transactions\":20,\"skipped\":0,\"position\":20000}\n")
    #expect(imported.status == 0 && imported.talk == "")
    let head = try ToolProcess.shell("\"$TOOL\" export log.annals | head -1", in: runner.folder)
    #expect(head.output.hasPrefix("{\"specversion\":\"1.0\",\"id\":\"0\"") && head.talk == "")
    // The same where the shell ignores the signal.
    let ignoring = try ToolProcess.shell("trap '' PIPE; \"$TOOL\" export log.annals | head -1", in: runner.folder)
    #expect(ignoring.talk == "" && ignoring.status == 141)
    #expect(try ToolProcess.shell("\"$TOOL\" show missing", in: runner.folder).status == 4)
    #expect(try ToolProcess.shell("\"$TOOL\" show in.jsonl", in: runner.folder).status == 3)
    #expect(try ToolProcess.shell("\"$TOOL\" diff log.annals --from 0 --to 9", in: runner.folder).status == 1)
    #expect(try ToolProcess.shell("\"$TOOL\" frobnicate", in: runner.folder).status == 2)
    #expect(try ToolProcess.shell("\"$TOOL\" import other.annals - < /dev/null", in: runner.folder).status == 0)
    #expect(try ToolProcess.shell("\"$TOOL\" import other.annals - <&-", in: runner.folder).status == 4)
    let full = try ToolProcess.shell("\"$TOOL\" export log.annals > /dev/full", in: runner.folder)
    #expect(full.status == 4)
    #expect(
      full.talk
        == "annals: the standard output cannot be written: No space left on device; what was printed is not all\n")
    let noGit = try ToolProcess.shell("PATH=/nowhere \"$TOOL\" git new.annals .", in: runner.folder)
    #expect(noGit.status == 4 && noGit.talk.contains("git was not found"))
    #expect(!FileManager.default.fileExists(atPath: runner.path("new.annals")))
  }

  @Test func `a log that a process opens twice loses nothing when another process closes it`() throws {
    let runner = try ToolRunner()
    let store = try SQLiteEventStore(path: runner.log)
    let event = NewEvent(type: "T", payload: "1")
    try store.append(Append([event], to: "s"))
    // SQLite's locks belong to the process: another way to open and close the file would release the locks of the store
    // above.
    do { _ = try SQLiteEventStore(readingFrom: runner.log).head() }
    do { _ = try SQLiteEventStore(path: runner.log).head() }
    _ = try runner.file("in.jsonl", line(1, "T", "2") + "\n")
    #expect(try ToolProcess.shell("\"$TOOL\" import log.annals in.jsonl", in: runner.folder).status == 0)
    try store.append(Append([event], to: "s"))
    let events = try ToolProcess.shell("\"$TOOL\" events log.annals", in: runner.folder)
    #expect(events.output.split(separator: "\n").count == 3)
  }
}

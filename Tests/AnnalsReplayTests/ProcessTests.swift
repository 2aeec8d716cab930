import Annals
import AnnalsSQLite
import Foundation
import Testing

/// The executable itself, as a shell runs it.
@Suite struct ProcessTests {
  /// The executable beside the tests' own bundle.
  private static let tool: String? = {
    // On Linux the tests' executable lies beside it, on Apple platforms a bundle does.
    let places = [CommandLine.arguments[0], Bundle.main.bundlePath] + Bundle.allBundles.map(\.bundlePath)
    for place in places {
      var folder = URL(fileURLWithPath: place)
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let tool = folder.appending(path: "annals").path
        if FileManager.default.isExecutableFile(atPath: tool) { return tool }
      }
    }
    return nil
  }()

  private func shell(_ script: String, in folder: URL) throws -> (status: Int32, output: String, talk: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "set -o pipefail; " + script]
    process.currentDirectoryURL = folder
    process.environment = ["TOOL": try #require(Self.tool), "PATH": "/usr/bin:/bin"]
    let (output, talk) = (folder.appending(path: "stdout"), folder.appending(path: "stderr"))
    for url in [output, talk] { try Data().write(to: url) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: talk)
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self),
      String(decoding: try Data(contentsOf: talk), as: UTF8.self)
    )
  }

  @Test func `the executable reads its input, answers its statuses and is silent when nobody reads on`() throws {
    let runner = try ToolRunner()
    let lines = (0..<20_000).map { line($0, "T", "{\"number\":\($0)}", transaction: "t\($0 / 1_000)") }
    _ = try runner.file("in.jsonl", lines.map { $0 + "\n" }.joined())
    let imported = try shell("cat in.jsonl | \"$TOOL\" import log.annals - --json", in: runner.folder)
    #expect(imported.output == "{\"events\":20000,\"transactions\":20,\"skipped\":0,\"position\":20000}\n")
    #expect(imported.status == 0 && imported.talk == "")
    let head = try shell("\"$TOOL\" export log.annals | head -1", in: runner.folder)
    #expect(head.output.hasPrefix("{\"specversion\":\"1.0\",\"id\":\"0\"") && head.talk == "")
    // The same where the shell lets nobody be ended by the signal.
    let ignoring = try shell("trap '' PIPE; \"$TOOL\" export log.annals | head -1", in: runner.folder)
    #expect(ignoring.talk == "" && ignoring.status == 141)
    #expect(try shell("\"$TOOL\" show missing", in: runner.folder).status == 4)
    #expect(try shell("\"$TOOL\" show in.jsonl", in: runner.folder).status == 3)
    #expect(try shell("\"$TOOL\" diff log.annals --from 0 --to 9", in: runner.folder).status == 0)
    #expect(try shell("\"$TOOL\" frobnicate", in: runner.folder).status == 2)
    #expect(try shell("\"$TOOL\" import other.annals - < /dev/null", in: runner.folder).status == 0)
    #expect(try shell("\"$TOOL\" import other.annals - <&-", in: runner.folder).status == 4)
    #expect(try shell("\"$TOOL\" export log.annals > /dev/full", in: runner.folder).status == 4)
    let noGit = try shell("PATH=/nowhere \"$TOOL\" git new.annals .", in: runner.folder)
    #expect(noGit.status == 4 && noGit.talk.contains("git was not found"))
    #expect(!FileManager.default.fileExists(atPath: runner.path("new.annals")))
  }

  @Test func `a log that a process opens twice loses nothing when another process closes it`() throws {
    let runner = try ToolRunner()
    let store = try SQLiteEventStore(path: runner.log)
    let event = NewEvent(type: "T", payload: "1")
    try store.append(Append([event], to: "s"))
    // What opens the file beside SQLite, and closes it, would end the locks of the store above.
    do { _ = try SQLiteEventStore(readingFrom: runner.log).head() }
    do { _ = try SQLiteEventStore(path: runner.log).head() }
    _ = try runner.file("in.jsonl", line(1, "T", "2") + "\n")
    #expect(try shell("\"$TOOL\" import log.annals in.jsonl", in: runner.folder).status == 0)
    try store.append(Append([event], to: "s"))
    let events = try shell("\"$TOOL\" events log.annals", in: runner.folder)
    #expect(events.output.split(separator: "\n").count == 3)
  }
}

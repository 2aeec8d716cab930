import Annals
import AnnalsRemote
import AnnalsTesting
import Foundation
import Testing
@testable import AnnalsReplay

/// `migrate` and `doctor` with a server that has some migrations and findings.
@Suite struct MaintenanceTests {
  /// A server whose results are fixed.
  private struct Server: RemoteMaintenance {
    var steps: [LogMigration.Step] = []
    var script: String?
    var results: [LogFinding] = []

    func migration() async throws -> LogMigration { LogMigration(format: 3, newFormat: 5, steps: steps) }
    func migrationScript() async throws -> String? { script }
    func migrate() async throws -> LogMigration {
      LogMigration(format: steps.isEmpty ? 5 : 3, newFormat: 5, steps: steps)
    }
    func findings() async throws -> [LogFinding] { results }
  }

  private struct Closed: Error {}

  /// Runs the tool on a separate thread, because it waits for asynchronous calls.
  private func run(_ server: Server?, _ words: String...) async throws -> ToolRunner.Answer {
    nonisolated(unsafe) let tool = try ToolRunner()
    let maintenance = server.map { server in { @Sendable (_: String) -> any RemoteMaintenance in server } }
    tool.tool = ReplayTool.annals(
      with: ReplayRemote(schemes: ["far"], maintenance: maintenance) { _ in throw Closed() })
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: tool.run(words)) }
    }
  }

  /// Checks that every line of an output matches the subcommand's schema.
  private func check(_ name: String, _ output: String) throws {
    let schema = try ToolRunner().run("help", "schema", name, "--json")
    let validator = SchemaValidator(try ExactJSON.read(schema.output))
    for line in output.split(separator: "\n") {
      let problems = validator.verdict(try ExactJSON.read(String(line)), isStrict: true).problems
      #expect(problems.isEmpty, "\(problems) \(line)")
    }
  }

  private let old = Server(
    steps: [.init(format: 4, summary: "add a table"), .init(format: 5, summary: "add a \u{1B}[2Jview")],
    script: "BEGIN;\n\nCOMMIT;\n")

  @Test func `A migration prints its steps, and a log in the tool's format is reported`() async throws {
    let dry = try await run(old, "migrate", "far://shop", "--dry-run")
    #expect(dry.status == 0 && dry.output.hasPrefix("format 4  add a table\nformat 5  add a "), "\(dry)")
    #expect(!dry.output.contains("\u{1B}"))
    #expect(dry.talk == "the log would be migrated from format 3 to format 5, but it wasn't changed\n")
    let done = try await run(old, "migrate", "far://shop")
    #expect(done.output == dry.output && done.talk == "the log was migrated from format 3 to format 5\n", "\(done)")
    let script = try await run(old, "migrate", "far://shop", "--sql")
    #expect(script.status == 0 && script.output == old.script && script.talk == "", "\(script)")
    let none = try await run(Server(), "migrate", "far://shop")
    #expect(none.status == 0 && none.output == "" && none.talk.hasPrefix("the log already has"), "\(none)")
    for (server, more) in [(old, "--dry-run"), (old, "--sql"), (Server(), "--dry-run"), (Server(), "--sql")] {
      let answer = try await run(server, "migrate", "far://shop", more, "--json")
      #expect(answer.status == 0 && answer.lines.count == 1, "\(answer)")
      try check("migrate", answer.output)
    }
  }

  @Test func `A diagnosis prints a line per finding, and fails only if there is a problem`() async throws {
    let good = LogFinding("lock", .healthy, "no session holds a lock")
    let part = LogFinding("snapshots", .incomplete(remedy: "Grant it"), "sessions are hidden")
    let bad = LogFinding("slots", .problem(remedy: "Drop it"), "the slot \u{1B}[2Jx is idle")
    for (findings, status, talk) in [
      ([good], 0, "1 check, all is as it must be\n"),
      ([good, part], 0, "2 checks, no problem found, but 1 incomplete\n"), ([bad, part], 1, "2 checks, 1 problem\n"),
    ] as [([LogFinding], Int32, String)] {
      let answer = try await run(Server(results: findings), "doctor", "far://shop")
      #expect(answer.status == status && answer.talk == talk && answer.lines.count == findings.count, "\(answer)")
      #expect(!answer.output.contains("\u{1B}"))
      let json = try await run(Server(results: findings), "doctor", "far://shop", "--json")
      #expect(json.status == status && json.lines.count == findings.count, "\(json)")
      try check("doctor", json.output)
    }
    let lines = try await run(Server(results: [good, part]), "doctor", "far://shop").lines
    #expect(lines[0] == "ok          lock       no session holds a lock")
    #expect(lines[1] == "incomplete  snapshots  sessions are hidden. Grant it")
  }

  @Test func `A file, another URL and a store without maintenance are usage errors`() async throws {
    for name in ["migrate", "doctor"] {
      let file = try await run(old, name, "shop.annals")
      #expect(file.status == 2 && file.talk.contains("expected a URL such as postgresql://"), "\(file)")
      let keywords = try await run(old, name, "host=db password = 'hidden words' dbname=shop")
      #expect(keywords.talk.contains("host=db password = … dbname=shop"), "\(keywords)")
      let other = try await run(old, name, "mysql://shop")
      #expect(other.status == 2 && other.talk.contains("can't open mysql:// URLs"), "\(other)")
      let none = try await run(nil, name, "far://shop")
      #expect(none.status == 2 && none.talk.contains("no migrations and no checks"), "\(none)")
    }
  }
}

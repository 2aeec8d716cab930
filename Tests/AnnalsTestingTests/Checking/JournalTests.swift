import Dispatch
import Foundation
import Testing

@testable import AnnalsTesting

/// The mistake that the checks below have, in the other processes of these tests.
private let mistake = ProcessInfo.processInfo.environment["JOURNAL_MISTAKE"]

/// A stack that traps if it removes a value from three.
private final class Stack: @unchecked Sendable {
  private var values: [Int] = []

  func push(_ value: Int) { values.append(value) }

  func pop() {
    if mistake == "trap" { precondition(values.count != 3, "three values are stuck") }
    _ = values.popLast()
  }
}

private struct StackMachine: Machine {
  func start() -> (model: Int, system: Stack) { (0, Stack()) }

  var commands: [Command<Int, Stack>] {
    Command("push(_:)") { _ in
      .int(in: 0...9)
    } model: { count, _ in
      count += 1
    } run: { stack, value in
      stack.push(value)
    }
    Command("pop()") { (count: inout Int) in
      count = max(0, count - 1)
    } run: { (stack: Stack) in
      stack.pop()
    }
  }
}

/// Cases that end their process or that don't end. Each test of the first suite runs a check of the second suite in
/// other processes, one after the other.
#if os(Linux)
  @Suite struct JournalTests {
    /// Runs a check in another process, and returns its output.
    private func run(
      _ name: String, _ mistake: String, in folder: URL, _ more: [String: String] = [:]
    ) throws -> String {
      let environment = ["JOURNAL_MISTAKE": mistake, "TMPDIR": folder.path].merging(more) { $1 }
      return try TestProcess("JournalChecks.*\(name)", environment: environment).run()
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try body(folder)
    }

    /// The files that are in the folder of the journals.
    private func journals(in folder: URL) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains("/") }
    }

    @Test func `the run after a trap reports the smallest program, until the trap is gone`() throws {
      try withFolder { folder in
        #expect(try !run("a stack", "trap", in: folder).contains("Test run with 1 test"))
        #expect(try journals(in: folder).count == 1)
        for _ in 1...2 {
          let report = try run("a stack", "trap", in: folder)
          #expect(report.contains("does not hold: the process ended with signal "), "\(report)")
          #if DEBUG
            #expect(report.contains(": Precondition failed: three values are stuck)"), "\(report)")
          #endif
          let pushes = String(repeating: "  try system.push(0)\n", count: 3)
          #expect(report.contains("start().system\n\(pushes)  try system.pop()\nRerun it with "), "\(report)")
          #expect(report.contains("Test run with 1 test"))
        }
        let report = try run("a stack", "none", in: folder)
        #expect(report.contains("Test run with 1 test in 1 suite passed"), "\(report)")
        #expect(try journals(in: folder) == [])
      }
    }

    @Test func `the run after a trap in an asynchronous property reports the smallest value`() throws {
      try withFolder { folder in
        #expect(try !run("an asynchronous", "trap", in: folder).contains("Test run with 1 test"))
        let report = try run("an asynchronous", "trap", in: folder)
        #expect(report.contains("does not hold: the process ended with signal "), "\(report)")
        #expect(report.contains("tries:\n  100\nRerun it with "), "\(report)")
      }
    }

    @Test func `a token reruns a trap in the process of the tests`() throws {
      try withFolder { folder in
        _ = try run("a stack", "trap", in: folder)
        let report = try run("a stack", "trap", in: folder)
        let token = try #require(report.firstMatch(of: /ANNALS_REPLAY=(\S+)/)?.1)
        let rerun = try run("a stack", "trap", in: folder, ["ANNALS_REPLAY": String(token)])
        #expect(!rerun.contains("Test run with 1 test"))
        #if DEBUG
          #expect(rerun.contains("three values are stuck"), "\(rerun)")
        #endif
      }
    }

    @Test func `a check that passes leaves no journal, and skips other checks in the process that serves it`() throws {
      try withFolder { folder in
        #expect(try run("a second check", "none", in: folder).contains("Test run with 1 test in 1 suite passed"))
        #expect(try journals(in: folder) == [])
        _ = try run("a second check", "trap", in: folder)
        let report = try run("a second check", "trap", in: folder)
        #expect(report.contains("tries:\n  7\nRerun it with "), "\(report)")
      }
    }

    @Test func `a case that doesn't end is reported, with the smallest that doesn't`() throws {
      try withFolder { folder in
        let report = try run("waits", "hang", in: folder)
        #expect(report.contains("does not hold: the case doesn't end within 40.0 seconds"), "\(report)")
        #expect(report.contains("tries:\n  3\nRerun it with "), "\(report)")
        #expect(report.contains("because a running case can't be stopped"), "\(report)")
        #expect(!report.contains("Test run with 1 test"), "\(report)")
        let again = try run("waits", "hang", in: folder)
        #expect(again.contains("does not hold: the case doesn't end within 40.0 seconds"), "\(again)")
        #expect(again.contains("tries:\n  3\nRerun it with ") && again.contains("Test run with 1 test"), "\(again)")
      }
    }
  }
#endif

@Suite struct CaseTimeTests {
  @Test func `the environment sets the time of a case, and zero seconds are no limit`() throws {
    let name = PropertyName(file: #fileID, function: #function, line: 1)
    for (text, time) in [("5", Duration.seconds(5)), ("0", nil), ("", nil)] {
      let settings = try CheckSettings(environment: ["ANNALS_CASE_SECONDS": text]).resolved(for: name)
      #expect(settings.caseTime == time)
    }
  }
}

/// Checks that pass, unless the environment requests a mistake.
@Suite struct JournalChecks {
  private let settings = CheckSettings(examples: 100, seed: 1)

  @Test func `a stack`() throws { try check(StackMachine(), settings: settings) }

  @Test func `an asynchronous property`() async throws {
    try await check(.int(in: 0...1_000), settings: settings) { number in
      await Task.yield()
      if mistake == "trap" { precondition(number < 100, "too large") }
    }
  }

  @Test func `a second check`() throws {
    try check(.int(in: 0...1_000), settings: settings) { _ in true }
    try check(.int(in: 0...1_000), settings: settings) { number in
      if mistake == "trap" { precondition(number < 7, "too large") }
    }
  }

  @Test func `waits`() throws {
    // A smaller case has a twentieth of this time, and a full machine may need more than 200 ms to run it.
    let settings = CheckSettings(examples: 20, seed: 1, caseTime: .seconds(40))
    try check(.int(in: 0...7), settings: settings) { number in
      // The signal never arrives.
      if mistake == "hang", number > 2 { DispatchSemaphore(value: 0).wait() }
    }
  }
}

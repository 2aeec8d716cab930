import Annals
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let backup = Subcommand(
    name: "backup", operands: ["LOG", "FILE"],
    summary: "Copy a log into a new file, also while programs write to it, and check the copy.",
    details: [
      "The copy is the log in one state, and one whole file. Never copy the file of an",
      "open log with cp: what was committed last is beside it, in LOG-wal. Exit status:",
      "1 if the check finds damage, or if the log itself lacks its last commits.",
    ],
    options: [
      Option("--yes", "Replace FILE, once the new copy is whole and sound.")
    ],
    examples: ["annals backup shop.annals shop-2026-11-22.annals", "annals backup shop.annals copy.annals --json"],
    output: .init(.object, "What was copied, and what the check of the copy found.", [backupForm.schema]),
    run: { try $0.runBackup() })
}

extension Session {
  fileprivate func runBackup() throws -> ReplayError.Status {
    let (log, file) = (arguments.operands[0], arguments.operands[1])
    let store = try openLog()
    let isThere = Platform.file(file) != nil
    if isThere {
      guard arguments.has("--yes") else {
        throw ReplayError(
          .inputOutput, "\(file): expected no such file, found one; choose another name, or replace it with --yes")
      }
      try checkIsReplaceable(file, log)
    }
    // The old copy is kept until the new one is known to be good.
    let target = isThere ? "\(file).\(UUID().uuidString).new" : file
    let progress = Progress(console)
    defer {
      progress.end()
      if isThere { try? FileManager.default.removeItem(atPath: target) }
    }
    let end = try store.backUp(to: target) { part in
      progress.step(Int(part * 100), of: 100, "percent", doing: "copying")
    }
    let bytes = Platform.file(target)?.size ?? 0
    let report: LogReport
    do {
      report = try check(target, progress)
      // A check that ended early has not found damage.
      if Platform.EndSignal.status != nil { throw Ended() }
    } catch {
      // What was not checked to its end is no copy to rely on.
      if !isThere { try? FileManager.default.removeItem(atPath: target) }
      throw error
    }
    progress.end()
    let isGood = report.isSound
    if isThere, isGood { try Platform.rename(target, to: file) }
    try tell(end, bytes, report, isKept: !isThere || isGood, lacksCommits: store.mayLackCommits)
    return isGood && !store.mayLackCommits ? .done : .negative
  }

  private func check(_ copy: String, _ progress: Progress) throws -> LogReport {
    let store = try SQLiteEventStore(readingFrom: copy)
    // A copy is damaged as its log is, which may not know its end.
    let end = try? store.head().rawValue
    return try store.verify { progress.step($0, of: end, "events", doing: "checking the copy") }
  }

  /// Throws if a file is the log itself, no log, or a log that a program may have open.
  private func checkIsReplaceable(_ file: String, _ log: String) throws {
    func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
    if real(file) == real(log) {
      throw ReplayError(.inputOutput, "\(file): expected another file, found the log itself")
    }
    try LogFile.check(file)
    if let commits = Platform.file(file + "-wal"), commits.size > 0 {
      throw ReplayError(
        .inputOutput, "\(file): a program has it open, or did not end it (\(file)-wal is there); choose another name")
    }
    // Anything but a log is not ours to replace.
    if (Platform.file(file)?.size ?? 0) > 0 { _ = try SQLiteEventStore(readingFrom: file).head() }
  }

  private func tell(
    _ end: Position, _ bytes: Int, _ report: LogReport, isKept: Bool, lacksCommits: Bool
  ) throws {
    if isData {
      try print((end, bytes, report, lacksCommits), as: backupForm)
    } else {
      for problem in report.problems { try print(Text.safe(problem.description)) }
      let found = report.isSound ? "checked" : "and it is damaged as the log is"
      say(
        "the log up to position \(end) copied, \(bytes) bytes, \(found)"
          + (isKept ? "" : "; \(Text.safe(arguments.operands[1])) was left as it was"))
    }
    if lacksCommits {
      say(
        "the log was copied, or moved, without the file of commits beside it (-wal): what was committed last may be "
          + "missing from it, and from the copy")
    }
  }
}

private let backupForm = JSONForm<(position: Position, bytes: Int, report: LogReport, lacksCommits: Bool)>([
  "position": .of { $0.position }, "bytes": .of { $0.bytes }, "verified": .of { _ in true },
  "sound": .of { $0.report.isSound }, "lacksCommits": .of { $0.lacksCommits },
  "problems": .of { $0.report.problems.map(\.description) },
])

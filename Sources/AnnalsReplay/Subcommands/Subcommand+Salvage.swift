import Annals
import AnnalsSQLite

extension Subcommand {
  static let salvage = Subcommand(
    name: "salvage", operands: ["LOG", "FILE"],
    summary: "Copy the sound transactions of a damaged log into a new log.",
    details: [
      "LOG is only read: its file, and LOG-wal if it is there. A transaction is taken as a",
      "whole, or not at all. Identities, times, tags, metadata, payloads and the answers",
      "to commands stay; positions are numbered again if something before them is lost.",
      "End the programs that have it open first. Exit status: 1 if anything is lost.",
    ],
    examples: ["annals salvage shop.annals rescued.annals", "annals salvage shop.annals rescued.annals --json"],
    output: .init(.object, "What was saved of a damaged log, and what was lost.", [salvageForm.schema]),
    run: { try $0.runSalvage() })
}

extension Session {
  fileprivate func runSalvage() throws -> ReplayError.Status {
    let (log, file) = (arguments.operands[0], arguments.operands[1])
    guard let found = Platform.file(log) else { throw Platform.missing(log) }
    guard found.isRegular else { throw ReplayError(.inputOutput, "\(log): expected a file") }
    let progress = Progress(console)
    defer { progress.end() }
    let report = try SQLiteEventStore.salvage(log, to: file) {
      progress.step(Int($0 * 100), of: 100, "percent of the file")
    }
    progress.end()
    if isData {
      try print(report, as: salvageForm)
    } else {
      for loss in report.losses {
        let place = loss.positions.map {
          $0.lowerBound == $0.upperBound ? "\($0.lowerBound)  " : "\($0.lowerBound)…\($0.upperBound)  "
        }
        try print(Text.safe((place ?? "") + loss.reason))
      }
      say(
        "\(Text.counted(report.events, "event")) of \(Text.counted(report.transactions, "transaction")) salvaged"
          + (report.isComplete ? ", nothing is lost" : ", \(report.lostEvents) lost")
          + (report.isRenumbered ? "; positions and versions after what is lost are others now" : ""))
    }
    if !report.isComplete { try tellOfListProblems(file, progress) }
    return report.isComplete ? .done : .negative
  }

  /// Prints from which event on a list can't be shown, because an event before it is lost.
  private func tellOfListProblems(_ file: String, _ progress: Progress) throws {
    let store = try SQLiteEventStore(readingFrom: file)
    let problems = try listProblems(store, types: store.eventTypes(), progress, through: store.head().rawValue)
    progress.end()
    for problem in problems {
      say(
        Text.safe(
          "the list can't be shown from event \(problem.position ?? 0) on: \(problem.message)\n"
            + "`\(tool) show \(file) --without \(problem.position ?? 0)` leaves out the events that can't be applied"))
    }
  }
}

private let salvageForm = JSONForm<SalvageReport>([
  "events": .of(\.events), "transactions": .of(\.transactions), "commands": .of(\.commands),
  "followers": .of(\.followers), "end": .of(\.end), "lost": .of(\.lostEvents), "renumbered": .of(\.isRenumbered),
  "losses": .rows(
    \.losses,
    JSONForm([
      "from": .of(\.positions?.lowerBound), "to": .of(\.positions?.upperBound), "reason": .of(\.reason),
    ])), "drafts": .of(\.drafts),
])

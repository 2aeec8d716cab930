import Annals
import AnnalsSQLite

extension Subcommand {
  static let verify = Subcommand(
    name: "verify", operands: ["LOG"],
    summary: "Check a whole log: the file, every event, and what is derived from them.",
    details: [
      "It runs SQLite's integrity check and looks at every event's checksum, position,",
      "version, transaction, payload and tags; record events must be valid. Nothing is",
      "changed. Exit status: 1 if damage was found.",
    ],
    examples: ["annals verify shop.annals", "annals verify shop.annals --json"],
    run: { try $0.runVerify() })
}

extension Session {
  fileprivate func runVerify() throws -> ReplayError.Status {
    let store = try openLog()
    let progress = Progress(console)
    defer { progress.end() }
    // A damaged log may not know its end.
    let end = try? store.head().rawValue
    let report = try store.verify { progress.step($0, of: end, "events") }
    // A page that is damaged is found by each way that leads to it.
    var seen: Set<String> = []
    var problems = report.problems.filter { seen.insert($0.description).inserted }
    // If the events cannot be read, their lists are not checked.
    if report.isSound { problems += try listProblems(store, progress, through: end) }
    progress.end()
    if isJSON {
      let list = problems.map { problem in
        "{\"position\":\(problem.position.map { "\($0)" } ?? "null"),\"message\":\(JSONValue.quoted(problem.message))}"
      }
      try printJSON(
        "{\"events\":\(report.events),\"sound\":\(problems.isEmpty),\"problems\":[\(list.joined(separator: ","))]}")
    } else {
      for problem in problems { try print(Text.safe(problem.description)) }
      let count = (report.problems.count == 100 ? "at least " : "") + Text.counted(problems.count, "problem")
      let advice =
        report.isSound
        ? "the file is sound, but a list cannot fold what is in it"
        : "restore the log from a copy, or let \(tool) salvage copy what is sound"
      say(
        problems.isEmpty
          ? "\(Text.counted(report.events, "event")) checked, all is as it must be"
          : "\(Text.counted(report.events, "event")) checked, \(count) found; \(advice)")
    }
    return problems.isEmpty ? .done : .negative
  }

  /// For each list that the log is for: the first event that it cannot fold.
  private func listProblems(
    _ store: SQLiteEventStore, _ progress: Progress, through end: Int?
  ) throws -> [LogReport.Problem] {
    let types = try store.eventTypes()
    return try catalog.lists.filter { !$0.isSample && $0.isMeant(forTypes: types) }.compactMap { source in
      let found = try source.problem(in: store) { position in
        progress.step(position.rawValue, of: end, "events", doing: "the list \(Text.safe(source.name))")
      }
      return found.map { LogReport.Problem(position: $0.position, message: $0.message) }
    }
  }
}

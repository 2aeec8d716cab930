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
    let report = try store.verify { events in progress.say("\(Text.counted(events, "event")) checked") }
    var problems = report.problems
    // If the events cannot be read, their records are not checked.
    if report.isSound, let problem = try recordProblem(store, progress) { problems.append(problem) }
    progress.end()
    if isJSON {
      let list = problems.map { problem in
        "{\"position\":\(problem.position.map { "\($0)" } ?? "null"),\"message\":\(JSONValue.quoted(problem.message))}"
      }
      try printJSON(
        "{\"events\":\(report.events),\"sound\":\(problems.isEmpty),\"problems\":[\(list.joined(separator: ","))]}")
    } else {
      for problem in problems { try print(Text.safe(problem.description)) }
      let count = problems.count == 100 ? "100 problems and perhaps more" : Text.counted(problems.count, "problem")
      say(
        problems.isEmpty
          ? "\(Text.counted(report.events, "event")) checked, all is as it must be"
          : "\(Text.counted(report.events, "event")) checked, \(count) found; restore the log from a copy")
    }
    return problems.isEmpty ? .done : .negative
  }

  /// The first event that the record domain cannot fold.
  private func recordProblem(_ store: SQLiteEventStore, _ progress: Progress) throws -> LogReport.Problem? {
    try store.read { try recordProblem(in: $0, progress) }
  }

  private func recordProblem(in log: any EventLog, _ progress: Progress) throws -> LogReport.Problem? {
    var records = RecordCollections()
    var found: LogReport.Problem?
    try log.forEachEvent(RecordEvent.query) { event in
      guard found == nil else { return }
      do {
        try records.apply(type: event.type, payload: event.payload)
      } catch {
        found = LogReport.Problem(position: event.position, message: "is no valid record event: \(error)")
      }
      progress.say("the records up to event \(event.position) checked")
    }
    return found
  }
}

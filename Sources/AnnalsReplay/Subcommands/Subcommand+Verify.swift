import Annals
import AnnalsLog
import AnnalsSQLite

extension Subcommand {
  static let verify = Subcommand(
    name: "verify", operands: ["LOG"],
    summary: "Check a whole log: the file, every event, and what is derived from them.",
    details: [
      "It runs SQLite's integrity check and looks at every event's checksum, position,",
      "version, transaction, payload and tags; record events must be valid. Nothing is",
      "changed. Exit status: 1 if damage was found. Of a log in a server, named by its",
      "URL, all events are read and compared: positions, transactions, versions, payloads.",
      "An app's own tool also folds the kept states of its deciders again (ReplayCommands),",
      "and finds those that the deciders of today would not make.",
    ],
    examples: ["annals verify shop.annals", "annals verify shop.annals --json"],
    output: .init(.object, "What was found.", [verifyForm.schema]),
    run: { try $0.runVerify() })
}

extension Session {
  fileprivate func runVerify() throws -> ReplayError.Status {
    let progress = Progress(console)
    defer { progress.end() }
    if let server = try serverLog() {
      var check = ServerVerification(server)
      try check.run { progress.step($0, of: $1, "events") }
      return try say(check.events, check.problems, check.times, isWhole: check.problems.isEmpty) {
        try listProblems(server, types: check.types.sorted(), progress, through: check.events)
      }
    }
    let store = try openLog()
    // A damaged log may not know its end.
    let end = try? store.head().rawValue
    // Reading and decoding all events takes most of the time, so the lists and the times are checked in the same pass.
    // The types of a damaged log can be unreadable, and then the lists aren't checked.
    let lists = Result { try listChecks(types: store.eventTypes()) }
    var checks = (try? lists.get()) ?? []
    var times = TimeOutliers(now: console.now().microseconds)
    let report = try store.verify {
      progress.step($0, of: end, "events")
    } visit: { batch in
      for index in 0..<batch.count { times.add(batch.stamp(at: index)) }
      for index in checks.indices { try checks[index].apply(batch) }
    }
    times.end()
    // A page that is damaged is found by each way that leads to it.
    var seen: Set<String> = []
    let problems = report.problems.filter { seen.insert($0.description).inserted }
    return try say(
      report.events, problems, report.isSound ? times : nil, isWhole: report.isSound,
      isFull: report.problems.count == 100
    ) {
      _ = try lists.get()
      return checks.compactMap(\.problem).map { LogReport.Problem(position: $0.position, message: $0.message) }
    } states: {
      try stateProblems(store)
    }
  }

  /// The checks of all lists that are meant for a log's events.
  private func listChecks(types: [String]) throws -> [any ListCheck] {
    try catalog.lists.filter { !$0.isSample && $0.isMeant(forTypes: types) }.map { try $0.check() }
  }

  /// Says what was found; if the events cannot be read, their lists are not checked.
  private func say(
    _ events: Int, _ found: [LogReport.Problem], _ wrongTimes: TimeOutliers?, isWhole: Bool, isFull: Bool = false,
    lists: () throws -> [LogReport.Problem], states: () throws -> [LogReport.Problem] = { [] }
  ) throws -> ReplayError.Status {
    let lost = isWhole ? try lists() : []
    let problems = found + lost + (isWhole ? try states() : [])
    console.statusLine.clear()
    if isData {
      try print((events, problems, wrongTimes), as: verifyForm)
    } else {
      for problem in problems { try print(Text.safe(problem.description)) }
      for message in wrongTimes?.messages(tool: tool, times) ?? [] { say(message) }
      let count = (isFull ? "at least " : "") + Text.counted(problems.count, "problem")
      let isFar = RemoteLog.scheme(of: arguments.operands[0]) != nil
      let advice =
        isWhole
        ? "the \(isFar ? "log" : "file") is sound, but "
          + (lost.isEmpty
            ? "kept states of deciders are not what their events make" : "a list cannot fold what is in it")
        : isFar
          ? "restore the server's log from a backup"
          : "restore the log from a copy, or let \(tool) salvage copy what is sound"
      say(
        problems.isEmpty
          ? "\(Text.counted(events, "event")) checked, all is as it must be"
          : "\(Text.counted(events, "event")) checked, \(count) found; \(advice)")
    }
    return problems.isEmpty ? .done : .negative
  }

  /// The kept states of the tool's deciders that the events don't make.
  private func stateProblems(_ store: SQLiteEventStore) throws -> [LogReport.Problem] {
    if catalog.deciders.isEmpty { return [] }
    let kept = try store.keptStates()
    return try catalog.deciders.flatMap { try $0.staleStates(among: kept, in: store) }
      .map { LogReport.Problem(position: $0.position, message: $0.message) }
  }

  /// Returns the first event that a list of the log can't fold, for every list.
  func listProblems(
    _ store: some EventStore, types: [String], _ progress: Progress, through end: Int?
  ) throws -> [LogReport.Problem] {
    try catalog.lists.filter { !$0.isSample && $0.isMeant(forTypes: types) }.compactMap { source in
      let found = try source.problem(in: store) { position in
        progress.step(position.rawValue, of: end, "events", doing: "the list \(Text.safe(source.name))")
      }
      return found.map { LogReport.Problem(position: $0.position, message: $0.message) }
    }
  }
}

private let verifyForm = JSONForm<(events: Int, problems: [LogReport.Problem], wrongTimes: TimeOutliers?)>([
  "events": .of { $0.events }, "sound": .of { $0.problems.isEmpty },
  "problems": .rows({ $0.problems }, JSONForm(["position": .of(\.position), "message": .of(\.message)])),
  "wrongTimes": .some { $0.wrongTimes.flatMap { $0.count > 0 ? $0 : nil } },
])

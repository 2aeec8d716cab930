import Annals
import AnnalsLog
import AnnalsSQLite

extension Subcommand {
  static let event = Subcommand(
    name: "event", operands: ["LOG", "PLACE"],
    summary: "Print all that the log says of one event, and what it changed in the list.",
    details: ["PLACE is \(Place.forms)."],
    options: [Option("--no-list", "Leave out what it changed in the list.")] + list,
    examples: ["annals event shop.annals 21", "annals event shop.annals cmd:reprice-b3 --json"],
    run: { try $0.runEvent() })

  static let commands = Subcommand(
    name: "commands", operands: ["LOG"],
    summary: "List the commands that were executed under an id, and what they appended.",
    details: ["Exit status: 1 if there are none."],
    options: [
      Option("--since", "TIME", "Only commands after a time, such as '2 hours ago'."),
      Option("--until", "TIME", "Only commands up to a time."),
      Option("--id", "PATTERN", repeats: true, "Only commands with an id; * and ? are patterns, !ID leaves it out."),
      Option("--limit", short: "-n", "N", "Print N commands at most."), Option("--reverse", "Print the newest first."),
      times,
    ] + formats,
    examples: [
      "annals commands shop.annals --limit 20 --reverse", "annals commands shop.annals --id 'import-*' --json",
    ],
    run: { try $0.runCommands() })
}

extension Session {
  fileprivate func runEvent() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let position = try place(arguments.operands[1], of: "PLACE", in: log, isState: false)
    guard position > 0 else {
      throw ReplayError.usage("PLACE: expected the place of an event, from 1, found \(arguments.operands[1])")
    }
    guard let stored = try log.event(exactlyAt: position) else {
      throw ReplayError(.negative, "the event \(position) was cut by a compaction")
    }
    var event = EventCause(stored)
    event.command = try CommandNames(log.store).command(of: event)
    let (first, last) = (try log.startOfTransaction(of: stored), try log.endOfTransaction(of: stored))
    let around = try neighbours(of: stored, in: log)
    let sources = arguments.has("--no-list") ? [] : try sources(showing: position, in: log)
    let page = EventPage(
      stored: stored, cause: event, transaction: first...last,
      label: CloudEvent.ownLabel(of: stored).map { $0.string ?? $0.text }, previous: around.previous,
      next: around.next)
    if isJSON {
      let line = CloudEvent.line(stored, transaction: try EventPrinter(self, log).label(of: stored))
      var changes: [(list: String, batch: ListBatch)] = []
      try forEachChange(by: position, in: sources, log) { changes.append(($0, $1)) }
      try printJSON(page.json(line: line, changes))
      return .done
    }
    for line in page.lines(self) { try print(line) }
    // A list may have to be folded from the beginning; the event can be read meanwhile.
    if !sources.isEmpty { try output.flush() }
    try forEachChange(by: position, in: sources, log) { list, batch in
      for line in EventPage.lines(list, batch, self) { try print(line) }
    }
    return .done
  }

  private func neighbours(
    of event: StoredEvent, in log: LogExtent
  ) throws -> (previous: StoredEvent?, next: StoredEvent?) {
    let query = EventQuery.stream(event.stream)
    let previous =
      event.version > 1
      ? try log.store.eventsBackwards(query, after: 0, through: event.position.before, limit: 1).first : nil
    return (previous, try log.store.events(query, after: event.position, through: nil, limit: 1).first)
  }

  /// The lists that the log is for, if they can show what an event did.
  private func sources(showing position: Position, in log: LogExtent) throws -> [any ListSource] {
    let options = try listOptions()
    guard log.compacted.shows(position), log.compacted.shows(position.before) else { return [] }
    return options.list == nil
      ? catalog.lists(forTypes: try log.types()) : [try source(options, in: log)].compactMap { $0 }
  }

  /// Calls a closure with what an event changed in each of some lists.
  private func forEachChange(
    by position: Position, in sources: [any ListSource], _ log: LogExtent,
    _ body: (_ list: String, _ batch: ListBatch) throws -> Void
  ) throws {
    let options = try listOptions()
    for source in sources {
      do {
        let reader = try open(source, options, log, through: position)
        try reader.move(to: position.before)
        let batch = try reader.go(to: position)
        try body(reader.name, batch)
      } catch let error as ReplayError where error.status == .unreadable && options.list == nil {
        // Another list may still be shown.
        say(Text.safe("\(source.name): \(error.message)"))
      }
    }
  }

  fileprivate func runCommands() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    guard let store = log.store as? SQLiteEventStore else {
      throw ReplayError(.negative, "the log's store does not list its commands")
    }
    let window = try window(in: log)
    let wanted = arguments.all("--id").filter { !$0.hasPrefix("!") }.map { Glob($0) }
    let unwanted = arguments.all("--id").filter { $0.hasPrefix("!") }.map { Glob(String($0.dropFirst())) }
    var found: [CommandRecord] = []
    try store.forEachCommandReceipt { command in
      if !(try isIn(window.times, command, of: store)) { return true }
      if window.times.after == nil, command.position < window.from { return true }
      if window.times.through == nil, command.position > window.to { return true }
      if unwanted.contains(where: { $0.matches(command.id) }) { return true }
      if wanted.isEmpty || wanted.contains(where: { $0.matches(command.id) }) { found.append(command) }
      return true
    }
    // Of two commands at one position, one appended nothing.
    found.sort { ($0.position, $0.time, $0.id) < ($1.position, $1.time, $1.id) }
    if arguments.has("--reverse") { found.reverse() }
    if let limit = try arguments.number("--limit") { found = Array(found.prefix(limit)) }
    if format == .text || format == .json && chosenFields.isEmpty {
      for command in found { try print(command, in: log) }
    } else {
      let columns = [
        TableColumn("id"), TableColumn("time"), TableColumn("position", .right), TableColumn("count", .right),
        TableColumn("transaction", .right),
      ]
      try table(columns) { table in
        for command in found {
          try table.row([
            .json(.string(command.id)), times.cell(command.time.microseconds),
            .number(command.position.rawValue), .number(command.count),
            command.transaction.map { .number($0) } ?? .none,
          ])
        }
      }
    }
    return found.isEmpty ? .negative : .done
  }

  /// True if the time of a command's last event, or of a command without events, is in a window of times.
  private func isIn(_ times: TimeWindow, _ command: CommandRecord, of store: SQLiteEventStore) throws -> Bool {
    if times.isEverything { return true }
    let last = command.events?.upperBound.rawValue
    let stamp = try last.flatMap { try store.stamps(after: $0 - 1, through: $0, limit: 1).first }
    return times.contains(stamp?.time ?? command.time.microseconds)
  }

  private func print(_ command: CommandRecord, in log: LogExtent) throws {
    let events =
      try command.events.map {
        try log.store.events(
          .all, after: $0.lowerBound.before, through: $0.upperBound, limit: min(command.count, 1_000))
      } ?? []
    let time = command.time.microseconds
    if format == .json {
      let types = events.map { JSONValue.quoted($0.type) }.joined(separator: ",")
      return try printJSON(
        "{\"id\":\(JSONValue.quoted(command.id)),\"time\":\(JSONLines.time(time)),\"position\":\(command.position),"
          + "\"count\":\(command.count),\"transaction\":\(command.transaction.map { "\($0)" } ?? "null"),"
          + "\"actor\":\(events.first?.metadata.author.map { JSONValue.quoted($0) } ?? "null"),\"types\":[\(types)]}")
    }
    let range = command.events.map { command.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)…\($0.upperBound)" }
    var parts = [range ?? "–"]
    parts += times.column(time) + [command.id]
    parts += TextLines.counts(of: events.map(\.type))
    if command.count == 0 { parts.append("appended nothing") }
    if let actor = events.first?.metadata.author { parts.append(actor) }
    try print(Text.cut(Text.safe(parts.joined(separator: "  ")), to: console.columns))
  }
}

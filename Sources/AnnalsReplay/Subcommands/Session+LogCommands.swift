import Annals
import AnnalsLog

extension Session {
  /// Prints all data of one event, and its changes in the lists.
  func printEvent(at position: Position, in log: LogExtent) throws -> ReplayError.Status {
    guard position > 0 else { throw ReplayError.usage("PLACE: expected an event's position from 1, found 0") }
    guard let found = try log.event(exactlyAt: position) else {
      throw ReplayError(.negative, "the event \(position) was removed by a compaction")
    }
    let redaction = try redaction()
    let stored = redaction.isEmpty ? found : redaction.apply(to: found)
    var event = catalog.cause(stored)
    event.command = try CommandNames(log.store).command(of: EventCause(found))
    let around = try neighbours(of: found, in: log)
    // A list's rows are not redacted.
    let sources = redaction.isEmpty ? try sources(showing: position, in: log) : []
    // The name of a missing list is an error before anything is printed.
    let chosen = try arguments.has("--list") ? sources.first?.open(log.store, listOptions(), through: position) : nil
    let page = EventPage(
      stored: stored, cause: event, transaction: try log.store.index.transaction(of: found),
      label: CloudEvent.ownLabel(of: stored).map { $0.string ?? $0.text }, previous: around.previous,
      next: around.next)
    if isData {
      let line = CloudEvent.line(stored, transaction: try EventPrinter(self, log).label(of: found))
      var changes: [(list: String, batch: BatchOutput)] = []
      try forEachChange(by: position, in: sources, chosen, log) { changes.append(($0, BatchOutput($1))) }
      try print((page, CloudEventLine(text: line), changes), as: eventForm)
      return .done
    }
    for line in page.lines(self) { try print(line) }
    // A list may have to be folded from the beginning; the event can be read meanwhile.
    if !sources.isEmpty { try output.flush() }
    try forEachChange(by: position, in: sources, chosen, log) { list, batch in
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
  ///
  /// If `--list` chose a list, it is already open.
  private func forEachChange(
    by position: Position, in sources: [any ListSource], _ chosen: (any ListReader)?, _ log: LogExtent,
    _ body: (_ list: String, _ batch: ListBatch) throws -> Void
  ) throws {
    var options = try listOptions()
    options.index = .made
    for source in sources {
      do {
        let indexed = try indexedList(source, options, log, through: position)
        let reader = try indexed ?? chosen ?? source.open(log.store, options, through: position)
        try reader.move(to: position.before)
        let batch = try reader.go(to: position)
        try body(reader.name, batch)
      } catch let error as ReplayError where error.status == .unreadable && options.list == nil {
        // Another list may still be shown.
        say(Text.safe("\(source.name): \(error.message)"))
      }
    }
  }

  /// Prints the commands of a range with an id that the choice includes.
  func printCommands(
    _ range: PlaceRange?, _ choice: EventChoice, _ limit: EventLimit?, in log: LogExtent
  ) throws -> ReplayError.Status {
    guard let commands = try log.store.index.commands() else {
      throw ReplayError(.negative, "the log's store does not list its commands")
    }
    if let key = EventChoice.keys.first(where: { $0 != "command" && !choice.values(of: $0).isEmpty }) {
      throw ReplayError.usage("--commands: expected command:PATTERN, found \(key):")
    }
    if !choice.condition.isEmpty {
      throw ReplayError.usage("--commands: expected command:PATTERN, found \"\(choice.condition)\"")
    }
    let (from, to) = try events(of: range, in: log)
    let (excluded, included) = choice.values(of: "command").partitioned { $0.hasPrefix("!") }
    let (unwanted, wanted) = (excluded.map { Glob(String($0.dropFirst())) }, included.map { Glob($0) })
    let names = commands.map(\.id)
    var found = commands.filter { command in
      if command.position < from && range?.from != nil || command.position > to { return false }
      if unwanted.contains(where: { $0.matches(command.id) }) { return false }
      return wanted.isEmpty || wanted.contains { $0.matches(command.id) }
    }
    if names.isEmpty {
      say("no command of the log has an id. An app passes an id to execute(_:on:commandID:), and do takes --command-id")
      return .negative
    }
    for glob in wanted where !names.contains(where: { glob.matches($0) }) {
      let nearest = Nearest.name(to: glob.text, among: names).map { "; did you mean \($0)?" } ?? ""
      throw ReplayError.usage("no command of the log has the id \(Text.name(glob.text))\(nearest)")
    }
    if found.isEmpty { say("no command from \(from) to \(to) is in the choice") }
    // Of two commands at one position, one appended nothing.
    found.sort { ($0.position, $0.time, $0.id) < ($1.position, $1.time, $1.id) }
    if let limit {
      found = Array(limit.isLast ? found.suffix(limit.count) : found.prefix(limit.count))
    }
    for command in found { try print(command, in: log) }
    return found.isEmpty ? .negative : .done
  }

  private func print(_ command: CommandRecord, in log: LogExtent) throws {
    let events =
      try command.events.map {
        try log.store.events(
          .all, after: $0.lowerBound.before, through: $0.upperBound, limit: min(command.count, 1_000))
      } ?? []
    let time = command.time.microseconds
    if isData { return try print((command, events), as: commandForm) }
    let range = command.events.map { command.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)…\($0.upperBound)" }
    var parts = [range ?? "–"]
    parts += times.column(time) + [command.id]
    parts += events.map(catalog.cause).headline
    if command.count == 0 { parts.append("appended nothing") }
    if let actor = events.first?.metadata.author { parts.append(actor) }
    try print(Text.cut(Text.safe(parts.joined(separator: "  ")), to: console.columns))
  }
}

/// A command with an id, and the first thousand of its events.
let commandForm = JSONForm<(command: CommandRecord, events: [StoredEvent])>([
  "id": .of { $0.command.id }, "time": .of { $0.command.time },
  "position": .of({ $0.command.position }, "The last position of the command's events."),
  "count": .of { $0.command.count }, "transaction": .of { $0.command.transaction },
  "actor": .of { $0.events.first?.metadata.author },
  "types": .of({ $0.events.map(\.type) }, "The types of its events, in order; the first thousand of more."),
])

extension Array {
  /// The elements that meet a condition, and the others.
  fileprivate func partitioned(_ holds: (Element) -> Bool) -> (those: [Element], others: [Element]) {
    (filter(holds), filter { !holds($0) })
  }
}

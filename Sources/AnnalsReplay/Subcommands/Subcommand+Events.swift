import Annals
import AnnalsLog
import AnnalsSQLite

extension Subcommand {
  static let events = Subcommand(
    name: "events", operands: ["LOG"],
    summary: "List events; with --json, as export prints them.",
    details: [
      "Events are shown as they are stored, with the schema where it is not 1, with",
      "their author and their correlation. Nothing found is exit status 1.",
    ],
    options: [
      Option("--from", "PLACE", "The first position, from 1."), Option("--to", "PLACE", "The last position."),
      Option("--since", "TIME", "Only events with a later time, such as '2 hours ago'."),
      Option("--until", "TIME", "Only events whose time is not later."),
    ] + EventFilter.options + [
      Option("--limit", short: "-n", "N", "Print N events at most."),
      Option("--tail", "N", "Print the last N events only, in order."),
      Option("--reverse", "Print the newest first."),
      Option("--meta", "Print all metadata and tags too, a line for each."),
      Option("--follow", "Go on with what is appended, also by other processes, until it is ended."),
      times,
    ] + formats,
    examples: [
      "annals events shop.annals --from 10 --to 20", "annals events shop.annals --type RecordDeleted --json",
      "annals events shop.annals --since '1 hour ago' --author ann --grep 'price'",
    ],
    run: { try $0.runEvents() })
}

extension Session {
  fileprivate func runEvents() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    var filter = try EventFilter(self, log)
    var from = try place("--from", in: log, isState: false) ?? 1
    var to = try place("--to", in: log, isState: false) ?? log.end
    if arguments.has("--from"), arguments.has("--to"), from > to {
      throw ReplayError.usage("--from \(from) is after --to \(to)")
    }
    let window = try window(in: log)
    filter.times = window.times
    (from, to) = (max(from, window.from), min(to, window.to))
    for (one, other) in [
      ("--reverse", "--follow"), ("--reverse", "--tail"), ("--limit", "--follow"), ("--limit", "--tail"),
    ]
    where arguments.has(one) && arguments.has(other) {
      throw ReplayError.usage("\(one) and \(other) cannot be given together")
    }
    var result = ReplayError.Status.done
    guard format != .text, format != .json || !chosenFields.isEmpty else {
      return try searchEvents(log, filter, from, to, EventPrinter(self, log))
    }
    try table(EventPrinter.columns) { table in
      result = try searchEvents(log, filter, from, to, EventPrinter(self, log, table))
    }
    return result
  }

  private func searchEvents(
    _ log: LogExtent, _ filter: EventFilter, _ from: Position, _ to: Position, _ printer: EventPrinter
  ) throws -> ReplayError.Status {
    var search = EventSearch(log, filter, after: from.before, through: to)
    let progress = Progress(console)
    defer { progress.end() }
    search.said = { position in
      if !console.outputIsTerminal { progress.step(position.rawValue, of: to.rawValue, "events") }
    }
    if arguments.has("--reverse") {
      try search.backwards(limit: try arguments.number("--limit")) { try printer.print($0) }
    } else if let count = try arguments.number("--tail") {
      var found: [StoredEvent] = []
      try search.backwards(limit: count) { found.append($0) }
      for event in found.reversed() { try printer.print(event) }
    } else {
      try search.forwards(limit: try arguments.number("--limit"), self) { try printer.print($0) }
    }
    progress.end()
    guard arguments.has("--follow") else {
      if printer.count > 0 { return .done }
      say(Text.safe(try Self.nothing(filter.unknown(in: log), from, to)))
      return .negative
    }
    var filter = filter
    let commands = CommandNames(log.store)
    return try followEvents(after: log.end, in: log.store) { events, _ in
      for event in events where try filter.passes(event, commands) { try printer.print(event) }
    }
  }
}

extension Session {
  /// Why no event was printed.
  private static func nothing(_ unknown: String?, _ from: Position, _ to: Position) -> String {
    if let unknown { return unknown }
    return from > to ? "there is no event after that" : "no event from \(from) to \(to) is such a one"
  }
}

/// Prints events, each in a line.
final class EventPrinter {
  private let session: Session
  private let log: LogExtent
  private let lines: TextLines
  /// Takes the events as rows, if they are printed as a table.
  private let table: TableWriter?
  /// The label of the last transaction that was looked up.
  private var label: (transaction: Int, text: String)?
  /// How many events were printed.
  private(set) var count = 0

  /// The columns of events as a table.
  static let columns = [
    TableColumn("position", .right), TableColumn("time"), TableColumn("stream"), TableColumn("version", .right),
    TableColumn("type"), TableColumn("author"), TableColumn("correlation"), TableColumn("causation"),
    TableColumn("id"), TableColumn("source"), TableColumn("schema", .right), TableColumn("data"),
  ]

  init(_ session: Session, _ log: LogExtent, _ table: TableWriter? = nil) {
    self.session = session
    self.log = log
    self.table = table
    lines = TextLines(session.console, session.times)
  }

  func print(_ event: StoredEvent) throws {
    count += 1
    if let table { return try table.row(cells(of: event)) }
    if session.format == .json { return try session.printJSON(CloudEvent.line(event, transaction: label(of: event))) }
    try session.print(lines.event(event))
    guard session.arguments.has("--meta") else { return }
    for line in EventPage.metadata(of: event) { try session.print(line) }
  }

  private func cells(of event: StoredEvent) -> [TableCell] {
    func text(_ text: String?) -> TableCell { text.map { .json(.string($0)) } ?? .none }
    return [
      .number(event.position.rawValue), session.times.cell(event.time.microseconds), text(event.stream.text),
      .number(event.version), text(event.type), text(event.metadata.author), text(event.metadata.correlation),
      text(event.metadata.causation), text(event.id.id), text(event.id.source), .number(event.schema),
      event.payload.flatMap { try? JSONValue(parsing: $0) }.map { .json($0) } ?? .none,
    ]
  }

  /// The label of an event's transaction, as an export writes it.
  func label(of event: StoredEvent) throws -> String {
    if CloudEvent.ownLabel(of: event) != nil { return "" }
    if let label, label.transaction == event.transaction { return label.text }
    // Labels depend on the transaction before, which may have the same.
    var labels = TransactionLabels()
    var text = ""
    let start = try log.startOfTransaction(at: event.position)
    let before = start > 1 ? try log.startOfTransaction(at: start.before) : start
    try log.store.forEachEvent(after: before.before, through: event.position) { text = labels.label(of: $0) }
    label = (event.transaction, text)
    return text
  }
}

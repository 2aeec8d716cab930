import Annals
import AnnalsLog
import AnnalsSQLite

extension Subcommand {
  static let log = Subcommand(
    name: "log", operands: ["LOG"], rest: "[PLACE|A..B] [CHOICE]",
    summary: "List events, print one event, its tree or the commands, or export.",
    details: [
      "A position, last or id:EVENT prints one event with all its data and its changes",
      "in the list. -N is the last N events, and any other place is the beginning of a",
      "range. With --json, every event is a line in the CloudEvents format, which import",
      "reads. --format jsonl has the columns of the table instead, which import can't read.",
      "LOG can be the URL of a log on a server. Exit status: 1 if no event is in the range",
      "or choice.",
    ],
    options: [
      Option("--limit", short: "-n", "N", "Print the first N events, or the last N with -N."),
      Option("--follow", short: "-f", "Continue with appended events until the process ends."),
      Option("--tree", "ID", "Print a correlation, command or event as a tree."),
      Option("--commands", "Print commands with an id, and their event types."),
      redact, withList,
    ]
      + list.filter { !["--limit", "--where", "--without"].contains($0.name) },
    examples: [
      "annals log shop.annals 10..20", "annals log shop.annals 1 hour ago author:ann 'price > 5'",
      "annals log shop.annals 21", "annals log shop.annals --json --redact personal,card > shop.jsonl",
    ],
    output: .init(
      .lines, "An event, a command with --commands, or one event with its changes.",
      [CloudEventLine.schema, eventForm.schema, commandForm.schema, treeEventForm.schema]),
    run: { try $0.runLog() })
}

extension Session {
  fileprivate func runLog() throws -> ReplayError.Status {
    try refuseTogether([["--tree", "--commands", "--follow"], ["--commands", "--redact"]])
    let log = try LogExtent(serverLog() ?? openStore())
    var (range, choice) = try rangeAndChoice()
    let limit = try eventLimit(takenFrom: &range)
    if let id = arguments.value("--tree") { return try printTree(of: id, range, choice, in: log) }
    if arguments.has("--commands") { return try printCommands(range, choice, limit, in: log) }
    if let range, let position = try onlyEvent(of: range, choice, in: log) {
      return try printEvent(at: position, in: log)
    }
    let filter = try EventFilter(choice, self, log)
    let (from, to) = try events(of: range, in: log)
    // A day without events is an empty range.
    if range?.from != nil, range?.to != nil, range?.from != range?.to, from > to {
      throw ReplayError.usage("A..B: the event \(from) is after \(to)")
    }
    let isAll = range == nil && choice.isEmpty
    if isAll, format == .json, chosenFields.isEmpty, try redaction().isEmpty, !console.outputIsTerminal,
      limit == nil, !arguments.has("--follow")
    {
      try export(log)
      return .done
    }
    let redaction = try redaction()
    let leaks = try leaks(of: redaction, in: log.store, after: from.before, through: to)
    var printer = EventPrinter(self, log, redaction, leaks)
    var result = ReplayError.Status.done
    if format == .text || format == .json && chosenFields.isEmpty {
      result = try search(log, filter, from, to, limit, isAll, printer)
    } else {
      try table(EventPrinter.columns) { table in
        printer = EventPrinter(self, log, redaction, leaks, table)
        result = try search(log, filter, from, to, limit, isAll, printer)
      }
    }
    for sentence in printer.leaks.sentences { say(Text.safe(sentence)) }
    return result
  }

  /// The position of the one event that an operand names, or nil if it names a range.
  private func onlyEvent(of range: PlaceRange, _ choice: EventChoice, in log: LogExtent) throws -> Position? {
    guard range.isSingle, choice.isEmpty, !arguments.has("--follow"), let text = range.from else { return nil }
    switch try Place(text, now: console.now(), zone: console.zone, of: "PLACE") {
    case .position, .fromEnd, .event: return try place(text, of: "PLACE", in: log, isState: false)
    case .time, .transaction, .command: return nil
    }
  }

  private func search(
    _ log: LogExtent, _ filter: EventFilter, _ from: Position, _ to: Position, _ limit: EventLimit?, _ isAll: Bool,
    _ printer: EventPrinter
  ) throws -> ReplayError.Status {
    var search = EventSearch(log, filter, after: from.before, through: to)
    let progress = Progress(console)
    defer { progress.end() }
    search.said = { position in
      if !console.outputIsTerminal { progress.step(position.rawValue, of: to.rawValue, "events") }
    }
    if let limit, !limit.isLast, arguments.has("--follow") {
      throw ReplayError.usage("--follow: expected --limit -N for the last N events, found --limit \(limit.count)")
    }
    if let limit, limit.isLast {
      var found: [StoredEvent] = []
      try search.backwards(limit: limit.count) { found.append($0) }
      for event in found.reversed() { try printer.print(event) }
    } else {
      try search.forwards(limit: limit?.count, self) { try printer.print($0) }
    }
    progress.end()
    guard arguments.has("--follow") else {
      if printer.count > 0 || limit?.count == 0 { return .done }
      try filter.checkNames(in: log, self)
      if isAll {
        say("the log has no events")
        return .done
      }
      say(from > to ? "no event is in this range" : "no event from \(from) to \(to) is in the choice")
      return .negative
    }
    var filter = filter
    let commands = CommandNames(log.store)
    return try followEvents(after: log.end, in: log.store) { events, _ in
      for event in events where try filter.passes(event, commands) { try printer.print(event) }
    }
  }

  /// The number of events to print, and whether they are the last ones.
  typealias EventLimit = (count: Int, isLast: Bool)

  /// Returns the limit that `--limit` or -N gives, or nil without a limit.
  ///
  /// As in `git log` and `tail`, -N alone is the last N events, and no place.
  private func eventLimit(takenFrom range: inout PlaceRange?) throws -> EventLimit? {
    if let found = range, found.isSingle, let text = found.from, text.hasPrefix("-"),
      let count = Arguments.wholeNumber(String(text.dropFirst()))
    {
      if arguments.has("--limit") { throw ReplayError.usage("--limit and \(text) cannot be given together") }
      range = nil
      return (count, true)
    }
    guard let text = arguments.value("--limit") else { return nil }
    guard let count = Arguments.wholeNumber(text.hasPrefix("-") ? String(text.dropFirst()) : text) else {
      throw ReplayError.usage("--limit: expected a whole number such as 20 or -20, found \"\(text)\"")
    }
    return (count, text.hasPrefix("-"))
  }

  /// Prints all events as lines in the CloudEvents format.
  private func export(_ log: LogExtent) throws {
    let progress = Progress(console)
    defer { progress.end() }
    var lines = CloudEventWriter()
    try forEachBatch(of: log.store, through: log.end) { batch in
      for index in 0..<batch.count { lines.add(batch, at: index) }
      try output.write(lines: lines.take())
      progress.step(batch.last?.rawValue ?? 0, of: log.end.rawValue, "events")
    }
  }

  /// Throws if two options of one of some groups are given.
  func refuseTogether(_ groups: [[String]]) throws {
    for group in groups {
      let given = group.filter { arguments.has($0) }
      if given.count > 1 { throw ReplayError.usage("\(given[0]) and \(given[1]) cannot be given together") }
    }
  }
}

/// A stored event in the CloudEvents format.
struct CloudEventLine: JSONOutput {
  let text: String

  static var schema: JSONSchema {
    let always: [(name: String, schema: JSONSchema)] = [
      ("specversion", .just("1.0")), ("id", .text), ("source", .text), ("type", .text), ("subject", .text),
      ("time", .text.saying("As in RFC 3339; as it was written, where it was imported.")), ("transaction", .any),
      ("position", Position.schema),
    ]
    return .object(
      always + [("schemaversion", .count.saying("Left out if it is 1.")), ("tags", .text), ("data", .any)],
      required: always.map(\.name)
    ).open.saying("A stored event as a CloudEvent; other members are its metadata.").shared(as: "cloudEvent")
  }
  func write(to writer: inout PayloadWriter) { writer.write(json: text) }
}

/// Prints events, each in a line.
final class EventPrinter {
  private let session: Session
  private let log: LogExtent
  private let lines: TextLines
  /// The table with a row for every event, or nil if every event is a line.
  private let table: TableWriter?
  private let redaction: Redaction
  /// The hidden values, and where the printed events still have them.
  private(set) var leaks: RedactionLeaks
  /// The generator of labels, and the last event that it received.
  private var labels: (generator: TransactionLabels, end: Position) = (TransactionLabels(), 0)
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

  init(
    _ session: Session, _ log: LogExtent, _ redaction: Redaction = Redaction([]),
    _ leaks: RedactionLeaks = RedactionLeaks(), _ table: TableWriter? = nil
  ) {
    self.session = session
    self.log = log
    self.redaction = redaction
    self.leaks = leaks
    self.table = table
    lines = session.textLines
  }

  func print(_ stored: StoredEvent) throws {
    count += 1
    let event = redaction.isEmpty ? stored : redaction.apply(to: stored)
    leaks.search(event)
    if let table { return try table.row(cells(of: event)) }
    if session.format == .json {
      return try session.printJSON(CloudEvent.line(event, transaction: label(of: stored)))
    }
    try session.print(lines.event(event))
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
    // Looking up the label takes three calls, which the next event doesn't need. On a server, 3,000 events took 175 s.
    if event.position.before == labels.end {
      labels.end = event.position
      return labels.generator.label(of: event)
    }
    if CloudEvent.ownLabel(of: event) != nil { return "" }
    if let label, label.transaction == event.transaction { return label.text }
    // Labels depend on the transaction before, which may have the same.
    var (generator, text) = (TransactionLabels(), "")
    let start = try log.startOfTransaction(at: event.position)
    let before = start > 1 ? try log.startOfTransaction(at: start.before) : start
    try log.store.forEachEvent(after: before.before, through: event.position) { text = generator.label(of: $0) }
    labels = (generator, event.position)
    label = (event.transaction, text)
    return text
  }
}

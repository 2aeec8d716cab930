import Annals
import AnnalsSQLite

extension Subcommand {
  static let events = Subcommand(
    name: "events", operands: ["LOG"],
    summary: "List events; with --json, as export prints them.",
    details: [
      "Events are shown as they are stored, with the schema where it is not 1.", "Nothing found is exit status 1.",
    ],
    options: [
      Option("--from", "POSITION", "The first position, from 1."), Option("--to", "POSITION", "The last position."),
      Option("--stream", "NAME", "Only events of a stream."), Option("--type", "TYPE", "Only events of a type."),
    ],
    examples: [
      "annals events shop.annals --from 10 --to 20", "annals events shop.annals --type RecordDeleted --json",
    ],
    run: { try $0.runEvents() })
}

extension Session {
  fileprivate func runEvents() throws -> ReplayError.Status {
    let (colour, columns) = (console.hasColour, console.columns)
    let stream = arguments.value("--stream").map { StreamName($0) }
    let type = arguments.value("--type").map { ExactString($0) }
    var count = 0
    try forEachLine(from: "--from", to: "--to") { event, line in
      if let stream, event.stream != stream { return }
      if let type, ExactString(event.type) != type { return }
      count += 1
      if isJSON { return try printJSON(line()) }
      let time = RFC3339.text(microseconds: event.time.microseconds)
      let head = "\(event.position)  \(time)  \(event.stream) \(event.version)  "
      // Few logs have more than the first schema. If an event has a later one, its number is worth showing.
      let name = event.schema == 1 ? event.type : "\(event.type) (schema \(event.schema))"
      let text = Text.cut(Text.safe("\(head)\(name)  \(event.payload ?? "")"), to: columns)
      try print(colour ? Style.dim.on(String(text.prefix(head.count)), if: true) + text.dropFirst(head.count) : text)
    }
    return count > 0 ? .done : .negative
  }

  /// Calls a closure with each event between two positions and its line of an export.
  fileprivate func forEachLine(
    from first: String? = nil, to last: String? = nil, _ body: (StoredEvent, () -> String) throws -> Void
  ) throws {
    let store = try openLog()
    let end = try store.head()
    let from = try first.flatMap { try position($0, end: end) } ?? 1
    let to = try last.flatMap { try position($0, end: end) } ?? end
    if let first, let last, arguments.has(first), arguments.has(last), from > to {
      throw ReplayError.usage("\(first) \(from) is after \(last) \(to)")
    }
    var labels = TransactionLabels()
    let progress = Progress(console)
    defer { progress.end() }
    try forEachEvent(of: store, through: to) { event in
      let label = labels.label(of: event)
      guard event.position >= from else { return }
      try body(event) { CloudEvent.line(event, transaction: label) }
      if !console.outputIsTerminal { progress.say("\(event.position) of \(to)") }
    }
  }
}

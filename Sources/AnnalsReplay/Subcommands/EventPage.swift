import Annals

/// All that a log says of one event.
struct EventPage {
  let stored: StoredEvent
  let cause: EventCause
  let transaction: ClosedRange<Position>
  /// The transaction's own label; nil if it has none.
  let label: String?
  let previous: StoredEvent?
  let next: StoredEvent?

  func lines(_ session: Session) -> [String] {
    let times = session.times
    let schema = stored.schema == 1 ? "" : "  schema \(stored.schema)"
    let sentence = cause.sentence.map { "  \($0)" } ?? ""
    var lines = ["\(stored.position)  \(stored.type)\(schema)\(sentence)", ""]
    func add(_ name: String, _ value: String?) {
      if let value { lines.append("  " + name.padding(to: 12) + value) }
    }
    add("time", times.column(stored.time.microseconds).first)
    add("stream", "\(stored.stream) \(stored.version)")
    add("id", stored.id.id)
    add("source", stored.id.source)
    let size = transaction.upperBound.rawValue - transaction.lowerBound.rawValue + 1
    add(
      "transaction",
      "\(stored.transaction)" + (label.map { ", labelled \($0)" } ?? "")
        + (size == 1
          ? ", of this event alone" : ", of the events \(transaction.lowerBound) to \(transaction.upperBound)"))
    add("command", cause.command)
    for (name, json) in stored.metadata.sorted where name != "transaction" {
      add(Self.shortNames[name] ?? name, (try? JSONValue(parsing: json))?.string ?? json)
    }
    if !stored.tags.isEmpty { add("tags", stored.tags.map(\.text).sorted().joined(separator: "  ")) }
    lines.append("")
    lines += stored.payload.map(Self.pretty) ?? ["  no data"]
    lines.append("")
    func neighbour(_ event: StoredEvent) -> String {
      (["\(event.position)"] + times.column(event.time.microseconds) + [event.type]).joined(separator: "  ")
    }
    add("before", previous.map(neighbour) ?? "it began the stream")
    add("after", next.map(neighbour) ?? "nothing so far")
    return lines.map { Text.safe($0) }
  }

  /// What the event changed in a list.
  static func lines(_ list: String, _ batch: ListBatch, _ session: Session) -> [String] {
    let head = "  " + (batch.isEmpty ? "it changed nothing in \(list)" : "it changed in \(list)")
    return ["", Text.safe(head)] + session.textLines.batch(batch, from: batch.from, indent: "  ").dropFirst()
  }

  private static let shortNames = ["correlationid": "correlation", "causationid": "causation"]

  /// A payload over several lines.
  private static func pretty(_ payload: String) -> [String] {
    guard let value = try? JSONValue(parsing: payload) else { return ["  " + payload] }
    return value.pretty().map { "  " + $0 }
  }
}

/// One event with its changes in lists.
let eventForm = JSONForm<(page: EventPage, line: CloudEventLine, changes: [(list: String, batch: BatchOutput)])>([
  "event": .of { $0.line },
  "transaction": .object(
    { $0.page },
    JSONForm([
      "number": .of(\.stored.transaction), "from": .of(\.transaction.lowerBound), "to": .of(\.transaction.upperBound),
    ])),
  "version": .of { $0.page.stored.version }, "command": .some { $0.page.cause.command },
  "previous": .of({ $0.page.previous?.position }, "The position of the event before it in its stream."),
  "next": .of { $0.page.next?.position },
  "changes": .array({ $0.changes }, JSONForm(["list": .of { $0.list }, "batch": .of { $0.batch }])),
])

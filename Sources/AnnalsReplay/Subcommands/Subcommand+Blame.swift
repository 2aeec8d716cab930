import Annals
import AnnalsLog

extension Subcommand {
  static let blame = Subcommand(
    name: "blame", operands: ["LOG", "ROW[.FIELD]"],
    summary: "Print which event last changed each field of a row, and who did it.",
    details: [
      "With --all, every change, the oldest first; with --place also when the row came",
      "to where it is. Exit status: 1 if no event ever made such a row.",
    ],
    options: [
      Option("--at", "PLACE", "Look from this position back; by default from the last one."),
      Option("--all", "Print every change, the oldest first."),
      Option("--place", "Print since when the row is where it is, and which event brought it there."),
    ] + list,
    examples: ["annals blame shop.annals b1", "annals blame shop.annals b1.price --all --json"],
    run: { try $0.runBlame() })
}

/// A change of a row, with the event that did it.
struct BlamedStep {
  let event: EventCause
  let step: RecordStep

  /// The fields that differ; all fields of a row that was inserted or deleted.
  var fields: [(name: String, old: JSONValue, new: JSONValue)] {
    (step.old ?? Record(id: "")).difference(to: step.new ?? Record(id: ""))
  }

  /// What became of one field, or of a value in it; of all fields for nil.
  func changes(of field: String?) -> [(name: String, old: JSONValue, new: JSONValue)] {
    guard let field else { return fields }
    let own = fields.filter { ExactString($0.name) == ExactString(field) }
    if !own.isEmpty { return own }
    let path = FieldPath(field)
    func value(_ row: Record?) -> JSONValue { row.map { path.value(in: $0) } ?? .null }
    let (old, new) = (value(step.old), value(step.new))
    return old == new ? [] : [(field, old, new)]
  }

  /// `inserted`, `deleted` or `changed`.
  var kind: String { step.old == nil ? "inserted" : step.new == nil ? "deleted" : "changed" }
}

extension Session {
  /// What became of a row up to a position, with the events that did it.
  func blame(_ id: String, _ reader: any ListReader, _ log: LogExtent, through end: Position) throws -> [BlamedStep] {
    try blame(first: [id], reader, log, through: end)?.steps ?? []
  }

  /// The same of the first of some rows that ever was there; nil if none was.
  private func blame(
    first ids: [String], _ reader: any ListReader, _ log: LogExtent, through end: Position
  ) throws -> (id: String, steps: [BlamedStep])? {
    let progress = Progress(console)
    defer { progress.end() }
    let commands = CommandNames(log.store)
    let found = try reader.history(ofFirst: ids, through: end) {
      progress.step($0.rawValue, of: end.rawValue, "events")
    }
    guard let found else { return nil }
    let steps: [BlamedStep] = try found.steps.compactMap { step in
      guard let stored = try log.event(exactlyAt: step.position) else { return nil }
      var event = EventCause(stored)
      event.command = try commands.command(of: event)
      return BlamedStep(event: event, step: step)
    }
    return (found.id, steps)
  }

  /// What became of a row, and perhaps of a field, as an operand names them: of the whole operand if there is such a
  /// row.
  private func blame(
    naming text: String, _ reader: any ListReader, _ log: LogExtent, through end: Position
  ) throws -> (id: String, field: String?, steps: [BlamedStep]) {
    let dots = text.indices.reversed().filter {
      text[$0] == "." && $0 != text.startIndex && text.index(after: $0) != text.endIndex
    }
    guard
      let (id, steps) = try blame(first: [text] + dots.map { String(text[..<$0]) }, reader, log, through: end)
    else { return (text, nil, []) }
    let rest = text.unicodeScalars.dropFirst(id.unicodeScalars.count + 1)
    return (id, rest.isEmpty ? nil : String(rest), steps)
  }

  fileprivate func runBlame() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let end = try place("--at", in: log) ?? log.end
    guard let reader = try openList(log, through: end, silentThrough: end) else { return .negative }
    let (id, field, steps) = try blame(naming: arguments.operands[1], reader, log, through: end)
    guard !steps.isEmpty else {
      throw ReplayError(
        .negative, "no event up to \(end) made a row \(JSONValue.quoted(id)) in the list \(reader.name)")
    }
    if let field, steps.allSatisfy({ $0.changes(of: field).isEmpty }) {
      let names = Set(steps.flatMap { $0.fields.map(\.name) })
      let nearest = Nearest.name(to: field, among: names.sorted()).map { "; did you mean \($0)?" } ?? ""
      throw ReplayError(.negative, "the row \(JSONValue.quoted(id)) never had a field \(field)\(nearest)")
    }
    let placing =
      arguments.has("--place") ? try placing(of: id, setAt: Set(steps.map(\.step.position)), reader, log, at: end) : nil
    let page = Blame(id: id, field: field, steps: steps, isWhole: arguments.has("--all"), place: placing)
    try tellOfSupposition(reader, in: log, through: end)
    if isJSON { try printJSON(page.json(at: end)) } else { for line in page.lines(times) { try print(line) } }
    return .done
  }
}

/// What changed a row, for people and as JSON.
private struct Blame {
  let id: String
  let field: String?
  let steps: [BlamedStep]
  let isWhole: Bool
  let place: RowPlacing?

  private struct Change {
    let name: String
    let old: JSONValue
    let new: JSONValue
    let step: BlamedStep
  }

  /// The changes to print: all, or the last one of each field.
  private var changes: [Change] {
    let all = steps.flatMap { step in
      step.changes(of: field).map { Change(name: $0.name, old: $0.old, new: $0.new, step: step) }
    }
    if isWhole { return all }
    var last: [ExactString: Change] = [:]
    for change in all { last[ExactString(change.name)] = change }
    // A field that was gone before the row was deleted is no part of what it was.
    return last.sorted { $0.key < $1.key }.map(\.value)
  }

  func lines(_ times: TimeStyle) -> [String] {
    var lines: [String] = []
    if let last = steps.last, last.step.new == nil, field == nil, !isWhole {
      lines.append("\(Text.name(id)) was deleted by \(Self.event(last.event, times))")
    }
    let changes = changes
    let names = changes.map { "." + $0.name }
    let values = changes.map { change in
      change.old == .null
        ? TextLines.value(change.new) : "\(TextLines.value(change.old)) → \(TextLines.value(change.new))"
    }
    let digits = changes.map { "\($0.step.event.position)".count }.max() ?? 0
    let (nameWidth, valueWidth) = (names.map(\.count).max() ?? 0, min(40, values.map(\.count).max() ?? 0))
    for (index, change) in changes.enumerated() {
      let head = names[index].padding(to: nameWidth) + "  " + values[index].padding(to: valueWidth)
      let indent = String(repeating: " ", count: digits - "\(change.step.event.position)".count)
      lines.append("\(head)  \(indent)\(Self.event(change.step.event, times))")
    }
    if let place, let event = place.event {
      lines.append("place \(place.path), since  \(Self.event(event, times))  \(place.reason)")
    }
    return lines.map { Text.safe($0) }
  }

  static func event(_ event: EventCause, _ times: TimeStyle) -> String {
    var parts = ["\(event.position)"] + times.column(event.time) + [event.type]
    if let actor = event.metadata.author { parts.append(actor) }
    if let command = event.command {
      parts.append("by \(command)")
    } else if let cause = event.metadata.causation {
      parts.append("caused by \(cause)")
    }
    return parts.joined(separator: "  ")
  }

  func json(at end: Position) -> String {
    let list = changes.map { change in
      "{\"field\":\(JSONValue.quoted(change.name)),\"old\":\(change.old.text),\"new\":\(change.new.text),"
        + "\"kind\":\"\(change.step.kind)\",\"event\":\(JSONLines.cause(change.step.event))}"
    }
    var text =
      "{\"id\":\(JSONValue.quoted(id)),\"position\":\(end),\"exists\":\(steps.last?.step.new != nil),"
      + "\"changes\":[\(list.joined(separator: ","))]"
    if let place, let event = place.event {
      text +=
        ",\"place\":{\"path\":[\(place.path.section),\(place.path.row)],\"since\":\(place.since),"
        + "\"reason\":\(JSONValue.quoted(place.reason)),\"event\":\(JSONLines.cause(event))}"
    }
    return text + "}"
  }
}

extension String {
  /// The text with spaces after it, up to a number of characters.
  func padding(to width: Int) -> String { count < width ? self + String(repeating: " ", count: width - count) : self }
}

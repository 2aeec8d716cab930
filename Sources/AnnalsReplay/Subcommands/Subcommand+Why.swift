import Annals
import AnnalsLog

extension Subcommand {
  static let why = Subcommand(
    name: "why", operands: ["LOG", "ROW[.FIELD]", "[PLACE]"],
    summary: "Explain why a row is at its place, or why it isn't listed, and which events set its fields.",
    details: [
      "ROW is a row's id, or FIELD=VALUE if only one row has the value. PLACE is a place in the log, by default the",
      "end. A row at [0, 8] is row 8 of section 0, both counted from 0. With .FIELD, only the events of this field",
      "are printed. Exit status: 1 if the row isn't listed.",
    ],
    options: [Option("--each", "Print every change of the fields, the oldest first.")] + list,
    examples: [
      "annals why shop.annals b1", "annals why shop.annals b1.price --each --json",
      "annals why shop.annals 'title=War and Peace' friday", "annals why shop.annals b4 --where 'price >= 5'",
    ],
    output: .init(
      .object, "Why a row is at its place or isn't listed, and the events that set its fields.",
      [WhyPage.fieldForm.schema, WhyPage.schema]),
    run: { try $0.runWhy() })
}

/// A change of a row, with the event that caused it.
struct CausedStep {
  let event: EventCause
  let step: RecordStep

  /// The fields that differ: all fields of a row that was inserted or deleted.
  var fields: [(name: String, old: JSONValue, new: JSONValue)] {
    (step.old ?? Record(id: "")).difference(to: step.new ?? Record(id: ""))
  }

  /// Returns the changes of a field or of a value inside a field, or the changes of all fields for `nil`.
  func changes(of field: String?) -> [FieldChange] {
    func change(_ name: String, _ old: JSONValue, _ new: JSONValue) -> FieldChange {
      FieldChange(name: name, old: old, new: new, step: self)
    }
    let fields = fields.map { change($0.name, $0.old, $0.new) }
    guard let field else { return fields }
    let own = fields.filter { ExactString($0.name) == ExactString(field) }
    if !own.isEmpty { return own }
    let path = FieldPath(field)
    func value(_ row: Record?) -> JSONValue { row.map { path.value(in: $0) } ?? .null }
    let (old, new) = (value(step.old), value(step.new))
    return old == new ? [] : [change(field, old, new)]
  }
}

/// A change of a row's field.
struct FieldChange {
  let name: String
  let old: JSONValue
  let new: JSONValue
  let step: CausedStep

  /// `inserted`, `deleted` or `changed`, for the row.
  var kind: String { step.step.old == nil ? "inserted" : step.step.new == nil ? "deleted" : "changed" }
}

extension Session {
  fileprivate func runWhy() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let end = arguments.operands.count > 2 ? try place(arguments.operands[2], of: "PLACE", in: log) : log.end
    guard let reader = try openList(log, through: end, silentThrough: end, need: .places, index: .made)
    else { return .negative }
    let (id, field, steps) = try row(named: arguments.operands[1], reader, log, through: end)
    let answer = field == nil ? try answer(id, steps, reader, log, at: end) : nil
    try checkFields(reader, in: log)
    try tellOfSupposition(reader, in: log, through: end)
    let page = WhyPage(
      id: id, position: end, list: reader.name, answer: answer, exists: steps.last?.step.new != nil,
      changes: try changes(of: field, id, steps))
    if isData {
      try print(page, as: page.answer == nil ? WhyPage.fieldForm : WhyPage.form)
    } else {
      for line in page.lines(times, columns: console.columns) { try print(line) }
    }
    if case .isThere? = answer { return .done }
    return field == nil ? .negative : .done
  }

  private func answer(
    _ id: String, _ steps: [CausedStep], _ reader: any ListReader, _ log: LogExtent, at end: Position
  ) throws -> WhyAnswer {
    guard let last = steps.last else {
      if end < log.end, let step = try firstStep(of: id, reader, log) { return .never(step) }
      // JSON has a form for a missing row.
      if !isData { try suggestRow(for: id, log, through: end) }
      return .never(nil)
    }
    guard let row = last.step.new else {
      return .deleted(last, insertion: steps.last { $0.step.old == nil } ?? steps[0])
    }
    let own = Set(steps.map(\.step.position))
    if let placing = try placing(of: id, setAt: own, reader, log, at: end) { return .isThere(placing) }
    return try hidden(row, steps, log, at: end)
  }

  /// Returns the first change of a row that isn't in the list yet.
  private func firstStep(of id: String, _ reader: any ListReader, _ log: LogExtent) throws -> CausedStep? {
    // A log of records has no collection before its first event, and might have several at its end. Then no list is
    // read.
    let later = (try? openList(log, through: log.end)) ?? reader
    return try steps(ofFirst: [id], later, log, through: log.end)?.steps.first
  }

  /// Returns the reason why the list doesn't contain an existing row.
  private func hidden(
    _ row: Record, _ steps: [CausedStep], _ log: LogExtent, at end: Position
  ) throws -> WhyAnswer {
    for text in arguments.all("--where") {
      let condition = try condition(text, of: "--where")
      guard !condition.includes(row) else { continue }
      // The step after the last step that met the condition.
      let since = steps.lastIndex { $0.step.new.map(condition.includes) ?? false }
      let step = steps[min(steps.count - 1, since.map { $0 + 1 } ?? 0)]
      return .hidden("--where \(text)", step, condition.fields.map { ($0.text, $0.value(in: row)) })
    }
    if arguments.has("--limit") {
      var options = try listOptions()
      options.limit = nil
      if let path = try list(options, log, at: end)?.path(of: row.id) { return .cut(path) }
    }
    return .hidden("the list's own filter", steps[steps.count - 1], [])
  }

  /// Returns the changes to print: all changes with `--each`, otherwise the last change of every field.
  private func changes(of field: String?, _ id: String, _ steps: [CausedStep]) throws -> [FieldChange] {
    let all = steps.flatMap { $0.changes(of: field) }
    if let field, all.isEmpty {
      let names = Set(steps.flatMap { $0.fields.map(\.name) })
      let nearest = Nearest.name(to: field, among: names.sorted()).map { "; did you mean \($0)?" } ?? ""
      throw ReplayError.usage("the row \(JSONValue.quoted(id)) never had a field \(field)\(nearest)")
    }
    if arguments.has("--each") { return all }
    var last: [ExactString: FieldChange] = [:]
    for change in all { last[ExactString(change.name)] = change }
    return last.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension Session {
  /// Finds the row that an operand names, and perhaps a field of the row.
  ///
  /// The operand is an id, an id with a field, or `FIELD=VALUE`. If the whole operand is the id of a row, the operand
  /// names this row.
  ///
  /// - Returns: The row's id, the field, and the changes of the row. A row that never existed has no changes.
  private func row(
    named text: String, _ reader: any ListReader, _ log: LogExtent, through end: Position
  ) throws -> (id: String, field: String?, steps: [CausedStep]) {
    let dots = text.indices.reversed().filter {
      text[$0] == "." && $0 != text.startIndex && text.index(after: $0) != text.endIndex
    }
    if let (id, steps) = try steps(ofFirst: [text] + dots.map { String(text[..<$0]) }, reader, log, through: end) {
      let rest = text.unicodeScalars.dropFirst(id.unicodeScalars.count + 1)
      return (id, rest.isEmpty ? nil : String(rest), steps)
    }
    guard let sign = text.firstIndex(of: "="), sign != text.startIndex else { return (text, nil, []) }
    let (field, value) = (FieldPath(String(text[..<sign])), String(text[text.index(after: sign)...]))
    let condition = RowCondition(field, equals: value)
    let found = try records(log, at: end) { condition.includes($0) ? $0.id : nil }
    guard let id = found.first, found.count == 1 else {
      throw ReplayError.usage(
        found.isEmpty
          ? "no row at \(end) has the id \(text), or \(field.text) = \(value)"
          : "\(found.count) rows have \(field.text) = \(value): \(Self.named(found)); choose a row by its id")
    }
    return (id, nil, try steps(ofFirst: [id], reader, log, through: end)?.steps ?? [])
  }

  /// Throws an error that names the rows with the value in a field, if there are such rows.
  ///
  /// If several fields have the value, the error names the field of the fewest rows.
  private func suggestRow(for value: String, _ log: LogExtent, through end: Position) throws {
    if value.isEmpty { return }
    let fields = try records(log, at: end) { record in
      let members = record.members.filter {
        ExactString($0.value.impersonal.string ?? $0.value.text) == ExactString(value)
      }
      return members.isEmpty ? nil : members.map { (name: $0.name, id: record.id) }
    }.joined()
    let found = Dictionary(grouping: fields) { ExactString($0.name) }.min {
      ($0.value.count, $0.key) < ($1.value.count, $1.key)
    }
    guard let (field, rows) = found else { return }
    throw ReplayError.usage("no row has the id \(value); \(field.text) = \(value) is \(Self.named(rows.map(\.id)))")
  }

  private static func named(_ ids: [String]) -> String {
    ids.prefix(5).joined(separator: ", ") + (ids.count > 5 ? " and \(ids.count - 5) more" : "")
  }

  /// Returns the changes of the first of some rows that the list ever contained, or `nil` if it contained none of them.
  private func steps(
    ofFirst ids: [String], _ reader: any ListReader, _ log: LogExtent, through end: Position
  ) throws -> (id: String, steps: [CausedStep])? {
    let progress = Progress(console)
    defer { progress.end() }
    let commands = CommandNames(log.store)
    let found = try reader.histories(of: ids, through: end) {
      progress.step($0.rawValue, of: end.rawValue, "events")
    }
    guard let index = found.firstIndex(where: { !$0.isEmpty }) else { return nil }
    let steps: [CausedStep] = try found[index].compactMap { step in
      guard let stored = try log.event(exactlyAt: step.position) else { return nil }
      var event = catalog.cause(stored)
      event.command = try commands.command(of: event)
      return CausedStep(event: event, step: step)
    }
    return (ids[index], steps)
  }
}

import Annals
import AnnalsLog

/// Lists and changes for people.
struct TextLines {
  private let colour: Bool
  private let columns: Int?
  private let times: TimeStyle
  private let catalog: ReplayCatalog

  init(_ console: Console, _ times: TimeStyle, _ catalog: ReplayCatalog) {
    (colour, columns) = (console.hasColour, console.columns)
    (self.times, self.catalog) = (times, catalog)
  }

  /// The lines of a list, one after the other.
  func list(_ list: any ShownList, isSectioned: Bool, heading: String, _ print: (String) throws -> Void) rethrows {
    try print(cut(heading))
    for index in 0..<list.sectionCount {
      let section = list.section(index)
      if isSectioned {
        let count = "  \(Self.count(section.count, of: section.total))"
        try print(
          Style.bold.on(cut(Self.title(section), less: count.count), if: colour) + Style.dim.on(count, if: colour))
      }
      for row in 0..<section.count {
        let path = RowPath(section: index, row: row)
        try print(cut("  " + (list.line(at: path) ?? text(list.record(at: path)))))
      }
    }
  }

  /// The position and the number of rows of a list.
  static func heading(_ list: any ShownList, isSectioned: Bool, under supposition: Supposition? = nil) -> String {
    let supposed = supposition.map { " \($0.words)" } ?? ""
    let rows = Text.counted(list.total, "row")
    return "position \(list.position)\(supposed): "
      + (list.rowCount == list.total ? rows : "\(list.rowCount) of \(rows)")
      + (isSectioned ? " in \(Text.counted(list.sectionCount, "section"))" : "")
  }

  /// A number, with the one that it is a part of if that is larger.
  private static func count(_ count: Int, of total: Int) -> String {
    count == total ? "\(count)" : "\(count) of \(total)"
  }

  /// The lines of a batch, section by section; with `counted`, only how much each section changes.
  func batch(_ batch: ListBatch, from: Position, counted: Bool = false, indent: String = "") -> [String] {
    let range = "\(from) → \(batch.to)"
    var lines = [Style.bold.on(range, if: colour) + cut(cause(of: batch), less: range.count)]
    for section in SectionChanges.all(of: batch) {
      if let title = section.title {
        let counts = Style.dim.on("  \(section.counts)", if: colour)
        let used = indent.count + section.counts.count + 4
        let line = marked(section.mark, [(cut(title, less: used), .bold)])
        lines.append(indent + line + (section.counts.isEmpty ? "" : counts))
      }
      if counted { continue }
      lines += section.rows.map { row($0, of: batch, indent: indent + (section.title == nil ? "  " : "    ")) }
    }
    return counted ? lines + [cut("  " + BatchCounts(batch).words)] : lines
  }

  /// A change of a row: its id and label, and then what is new.
  private func row(_ row: SectionChanges.Row, of batch: ListBatch, indent: String) -> String {
    let step = row.step
    let record = step.change.row
    var parts: [(text: String, style: Style?)] = []
    switch step.change {
    case .delete: parts = [(label(record, step), nil)]
    case .insert(_, _, false): parts = [(step.line ?? text(record), nil)]
    case _ where step.changedFields.isEmpty:
      parts = [(row.from == nil ? step.line ?? text(record) : label(record, step), nil)]
    default:
      parts = [(label(record, step), nil)]
      let changes = Self.ordered(step.changedFields) { ($0.name, Self.value($0.new)) }
      for (index, change) in changes.enumerated() {
        parts.append(((index == 0 ? "  " : ", ") + "\(change.name): \(Self.value(change.new))", nil))
        if change.old != .null { parts.append((" (was \(Self.value(change.old)))", .dim)) }
      }
    }
    if let from = row.from { parts.append(("  from \(from)", .dim)) }
    if batch.eventCount > 1, !step.events.isEmpty { parts.append(("  (\(Self.positions(step.events)))", .dim)) }
    return indent + marked(row.mark, fitting(parts.map { (Text.safe($0.text), $0.style) }, less: indent.count + 2))
  }

  /// Parts of a line without as many of the dim ones as do not fit, from the end.
  private func fitting(_ parts: [(text: String, style: Style?)], less used: Int) -> [(text: String, style: Style?)] {
    guard let columns else { return parts }
    var (parts, room) = (parts, columns - used)
    var excess = parts.reduce(-room) { $0 + Text.width($1.text) }
    for index in parts.indices.reversed() where excess > 0 && parts[index].style == .dim {
      excess -= Text.width(parts[index].text)
      parts.remove(at: index)
    }
    return parts.map { part in
      let text = Text.cut(part.text, to: max(0, room))
      room -= Text.width(part.text)
      return (text, part.style)
    }
  }

  private func marked(_ mark: ChangeMark, _ parts: [(text: String, style: Style?)]) -> String {
    let style = mark.style.map { $0.on(mark.rawValue, if: colour) } ?? mark.rawValue
    return style + " " + parts.map { part in part.style.map { $0.on(part.text, if: colour) } ?? part.text }.joined()
  }

  /// The row's id, and the field by which people know it, if that did not change.
  private func label(_ row: Record, _ step: RowStep) -> String {
    let changed = Set(step.changedFields.map { ExactString($0.name) })
    for name in Self.labels where !changed.contains(name) {
      if case .string(let text) = row[name], !text.isEmpty { return "\(row.id)  \(text)" }
    }
    return row.id
  }

  /// The fields by which people know a row.
  private static let labels = ["title", "name", "label", "path", "text", "summary"].map { ExactString($0) }

  /// Fields in the order in which people read them: the label, short values, long values, each by name.
  private static func ordered<T>(_ fields: [T], _ read: (T) -> (name: String, value: String)) -> [T] {
    let ranks = fields.map { field in
      let (name, value) = read(field)
      return labels.firstIndex(of: ExactString(name)) ?? (Text.width(value) < 24 ? labels.count : labels.count + 1)
    }
    return fields.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { fields[$0] }
  }

  /// When the events of a batch happened, what they were, and who did it.
  func cause(of batch: ListBatch) -> String {
    guard let last = batch.events.last else { return "" }
    if batch.eventCount > batch.events.count { return "  \(Text.counted(batch.eventCount, "event"))" }
    var parts = times.column(last.time)
    parts += batch.events.headline
    let authors = Text.distinct(batch.events.compactMap(\.metadata.author))
    parts += authors.count > 3 ? [Text.counted(authors.count, "author")] : authors
    let commands = Text.different(batch.events.compactMap(\.command))
    if commands.count == 1 { parts.append("by \(commands[0])") }
    if let correlation = last.metadata.correlation, correlation != commands.first,
      batch.events.allSatisfy({ $0.metadata.correlation == correlation })
    {
      parts.append("of \(correlation)")
    }
    return "  " + Text.safe(parts.joined(separator: "  "))
  }

  /// A stored event in one line.
  func event(_ event: StoredEvent) -> String {
    let columns = ["\(event.position)"] + times.column(event.time.microseconds) + ["\(event.stream) \(event.version)"]
    let head = columns.joined(separator: "  ") + "  "
    // Few logs have more than the first schema. If an event has a later one, its number is worth showing.
    var name = event.schema == 1 ? event.type : "\(event.type) (schema \(event.schema))"
    if let sentence = catalog.cause(event).sentence { name += "  \(sentence)" }
    var by = event.metadata.author.map { "  \($0)" } ?? ""
    if let correlation = event.metadata.correlation { by += "  of \(correlation)" }
    let text = cut("\(head)\(name)\(by)  \(event.payload ?? "")")
    guard colour, text.hasPrefix(Text.safe(head)) else { return text }
    let dim = Text.safe(head)
    return Style.dim.on(dim, if: true) + text.dropFirst(dim.count)
  }

  /// Types with how often each comes, the first four by name.
  static func counts(of types: [String]) -> [String] {
    var counts: [(type: String, count: Int)] = []
    for type in types {
      if let index = counts.firstIndex(where: { ExactString($0.type) == ExactString(type) }) {
        counts[index].count += 1
      } else {
        counts.append((type, 1))
      }
    }
    let named = counts.prefix(4).map { $0.count == 1 ? $0.type : "\($0.type) ×\($0.count)" }
    return counts.count > 4 ? named + [Text.counted(counts.count - 4, "other type")] : named
  }

  private static func positions(_ positions: [Position]) -> String {
    let named = positions.prefix(5).map { "\($0)" }.joined(separator: ", ")
    return positions.count > 5 ? "\(named) and \(positions.count - 5) more" : named
  }

  private func cut(_ text: String, less used: Int = 0) -> String {
    Text.cut(Text.safe(text), to: columns.map { max(0, $0 - used) })
  }

  static func title(_ section: ShownSection) -> String {
    Text.title(section.title, of: (try? JSONValue(parsing: section.key.json)) ?? .string(section.key.description))
  }

  private func text(_ row: Record) -> String { Self.row(row) }

  /// A row's id and its fields.
  static func row(_ row: Record) -> String {
    guard case .object(let members) = row.fields, !members.isEmpty else { return row.id }
    return row.id + "  "
      + ordered(members) { ($0.name, value($0.value)) }.map { "\($0.name): \(value($0.value))" }.joined(separator: ", ")
  }

  /// A field's value, as a person reads it.
  static func value(_ value: JSONValue) -> String {
    if let (subject, found) = value.personal { return found == .null ? "(erased of \(subject))" : self.value(found) }
    return value == .null ? "(none)" : Text.value(value)
  }
}

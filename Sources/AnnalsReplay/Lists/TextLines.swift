import Annals
import AnnalsLog

/// Lists and changes for people.
struct TextLines {
  private let colour: Bool
  private let columns: Int?
  private let times: TimeStyle

  init(_ console: Console, _ times: TimeStyle) {
    colour = console.hasColour
    columns = console.columns
    self.times = times
  }

  /// The lines of a list, one after the other.
  func list(_ list: any ShownList, isSectioned: Bool, heading: String, _ print: (String) throws -> Void) rethrows {
    try print(cut(heading))
    for index in 0..<list.sectionCount {
      let section = list.section(index)
      if isSectioned {
        try print(
          Style.bold.on(cut(Self.title(section)), if: colour)
            + Style.dim.on("  \(Self.count(section.count, of: section.total))", if: colour))
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

  /// The lines of a batch; with `counted`, how much it changes instead of what.
  func batch(_ batch: ListBatch, from: Position, counted: Bool = false) -> [String] {
    var lines = [
      Style.bold.on("\(from) → \(batch.to)", if: colour) + Style.dim.on(cut(cause(of: batch)), if: colour)
    ]
    if counted { return lines + [cut("  " + BatchCounts(batch).words)] }
    for change in batch.sections {
      switch change {
      case .delete(let index, let key):
        let title = batch.formerTitles[index].map { Self.title($0, key) } ?? key.json
        lines.append(line("-", "section \(index)  \(title)"))
      case .insert(let index, let key, let title):
        lines.append(line("+", "section \(index)  \(Self.title(title, key))"))
      case .move(let from, let to, let key): lines.append(line(">", "section \(from) → \(to)  \(key.json)"))
      case .update(let index, let newIndex, let key, let title):
        let place = index == newIndex ? "\(newIndex)" : "\(index) → \(newIndex)"
        lines.append(line("~", "section \(place)  \(Self.title(title, key))"))
      }
    }
    let namesEvents = batch.eventCount > 1
    for step in batch.rows {
      let by = namesEvents && !step.events.isEmpty ? "  (\(Self.positions(step.events)))" : ""
      lines.append(row(step, by))
    }
    return lines
  }

  private func row(_ step: RowStep, _ by: String) -> String {
    func whole(_ row: Record) -> String { step.line ?? text(row) }
    func changed(_ row: Record) -> String {
      step.changedFields.isEmpty ? whole(row) : label(row, step) + changes(step)
    }
    return switch step.change {
    case .delete(let row, let at, let moved):
      line("-", "\(at)  \(moved ? row.id + "  (moved)" : label(row, step))\(by)")
    case .insert(let row, let at, let moved):
      line("+", "\(at)\(moved ? " (moved)  " + changed(row) : "  " + whole(row))\(by)")
    case .move(let row, let from, let to, let contentChanged):
      line(">", "\(from) → \(to)  \(contentChanged ? changed(row) : label(row, step))\(by)")
    case .update(let row, let at, let newAt):
      line("~", "\(at == newAt ? "\(at)" : "\(at) → \(newAt)")  \(changed(row))\(by)")
    }
  }

  /// What each changed field was and is.
  private func changes(_ step: RowStep) -> String {
    "  "
      + step.changedFields.map { "\($0.name): \(Self.value($0.old)) → \(Self.value($0.new))" }
      .joined(separator: ", ")
  }

  /// The row's id, and the field by which people know it, if that did not change.
  private func label(_ row: Record, _ step: RowStep) -> String {
    let changed = Set(step.changedFields.map { ExactString($0.name) })
    for name in ["title", "name", "label", "path", "text", "summary"].map(ExactString.init)
    where !changed.contains(name) {
      if case .string(let text) = row[name], !text.isEmpty { return "\(row.id)  \(text)" }
    }
    return row.id
  }

  /// When the events of a batch happened, what they were, and who did it.
  func cause(of batch: ListBatch) -> String {
    guard let first = batch.events.first, let last = batch.events.last else { return "" }
    if batch.eventCount > batch.events.count { return "  \(Text.counted(batch.eventCount, "event"))" }
    var parts = times.column(last.time)
    parts += Self.counts(of: batch.events.map(\.type))
    let authors = Self.different(batch.events.compactMap(\.metadata.author))
    parts += authors.count > 3 ? [Text.counted(authors.count, "author")] : authors
    let commands = Self.different(batch.events.compactMap(\.command))
    if commands.count == 1 { parts.append("by \(commands[0])") }
    if let correlation = last.metadata.correlation, correlation != commands.first,
      first.metadata.correlation == correlation
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
    let name = event.schema == 1 ? event.type : "\(event.type) (schema \(event.schema))"
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

  private static func different(_ texts: [String]) -> [String] {
    var seen: Set<ExactString> = []
    return texts.filter { seen.insert(ExactString($0)).inserted }
  }

  private static func positions(_ positions: [Position]) -> String {
    let named = positions.prefix(5).map { "\($0)" }.joined(separator: ", ")
    return positions.count > 5 ? "\(named) and \(positions.count - 5) more" : named
  }

  private func line(_ mark: String, _ text: String) -> String {
    let style: Style =
      switch mark {
      case "-": .red
      case "+": .green
      case ">": .blue
      default: .yellow
      }
    return "  " + style.on(mark, if: colour) + " " + cut(Text.safe(text), less: 4)
  }

  private func cut(_ text: String, less used: Int = 0) -> String {
    Text.cut(Text.safe(text), to: columns.map { $0 - used })
  }

  private static func title(_ section: ShownSection) -> String { title(section.title, section.key) }

  private static func title(_ title: String, _ key: SectionKey) -> String {
    Text.title(title, of: (try? JSONValue(parsing: key.json)) ?? .string(key.description))
  }

  private func text(_ row: Record) -> String { Self.row(row) }

  /// A row's id and its fields.
  static func row(_ row: Record) -> String {
    guard case .object(let members) = row.fields, !members.isEmpty else { return row.id }
    return row.id + "  " + members.map { "\($0.name): \(value($0.value))" }.joined(separator: ", ")
  }

  /// A field's value, as a person reads it.
  static func value(_ value: JSONValue) -> String {
    if let (subject, found) = value.personal { return found == .null ? "(erased of \(subject))" : self.value(found) }
    return value == .null ? "(none)" : Text.value(value)
  }
}

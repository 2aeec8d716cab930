import Annals
import AnnalsLog

/// The reason why a row is at its place, or isn't in the list.
enum WhyAnswer {
  case isThere(RowPlacing)
  /// An event deleted the row, which the other event inserted.
  case deleted(CausedStep, insertion: CausedStep)
  case hidden(String, CausedStep, [(field: String, value: JSONValue)])
  case cut(RowPath)
  /// No event inserted the row yet. The step is the later insertion, if there is one.
  case never(CausedStep?)
}

/// The output about a row, as text and as JSON.
struct WhyPage {
  let id: String
  let position: Position
  /// The list's name.
  let list: String
  /// The reason, or `nil` if the question is about a field.
  let answer: WhyAnswer?
  /// True if the row exists at the position.
  let exists: Bool
  let changes: [FieldChange]

  /// Returns the lines to print.
  ///
  /// - Parameters:
  ///   - times: The form of times.
  ///   - columns: The terminal's width, or `nil` to wrap and cut no line.
  /// - Returns: The lines.
  func lines(_ times: TimeStyle, columns: Int?) -> [String] {
    guard let answer else { return lines(of: changes, times, columns, indent: "") }
    let (sentence, entries) = text(of: answer, times)
    let width = entries.map(\.label.count).max() ?? 0
    let lines = entries.map { "  " + Text.padded($0.label, to: width) + "  " + $0.text }
    return Self.fit([sentence], columns, hanging: "  ")
      + zip(entries, lines).flatMap { entry, line in
        entry.isRow ? [Text.cut(Text.safe(line), to: columns)] : Self.fit([line], columns, hanging: "    ")
      }
      + self.lines(of: changes, times, columns, indent: "  ")
  }

  private func text(
    of answer: WhyAnswer, _ times: TimeStyle
  ) -> (sentence: String, entries: [(label: String, text: String, isRow: Bool)]) {
    func event(_ event: EventCause) -> String { Self.text(of: event, times) }
    let (id, missing) = (Text.name(id), "\(Text.name(id)) is not in the list at \(position)")
    switch answer {
    case .isThere(let placing):
      let rows = [("after", placing.neighbors.before), ("before", placing.neighbors.after)]
      return (
        "\(id) is at \(placing.path) in the list at \(position).",
        [
          ("there since", placing.event.map(event) ?? "\(placing.since) or before", false),
          ("because", placing.reason, false),
        ] + rows.compactMap { label, row in row.map { (label, TextLines.row($0), true) } }
      )
    case .deleted(let step, let insertion):
      return (
        "\(missing).",
        [("deleted by", event(step.event), false), ("inserted by", event(insertion.event), false)]
      )
    case .hidden(let filter, let step, let values):
      let found = values.map { "\($0.field) is \(TextLines.value($0.value))" }.joined(separator: ", ")
      return (
        "\(missing), though it exists.",
        [
          ("hidden by", filter + (found.isEmpty ? "" : ": \(found)"), false),
          ("since", event(step.event), false),
        ]
      )
    case .cut(let path): return ("\(missing): it is at \(path), which --limit leaves out.", [])
    case .never(let later):
      return (
        "\(missing): no event up to there inserted the row in \(list).",
        later.map { [("inserted later by", event($0.event), false)] } ?? []
      )
    }
  }

  /// Returns lines for changes of fields: the new value first, because a narrow terminal cuts the end.
  private func lines(of changes: [FieldChange], _ times: TimeStyle, _ columns: Int?, indent: String) -> [String] {
    let digits = changes.map { "\($0.step.event.position)".count }.max() ?? 0
    let names = changes.map { indent + "." + Text.safe($0.name) }
    let nameWidth = names.map(Text.width).max() ?? 0
    let values = changes.map { (new: Text.safe(TextLines.value($0.new)), old: Self.old($0)) }
    let valueWidth = values.map { Text.width($0.new + $0.old) }.max() ?? 0
    let events = changes.map { change in
      let event = Self.text(of: change.step.event, times)
      return Text.safe(String(repeating: " ", count: digits - "\(change.step.event.position)".count) + event)
    }
    let room = columns.map { $0 - nameWidth - 4 - (events.map(Text.width).max() ?? 0) }
    let isStacked = room.map { $0 < min(valueWidth, 16) } ?? false
    return changes.indices.flatMap { index in
      let name = Text.padded(names[index], to: nameWidth) + "  "
      let (new, old) = values[index]
      if isStacked, let columns {
        let value = Self.value(new, old, columns - nameWidth - 2)
        return [Text.cut(name + value, to: columns)]
          + Self.fit([indent + "    " + events[index]], columns, hanging: indent + "    ")
      }
      let value = room.map { Self.value(new, old, $0) } ?? new + old
      return [name + Text.padded(value, to: min(valueWidth, room ?? 40)) + "  " + events[index]]
    }
  }

  private static func old(_ change: FieldChange) -> String {
    change.old == .null ? "" : Text.safe(", was \(TextLines.value(change.old))")
  }

  /// Returns a new and an old value in a number of columns.
  ///
  /// The old value is cut first.
  private static func value(_ new: String, _ old: String, _ columns: Int) -> String {
    let rest = columns - Text.width(new)
    // Less than one character of the old value isn't worth the columns.
    return rest < min(Text.width(old), 8) ? Text.cut(new, to: columns) : new + Text.cut(old, to: rest)
  }

  /// Returns lines that fit in a number of columns, wrapped at spaces.
  ///
  /// A longer word is cut.
  static func fit(_ lines: [String], _ columns: Int?, hanging: String) -> [String] {
    let lines = lines.map { Text.safe($0) }
    guard let columns else { return lines }
    return lines.flatMap { line in
      let indent = String(line.prefix { $0 == " " })
      return Text.width(line) <= columns
        ? [line]
        : Text.wrapped(line, to: columns, indent: indent, hanging: hanging).map { Text.cut($0, to: columns) }
    }
  }

  private static func text(of event: EventCause, _ times: TimeStyle) -> String {
    var parts = ["\(event.position)"] + times.column(event.time) + event.names
    if let author = event.metadata.author { parts.append(author) }
    if let command = event.command {
      parts.append("by \(command)")
    } else if let cause = event.metadata.causation {
      parts.append("caused by \(cause)")
    }
    return parts.joined(separator: "  ")
  }
}

extension WhyPage: JSONObject {
  private typealias Parts = (
    why: String, path: RowPath?, placing: RowPlacing?, event: EventCause?, by: String?, values: Fields?
  )

  private var parts: Parts? {
    switch answer {
    case nil: nil
    case .isThere(let placing): ("shown", placing.path, placing, placing.event, nil, nil)
    case .deleted(let step, _): ("deleted", nil, nil, step.event, nil, nil)
    case .hidden(let filter, let step, let values):
      ("hidden", nil, nil, step.event, filter, Fields(values.map { ($0.field, $0.value) }))
    case .cut(let path): ("cut", path, nil, nil, nil, nil)
    case .never(let later): ("never", nil, nil, later?.event, nil, nil)
    }
  }

  /// The form of a result about a field.
  static let fieldForm = Form([
    "id": .of(\.id), "position": .of(\.position), "exists": .of(\.exists),
    "changes": .rows(\.changes, FieldChange.form),
  ])

  static let form = Form(
    [
      "id": .of(\.id), "position": .of(\.position),
      "why": .some { $0.parts?.why }, "path": .some { $0.parts?.path }, "since": .some { $0.parts?.placing?.since },
      "reason": .some { $0.parts?.placing?.reason }, "by": .some { $0.parts?.by },
      "values": .some { $0.parts?.values },
      "event": .some({ $0.parts?.event }, "The event that did it, or that inserts the row later."),
      "after": .some({ $0.parts?.placing?.neighbors.before }, "The row before it."),
      "before": .some({ $0.parts?.placing?.neighbors.after }, "The row after it."),
      "changes": .some(
        { $0.parts?.why == "never" ? nil : $0.changes }, "The last change of every field, or with --each every change."
      ).rows(of: FieldChange.form),
    ],
    cases: (
      "why",
      [
        "shown": ["path", "since", "reason", "changes"], "deleted": ["event", "changes"],
        "hidden": ["by", "values", "event", "changes"], "cut": ["path", "changes"], "never": [],
      ]
    ))
}

extension FieldChange: JSONObject {
  static let form = Form([
    "field": .of(\.name), "old": .of { RawJSON(text: $0.old.text) }, "new": .of { RawJSON(text: $0.new.text) },
    "kind": .of(\.kind).among(["inserted", "changed", "deleted"]), "event": .of(\.step.event),
  ])
}

import Annals

extension ScrubModel {
  /// The shown position in a line for a screen reader.
  ///
  /// - Parameter most: The largest number of changed rows in the line.
  /// - Returns: The line.
  func plainLine(most: Int = 5) -> String {
    if let message { return Text.safe(message.text) }
    guard let shown else { return "" }
    var parts = ["\(shown.position) of \(shown.end)" + (shown.time.map { facts.times.clause(", ", $0) } ?? "")]
    let steps = shown.batch.rows
    if let since = shown.since {
      parts.append("since \(since): \(Text.counted(steps.count, "row change"))")
    } else if shown.position > 0 {
      parts.append(causeLine)
    }
    parts += steps.prefix(most).compactMap(Self.plain)
    if steps.count > most { parts.append("\(steps.count - most) more") }
    parts.append(Text.counted(shown.list?.rows.rowCount ?? 0, "row"))
    return Text.safe(parts.joined(separator: "; "))
  }

  /// The change of a row, nil for the former place of a row that moved and for a row without a change.
  private static func plain(_ step: RowStep) -> String? {
    let id = step.change.row.id
    let fields = step.changedFields.map { "\($0.name) \(TextLines.value($0.old)) → \(TextLines.value($0.new))" }
    let changes = fields.isEmpty ? "" : " " + fields.joined(separator: ", ")
    func row() -> String { step.line ?? TextLines.row(step.change.row) }
    return switch step.change {
    case .insert(_, let at, let moved): moved ? "> \(id) to \(at)\(changes)" : "+ \(at) \(row())"
    case .delete(_, let at, let moved): moved ? nil : "− \(at) \(row())"
    case .move(_, let from, let to, _): "> \(id) \(from) → \(to)\(changes)"
    case .update: changes.isEmpty ? nil : "~ \(id)\(changes)"
    }
  }
}

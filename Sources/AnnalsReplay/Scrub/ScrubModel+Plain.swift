import Annals

extension ScrubModel {
  /// What is shown, in a line for a screen reader.
  ///
  /// - Parameter most: How many rows that changed are named.
  /// - Returns: The line.
  func plainLine(most: Int = 5) -> String {
    guard let moment else { return message?.text ?? "" }
    if let message { return Text.safe(message.text) }
    var parts = ["\(moment.position) of \(moment.end)"]
    if let time = moment.time { parts[0] += facts.times.clause(", ", time) }
    if let since = moment.since {
      parts.append("since \(since): \(Text.counted(moment.batch.rows.count, "row change"))")
    } else if moment.position > 0 {
      parts.append(causeLine)
    }
    for step in moment.batch.rows.prefix(most) {
      let row = step.change.row
      let changes = step.changedFields.map {
        "\($0.name) \(TextLines.value($0.old)) → \(TextLines.value($0.new))"
      }.joined(separator: ", ")
      switch step.change {
      case .insert(_, let at, let moved):
        parts.append(
          moved ? "> \(row.id) to \(at) \(changes)" : "+ \(at) \(step.line ?? TextLines.row(row))")
      case .delete(_, let at, let moved):
        if !moved { parts.append("− \(at) \(step.line ?? TextLines.row(row))") }
      case .move(_, let from, let to, _): parts.append("> \(row.id) \(from) → \(to) \(changes)")
      case .update: if !changes.isEmpty { parts.append("~ \(row.id) \(changes)") }
      }
    }
    if moment.batch.rows.count > most { parts.append("\(moment.batch.rows.count - most) more") }
    parts.append(Text.counted(moment.list.rowCount, "row"))
    return Text.safe(parts.map { $0.last == " " ? String($0.dropLast()) : $0 }.joined(separator: "; "))
  }
}

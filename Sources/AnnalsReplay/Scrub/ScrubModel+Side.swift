import Annals
import AnnalsLog

extension ScrubModel {
  /// What did it, above; the row under the cursor, below.
  func drawSide(in area: ScrubLayout.Area, into screen: inout Screen) {
    guard moment != nil else { return }
    let below = rowLines(width: area.width, height: max(3, area.height * 3 / 5))
    let causes = causeLines(width: area.width, height: area.height)
    // Each gets what it needs, and at least two fifths if both need more.
    let room = area.height - 1
    var upper = min(causes.count, room)
    if upper + below.count > room { upper = max(room - below.count, min(upper, room * 2 / 5)) }
    draw(causes, from: 0, in: .init(x: area.x, y: area.y, width: area.width, height: upper), into: &screen)
    let y = area.y + upper
    screen.fill(area.x - 2, y, width: 1, "├", .dim)
    screen.fill(area.x - 1, y, width: area.width + 2, "─", .dim)
    screen.fill(area.x + area.width + 1, y, width: 1, "┤", .dim)
    let title = selectedID.map { "row \($0)" } ?? "row"
    screen.write(" " + Text.cut(Text.safe(title), to: area.width - 4) + " ", area.x, y, width: area.width - 1, .bold)
    let rest = area.height - upper - 1
    draw(
      rowLines(width: area.width, height: rest), from: 0,
      in: .init(x: area.x, y: y + 1, width: area.width, height: rest), into: &screen)
  }

  /// The cause in one line.
  var causeLine: String {
    guard let moment else { return "" }
    if moment.batch.events.isEmpty { return moment.position == 0 ? "nothing has happened yet" : counts(moment.batch) }
    let event = moment.batch.events[min(max(0, eventIndex), moment.batch.events.count - 1)]
    var parts = moment.batch.events.headline
    if let actor = event.metadata.author { parts.append(actor) }
    parts.append(counts(moment.batch))
    return parts.joined(separator: "  ")
  }

  /// How many rows were inserted, deleted, moved and changed.
  func counts(_ batch: ListBatch) -> String {
    var counts = [("+", 0), ("−", 0), (">", 0), ("~", 0)]
    for step in batch.rows {
      switch step.change {
      case .insert(_, _, false): counts[0].1 += 1
      case .delete(_, _, false): counts[1].1 += 1
      case .insert(_, _, true), .move: counts[2].1 += 1
      case .update where !step.changedFields.isEmpty: counts[3].1 += 1
      default: break
      }
    }
    let texts = counts.filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }
    return texts.isEmpty ? "changes no row here" : texts.joined(separator: " ")
  }

  private func causeLines(width: Int, height: Int) -> [ScrubLine] {
    guard let moment else { return [] }
    if moment.position == 0, moment.since == nil { return [[("nothing has happened yet", .dim)]] }
    var lines: [ScrubLine] = []
    let count = moment.batch.eventCount
    // A transaction of many events is read from the chosen one on.
    let most = max(1, height / 4)
    let first = max(0, min(eventIndex - most / 2, moment.events.count - most))
    let shown = Array(moment.events.enumerated().dropFirst(first).prefix(most))
    if first > 0 { lines.append([("  \(Text.counted(first, "event")) before, as , shows", .dim)]) }
    for (index, event) in shown {
      let isChosen = index == eventIndex
      let head = "\(event.position)  \(event.type)  \(event.stream.text) \(event.version)"
      let (isHidden, refusal) = (moment.hidden.contains(event.position), moment.refused[event.position])
      let mark = isHidden ? "× " : refusal == nil ? "" : "! "
      let style: CellStyle = isHidden || refusal != nil ? .dim : isChosen ? .bold : .plain
      lines.append([(isChosen ? "▸ " : "  ", .bold), (mark, .of(.red)), (head, style)])
      if isChosen, let refusal {
        let text = Text.safe("could not apply: \(refusal)")
        for line in Screen.wrapped(text, to: width - 2).prefix(2) { lines.append([("  " + line, .of(.red))]) }
      }
      guard isChosen || shown.count <= 2 else { continue }
      let cause = moment.batch.event(at: event.position)
      var by = [event.metadata.author, cause?.command].compactMap { $0 }
      if let correlation = event.metadata.correlation, correlation != cause?.command { by.append("of \(correlation)") }
      if !by.isEmpty { lines.append([("  " + by.joined(separator: " · "), .of(.cyan))]) }
      if let payload = event.payload {
        let text = Text.cut(Text.safe(payload), to: width * (isChosen ? 3 : 1))
        for line in Screen.wrapped(text, to: width - 2).prefix(isChosen ? 3 : 1) {
          lines.append([("  " + line, .dim)])
        }
      }
    }
    let more = max(count, moment.events.count) - (shown.last.map { $0.offset + 1 } ?? 0)
    if more > 0 { lines.append([("  \(Text.counted(more, "event")) more", .dim)]) }
    lines.append([("  " + counts(moment.batch), .plain)])
    // What is gone is in no list.
    for step in moment.batch.rows.prefix(200) {
      guard case .delete(let row, _, false) = step.change else { continue }
      lines.append([("− ", .of(.red)), (step.line ?? TextLines.row(row), .of(.red))])
    }
    return lines
  }

  /// The row's fields, and what became of it around here.
  private func rowLines(width: Int, height: Int) -> [ScrubLine] {
    guard let id = selectedID, height > 0 else { return [[("no row is under the cursor", .dim)]] }
    var lines: [ScrubLine] = []
    if let record = selectedRecord {
      lines = fieldLines(record, width: width, most: max(1, height / 3))
    } else {
      lines.append([("not in the list here", .dim)])
    }
    let room = height - lines.count
    guard room > 0 else { return lines }
    guard let history = histories[id] else {
      lines.append([(unreadable.contains(id) ? "its history cannot be read" : "reading what became of it…", .dim)])
      return lines
    }
    let here = history.steps.lastIndex { $0.position <= position }
    let first = max(0, min((here ?? 0) - room / 2, history.steps.count - room))
    let wide = "\(history.steps.last?.position ?? 0)".count
    for (index, step) in history.steps.enumerated().dropFirst(first).prefix(room) {
      let number = "\(step.position)"
      let padded = String(repeating: " ", count: max(0, wide - number.count)) + number
      let actor = history.actors[step.position].map { "  \($0)" } ?? ""
      let isHere = index == here
      let style: CellStyle = step.position > position ? .dim : isHere ? .bold : .plain
      lines.append([(isHere ? "◀ " : "  ", .bold), (padded + "  " + Self.text(of: step) + actor, style)])
    }
    return lines
  }

  private func fieldLines(_ record: Record, width: Int, most: Int) -> [ScrubLine] {
    var (lines, line, used) = ([ScrubLine](), ScrubLine(), 0)
    for name in fieldNames {
      let text = Text.cut(
        Text.safe("\(name) \(TextLines.value(record.member(ExactString(name))))"), to: max(8, width - 2))
      let size = Text.width(text) + 2
      if used > 0, used + size > width {
        lines.append(line)
        (line, used) = ([], 0)
      }
      if used > 0 { line.append(("  ", .plain)) }
      line.append((text, name == field ? .chosen : .of(.cyan)))
      used += size
    }
    if !line.isEmpty { lines.append(line) }
    // The chosen field is in sight.
    let chosen = lines.firstIndex { $0.contains { $0.style == .chosen } } ?? 0
    let first = max(0, min(chosen - most + 1, lines.count - most))
    return Array(lines.dropFirst(first).prefix(most))
  }

  /// What an event made of a row.
  static func text(of step: RecordStep) -> String {
    guard let new = step.new else { return "deleted" }
    guard let old = step.old else {
      let fields = ScrubColumns.ordered(new.members.map(\.name)).map {
        "\($0) \(TextLines.value(new.member(ExactString($0))))"
      }
      return "inserted  " + fields.joined(separator: ", ")
    }
    return old.difference(to: new).map { "\($0.name) \(TextLines.value($0.old)) → \(TextLines.value($0.new))" }
      .joined(separator: ", ")
  }
}

import Annals
import AnnalsLog

extension ScrubModel {
  /// Draws the cause above, and the row under the cursor below.
  func drawSide(in area: ScrubLayout.Area, into screen: inout Screen) {
    guard shown != nil else { return }
    func draw(_ lines: [ScrubLine], _ y: Int, _ height: Int) {
      for (index, line) in lines.prefix(max(0, height)).enumerated() {
        screen.write(line, area.x, y + index, width: area.width)
      }
    }
    // Each part has the lines that it needs, and half of them if both need more.
    let room = area.height - 1
    let needed = rowLines(width: area.width, height: max(3, room / 2)).count
    let causes = causeLines(width: area.width, height: max(room / 2, room - needed))
    draw(causes, area.y, causes.count)
    let (y, rest) = (area.y + causes.count, room - causes.count)
    screen.fill(area.x - 2, y, width: 1, "├", .dim)
    screen.fill(area.x - 1, y, width: area.width + 2, "─", .dim)
    screen.fill(area.x + area.width + 1, y, width: 1, "┤", .dim)
    let title = selectedID.map { "row \($0)" } ?? "row"
    screen.write(" " + Text.cut(Text.safe(title), to: area.width - 4) + " ", area.x, y, width: area.width - 1, .bold)
    draw(rowLines(width: area.width, height: rest), y + 1, rest)
  }

  /// The sentence of the batch, such as a commit's subject, nil if its events have none or different ones.
  private var headline: String? {
    let sentences = Set((shown?.batch.events ?? []).map(\.sentence))
    return sentences.count == 1 ? sentences.first ?? nil : nil
  }

  /// The cause in one line.
  var causeLine: String {
    guard let shown else { return "" }
    if shown.batch.events.isEmpty, shown.position == 0 { return "nothing has happened yet" }
    var parts = headline.map { [$0] } ?? TextLines.counts(of: shown.batch.events.map(\.type))
    let event = shown.batch.events.isEmpty ? nil : shown.batch.events[min(eventIndex, shown.batch.events.count - 1)]
    if let actor = event?.metadata.author { parts.append(actor) }
    if shown.list != nil { parts.append(changes.map(\.text).joined()) }
    return parts.joined(separator: "  ")
  }

  /// The numbers of changed rows.
  private var changes: ScrubLine {
    let counts = Self.counts(shown?.batch.rows ?? [])
    return counts.isEmpty ? [("changes no row here", .plain)] : counts
  }

  private func causeLines(width: Int, height: Int) -> [ScrubLine] {
    guard let shown else { return [] }
    if shown.position == 0, shown.since == nil { return [[("nothing has happened yet", .dim)]] }
    let types = TextLines.counts(of: shown.batch.events.map(\.type))
    let count = max(shown.batch.eventCount, shown.events.count)
    var lines = headline.map { Array(Screen.wrapped([($0, .bold)], to: width).prefix(2)) } ?? []
    if let event = chosenEvent {
      let command = shown.batch.event(at: event.position)?.command
      let correlation = event.metadata.correlation.flatMap { $0 == command ? nil : "of \($0)" }
      let time = facts.times.column(event.time.microseconds).map { CellText.minute($0) }
      let by = [event.metadata.author].compactMap { $0 } + time + [command, correlation].compactMap { $0 }
      if !by.isEmpty { lines.append([(by.joined(separator: " · "), .of(.cyan))]) }
    }
    if count > 1 || shown.list != nil {
      let names =
        count < 2 ? "" : (types.isEmpty ? "\(Text.grouped(count)) events" : types.joined(separator: ", ")) + "  "
      lines.append([(names, .plain)] + (shown.list == nil ? [] : changes))
    }
    // As many events around the selected one as fit. A type that all of them have is in the line above.
    func block(_ index: Int) -> [ScrubLine] {
      eventLines(
        shown.events[index], isChosen: index == eventIndex, hasType: count == 1 || types.count > 1, width: width)
    }
    // Low panes have less of the batch, so that the selected event is in sight.
    lines = Array(lines.prefix(max(1, height - 2)))
    if shown.events.indices.contains(eventIndex) {
      var (range, blocks) = (eventIndex...eventIndex, block(eventIndex))
      while lines.count + blocks.count + 2 < height {
        let isBelow = eventIndex - range.lowerBound > range.upperBound - eventIndex
        if range.lowerBound > 0, !isBelow || range.upperBound + 1 >= shown.events.count {
          blocks = block(range.lowerBound - 1) + blocks
          range = range.lowerBound - 1...range.upperBound
        } else if range.upperBound + 1 < shown.events.count {
          blocks += block(range.upperBound + 1)
          range = range.lowerBound...range.upperBound + 1
        } else {
          break
        }
      }
      if range.lowerBound > 0, lines.count + 1 < height {
        lines.append([("  \(range.lowerBound) earlier  (press , for them)", .dim)])
      }
      lines += blocks
      let later = count - range.upperBound - 1
      if later > 0 { lines.append([("  \(Text.grouped(later)) later  (press . for them)", .dim)]) }
    }
    return Array(lines.prefix(height))
  }

  /// An event with the rows that it changed.
  ///
  /// Only the selected event shows all changed fields.
  private func eventLines(_ event: StoredEvent, isChosen: Bool, hasType: Bool, width: Int) -> [ScrubLine] {
    guard let shown else { return [] }
    let (isHidden, refusal) = (shown.hidden.contains(event.position), shown.refused[event.position])
    let style: CellStyle = isHidden || refusal != nil ? .dim : isChosen ? .bold : .plain
    let mark = isHidden ? "× " : refusal == nil ? "" : "! "
    var head: ScrubLine = [(isChosen ? "▸ " : "  ", .bold), (mark, .of(.red))]
    head.append(("\(event.position)" + (hasType ? "  \(event.type)" : ""), style))
    let rows = shown.batch.rows.filter { step in
      if case .delete(_, _, true) = step.change { return false }
      return step.events.contains(event.position)
    }.map { step -> ScrubLine in
      let (sign, own) = Self.mark(of: step)
      let changes = CellText.changes(step.changedFields)
      return [("  " + (sign == " " ? "" : sign + " ") + Self.label(step), own)]
        + (changes.isEmpty ? [] : [("  ", .plain)] + changes)
    }
    if rows.isEmpty { head.append(("  \(event.stream.text) \(event.version)", style)) }
    if !isChosen { return [head + (rows.first ?? [])] }
    let reason = refusal.map { Screen.wrapped([("  could not apply: \($0)", .of(.red))], to: width).prefix(2) } ?? []
    // One row is in the event's own line, if it has room there.
    let first = Screen.wrapped(head + (rows.first ?? []), to: width, hanging: 2).prefix(5)
    return first + reason + rows.dropFirst().prefix(8).flatMap { Screen.wrapped($0, to: width).prefix(4) }
  }

  /// A row's id and the field by which people know it, or all of a deleted row.
  private static func label(_ step: RowStep) -> String {
    let row = step.change.row
    if step.isDeletion { return step.line ?? TextLines.row(row) }
    let name = ScrubColumns.ordered(row.members.map(\.name)).first.map { row.member(ExactString($0)) }
    guard case .string(let text)? = name, !text.isEmpty else { return row.id }
    return "\(row.id) \(text)"
  }

  /// The row's fields, and its changes near the shown position.
  private func rowLines(width: Int, height: Int) -> [ScrubLine] {
    guard let id = selectedID, height > 0 else { return [[("no row is under the cursor", .dim)]] }
    let lines =
      selectedRecord.map { fieldLines($0, width: width, most: max(1, height / 3)) }
      ?? [[(shown?.list == nil ? "reading the list…" : "not in the list here", .dim)]]
    let room = height - lines.count
    guard room > 0 else { return lines }
    guard let history else { return lines + [[(historyState(of: id), .dim)]] }
    let here = history.steps.lastIndex { $0.position <= position }
    let wide = "\(history.steps.last?.position ?? 0)".count
    func line(_ index: Int) -> ScrubLine {
      let step = history.steps[index]
      let number = Text.padded("\(step.position)", to: wide, .right)
      let line = [(index == here ? "◀ " : "  ", .bold), (number + "  ", .plain)] + Self.pieces(of: step, history)
      return line.map { ($0.text, step.position > position ? .dim : $0.style) }
    }
    // The change that produced the shown row is whole, each other change has a line.
    let whole = here.map { Screen.wrapped(line($0), to: width, hanging: 2).prefix(min(4, room)) } ?? []
    let rest = room - max(0, whole.count - 1)
    let first = max(0, min((here ?? 0) - rest / 2, history.steps.count - rest))
    return lines + (first..<min(history.steps.count, first + rest)).flatMap { $0 == here ? Array(whole) : [line($0)] }
  }

  /// What is known about a row's history that was not read.
  func historyState(of id: String) -> String {
    unreadable.contains(id) ? "its history cannot be read" : "reading the row's changes…"
  }

  /// The fields of a row without those that repeat others, as many to a line as fit.
  private func fieldLines(_ record: Record, width: Int, most: Int) -> [ScrubLine] {
    var lines: [ScrubLine] = []
    var used = width
    let repeated = CellText.repeated(in: [record])
    for name in fieldNames where name == field || !repeated.contains(name) {
      let value = record.member(ExactString(name))
      let text = Text.cut(
        Text.safe("\(name) \(name == field ? TextLines.value(value) : CellText.text(value))"), to: max(8, width - 2))
      if used + Text.width(text) + 2 > width {
        lines.append([])
        used = 0
      }
      let isFirst = lines[lines.count - 1].isEmpty
      lines[lines.count - 1] += [(isFirst ? "" : "  ", .plain), (text, name == field ? .chosen : .of(.cyan))]
      used += Text.width(text) + (isFirst ? 0 : 2)
    }
    // The field under the cursor is in sight.
    let chosen = lines.firstIndex { $0.contains { $0.style == .chosen } } ?? 0
    return Array(lines.dropFirst(max(0, min(chosen - most + 1, lines.count - most))).prefix(most))
  }

  /// The change of a row by an event, and the actor.
  static func pieces(of step: RecordStep, _ history: ScrubHistory) -> ScrubLine {
    let actor = history.actors[step.position].map { [("  \($0)", CellStyle.of(.cyan))] } ?? []
    guard let new = step.new else { return [("deleted", .plain)] + actor }
    if let old = step.old { return CellText.changes(old.difference(to: new)) + actor }
    let repeated = CellText.repeated(in: [new])
    let fields = ScrubColumns.ordered(new.members.map(\.name)).filter { !repeated.contains($0) }.map {
      "\($0) \(CellText.text(new.member(ExactString($0))))"
    }
    return [("inserted  " + fields.joined(separator: ", "), .plain)] + actor
  }
}

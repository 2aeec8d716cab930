import Annals
import AnnalsLog

extension ScrubModel {
  /// Draws the list, or how far it was read.
  func drawList(in area: ScrubLayout.Area, into screen: inout Screen) {
    guard area.height > 0 else { return }
    func say(_ text: String) { screen.write(text, area.x, area.y, width: area.width, .dim) }
    guard let shown, let lines else {
      let end = shown.map { " of \(Text.grouped($0.end.rawValue))" } ?? ""
      let progress = reached.map { "  \(Text.grouped($0.rawValue))\(end) events" } ?? ""
      return say(message?.isError == true ? "" : "reading the \(shown == nil ? "log" : "list")…\(progress)")
    }
    if lines.list.rowCount == 0 {
      say(filtered != nil ? "no row has this text" : position == 0 ? "nothing has happened yet" : "the list is empty")
    }
    let steps = Dictionary(
      shown.batch.rows.compactMap { step in step.isDeletion ? nil : (ExactString(step.change.row.id), step) },
      uniquingKeysWith: { $1 })
    let places = lines.lines(from: top, layout.lineCount)
    let rows = places.map { place in
      let record = place.row < 0 ? nil : lines.list.record(at: place)
      return record.map { ScrubColumns.Row($0, steps[ExactString($0.id)]) }
    }
    let columns = ScrubColumns(
      rows.compactMap { $0 }, width: area.width - 2, heading: shown.setting.section ?? facts.value("--section-by"),
      wanted: [field, shown.setting.sort].compactMap { $0 })
    let first = area.y + area.height - layout.lineCount
    if first > area.y, let row = places.first(where: { $0.row >= 0 }), lines.list.line(at: row) == nil {
      drawNames(columns, in: area, into: &screen)
    }
    for (index, place) in places.enumerated() {
      let y = first + index
      if let row = rows[index] {
        draw(row, lines.list.line(at: place), columns, y, in: area, into: &screen)
      } else {
        let section = lines.list.section(place.section)
        let title = section.title.isEmpty ? "(no title)" : section.title
        let changes = Self.counts(shown.batch.rows.filter { $0.change.section == place.section })
        let counts: ScrubLine = [("  \(section.count)  ", .dim)] + changes
        let width = counts.reduce(0) { $0 + Text.width($1.text) }
        let end = screen.write(title, area.x, y, width: area.width - width, .bold)
        screen.write(counts, end, y, width: area.x + area.width - end)
      }
    }
  }

  private func drawNames(_ columns: ScrubColumns, in area: ScrubLayout.Area, into screen: inout Screen) {
    screen.write("id", area.x + 2, area.y, width: columns.idWidth, .dim)
    var x = area.x + 2 + columns.idWidth
    for column in columns.columns {
      let name = Text.cut(Text.safe(column.name), to: column.width)
      let shift = column.isNumber ? column.width - Text.width(name) : 0
      screen.write(name, x + 2 + shift, area.y, width: column.width, column.name == field ? .bold : .dim)
      x += 2 + column.width
    }
  }

  private func draw(
    _ row: ScrubColumns.Row, _ line: String?, _ columns: ScrubColumns, _ y: Int, in area: ScrubLayout.Area,
    into screen: inout Screen
  ) {
    let (mark, style) = Self.mark(of: row.step)
    screen.write(mark, area.x, y, width: 1, CellStyle(colour: style.colour, isBold: true))
    var end = area.x + 2
    if let line {
      end = screen.write(line, end, y, width: area.width - 2, style)
      if !row.changes.isEmpty {
        end = screen.write([("  ", .plain)] + CellText.changes(row.changes), end, y, width: area.x + area.width - end)
      }
    } else {
      screen.write(row.record.id, end, y, width: columns.idWidth, style)
      end += columns.idWidth
      for column in columns.columns {
        let text = ScrubColumns.text(column.name, row, column.dates, width: column.width)
        let shift = column.isNumber ? column.width - Text.width(text) : 0
        let isChanged = row.changes.contains { $0.name == column.name }
        screen.write(text, end + 2 + shift, y, width: column.width - shift, isChanged ? .of(.yellow) : style)
        end += 2 + column.width
      }
    }
    if case .move(_, let from, let to, _)? = row.step?.change, from.section == to.section,
      shown?.batch.sections.isEmpty ?? false
    {
      let text = to.row < from.row ? "↑\(from.row - to.row)" : "↓\(to.row - from.row)"
      let start = area.x + area.width - Text.width(text)
      if start > end + 1 { screen.write(text, start, y, width: Text.width(text), .dim) }
    }
    // The whole line has one style, because reversed spaces and texts of different colours look patchy.
    if row.record.id == selectedID {
      screen.style(area.x, y, width: area.width) { $0 = CellStyle(colour: style.colour, isReversed: true) }
    }
  }

  /// The mark of a row's change, and its colour.
  static func mark(of step: RowStep?) -> (text: String, style: CellStyle) {
    switch step?.change {
    case nil: (" ", .plain)
    case .insert(_, _, true), .move: (">", .of(.blue))
    case .insert: ("+", .of(.green))
    case .delete: ("−", .of(.red))
    case .update: step?.changedFields.isEmpty ?? true ? (" ", .plain) : ("~", .of(.yellow))
    }
  }

  /// The numbers of inserted, deleted, moved and changed rows, in the colours of their marks.
  static func counts(_ rows: [RowStep]) -> ScrubLine {
    // A row that moves to another section is a deletion and an insertion.
    let marks = rows.filter { if case .delete(_, _, true) = $0.change { false } else { true } }.map(mark)
    let pieces = ["+", "−", ">", "~"].compactMap { sign -> (text: String, style: CellStyle)? in
      let own = marks.filter { $0.text == sign }
      return own.first.map { ("\(sign)\(own.count)", $0.style) }
    }
    return Array(pieces.map { [$0] }.joined(separator: [(text: " ", style: CellStyle.plain)]))
  }
}

extension RowStep {
  /// True if the row is not in the list afterwards, or is so in another section.
  var isDeletion: Bool { if case .delete = change { true } else { false } }
}

extension RowChange {
  /// The section of the row afterwards, nil for a deleted row.
  fileprivate var section: Int? {
    switch self {
    case .delete: nil
    case .insert(_, let at, _): at.section
    case .move(_, _, let to, _): to.section
    case .update(_, _, let newAt): newAt.section
    }
  }
}

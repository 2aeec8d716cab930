import Annals
import AnnalsLog

extension ScrubModel {
  /// What happened to a row since the step before; nil if nothing did.
  func step(of id: String) -> RowStep? {
    // A row that went from one section to another is deleted and inserted; the second says where it is.
    moment?.batch.rows.last { step in
      if case .delete = step.change { return false }
      return ExactString(step.change.row.id) == ExactString(id)
    }
  }

  func drawList(in area: ScrubLayout.Area, into screen: inout Screen) {
    guard area.height > 0 else { return }
    guard let moment, let heading else {
      screen.write(message?.isError == true ? "" : "reading the log…", area.x, area.y, width: area.width, .dim)
      return
    }
    var y = area.y
    let lines = ListLines(list: moment.list, isSectioned: heading.isSectioned)
    let names = layout.hasColumnNames ? 1 : 0
    let places = lines.lines(from: top, area.height - names)
    if moment.list.rowCount == 0 {
      screen.write(
        moment.position == 0 ? "nothing has happened yet" : "the list is empty", area.x, y, width: area.width, .dim)
    }
    let steps = stepsByID
    let rows = places.filter { $0.row >= 0 }.map { place in
      let record = moment.list.record(at: RowPath(section: place.section, row: place.row))
      return ScrubColumns.Row(record: record, step: steps[ExactString(record.id)])
    }
    let columns = ScrubColumns(
      rows, width: area.width - 2, hiding: sectionField,
      wanted: [field, heading.setting.sort].compactMap { $0 })
    if names == 1, let first = rows.first {
      let hasLine = moment.list.path(of: first.record.id).flatMap { moment.list.line(at: $0) } != nil
      if !hasLine { drawNames(columns, in: area, into: &screen) }
      y += 1
    }
    var index = 0
    for place in places {
      if place.row < 0 {
        let section = moment.list.section(place.section)
        let end = screen.write(
          section.title.isEmpty ? "(no title)" : section.title, area.x, y, width: area.width - 8, .bold)
        screen.write("  \(section.count)", end, y, width: area.x + area.width - end, .dim)
      } else {
        draw(rows[index], RowPath(section: place.section, row: place.row), columns, y, in: area, into: &screen)
        index += 1
      }
      y += 1
    }
  }

  private var stepsByID: [ExactString: RowStep] {
    var steps: [ExactString: RowStep] = [:]
    for step in moment?.batch.rows ?? [] {
      if case .delete = step.change { continue }
      steps[ExactString(step.change.row.id)] = step
    }
    return steps
  }

  /// The field that the sections are cut by, if you chose it.
  private var sectionField: String? {
    heading?.setting.section ?? facts.value("--section-by")
  }

  private func drawNames(_ columns: ScrubColumns, in area: ScrubLayout.Area, into screen: inout Screen) {
    let y = area.y
    screen.write("id", area.x + 2, y, width: columns.idWidth, .dim)
    var x = area.x + 2 + columns.idWidth
    for column in columns.columns {
      let name = Text.cut(Text.safe(column.name), to: column.width)
      let shift = column.isNumber ? column.width - Text.width(name) : 0
      let isChosen = column.name == field
      screen.write(name, x + 2 + shift, y, width: column.width - shift, isChosen ? CellStyle(isBold: true) : .dim)
      x += 2 + column.width
    }
  }

  private func draw(
    _ row: ScrubColumns.Row, _ path: RowPath, _ columns: ScrubColumns, _ y: Int, in area: ScrubLayout.Area,
    into screen: inout Screen
  ) {
    let (mark, style) = Self.mark(of: row.step)
    screen.write(mark, area.x, y, width: 1, CellStyle(colour: style.colour, isBold: true))
    var end = area.x + 2
    if let line = moment?.list.line(at: path) {
      end = screen.write(line, end, y, width: area.width - 2, style)
      let changes = (row.step?.changedFields ?? []).map {
        "\($0.name) \(TextLines.value($0.old)) → \(TextLines.value($0.new))"
      }
      if !changes.isEmpty {
        end = screen.write(
          "  " + changes.joined(separator: ", "), end, y, width: area.x + area.width - end, .of(.yellow))
      }
    } else {
      screen.write(row.record.id, end, y, width: columns.idWidth, style)
      end += columns.idWidth
      for column in columns.columns {
        let text = Text.cut(ScrubColumns.text(column.name, row), to: column.width)
        let shift = column.isNumber ? column.width - Text.width(text) : 0
        let isChanged = row.step?.changedFields.contains { $0.name == column.name } ?? false
        screen.write(
          text, end + 2 + shift, y, width: column.width - shift, isChanged ? .of(.yellow) : style)
        end += 2 + column.width
      }
    }
    if case .move(_, let from, let to, _)? = row.step?.change {
      let text = "\(from) → \(to)"
      let start = area.x + area.width - Text.width(text)
      if start > end + 1 { screen.write(text, start, y, width: Text.width(text), .dim) }
    }
    if row.record.id == selectedID {
      screen.style(area.x, y, width: area.width) { $0 = $0.reversed }
    }
  }

  /// The mark of what happened to a row, and its colour.
  static func mark(of step: RowStep?) -> (text: String, style: CellStyle) {
    switch step?.change {
    case nil: (" ", .plain)
    case .insert(_, _, true): (">", .of(.blue))
    case .insert: ("+", .of(.green))
    case .delete: ("−", .of(.red))
    case .move: (">", .of(.blue))
    case .update: step?.changedFields.isEmpty ?? true ? (" ", .plain) : ("~", .of(.yellow))
    }
  }
}

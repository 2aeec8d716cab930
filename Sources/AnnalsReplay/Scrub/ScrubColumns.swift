import Annals
import AnnalsLog

/// The columns in which rows are shown: the id and a field per column, as wide as the values in sight.
struct ScrubColumns {
  struct Column {
    let name: String
    /// The width with room for all, and then the width that it has.
    var width: Int
    /// The width in which no number, no new value and no day is cut, if the column isn't wider than a few characters.
    let least: Int
    let isNumber: Bool
    let dates: CellText.DateForm
  }

  /// A row as it is shown.
  struct Row {
    let record: Record
    /// The row's change, nil if it has none.
    let step: RowStep?
    /// The changed fields of the step.
    let changes: [(name: String, old: JSONValue, new: JSONValue)]

    init(_ record: Record, _ step: RowStep?) {
      (self.record, self.step, changes) = (record, step, step?.changedFields ?? [])
    }

    func value(_ name: String) -> JSONValue { record.member(ExactString(name)) }
  }

  let idWidth: Int
  let columns: [Column]

  /// - Parameters:
  ///   - rows: The rows in sight.
  ///   - width: The number of columns of the screen.
  ///   - heading: The field in the headings of the sections, if any.
  ///   - wanted: Fields that are shown first.
  init(_ rows: [Row], width: Int, heading: String?, wanted: [String]) {
    let changed = rows.flatMap { $0.changes.map(\.name) }
    let repeated = CellText.repeated(in: rows.map(\.record), heading: heading).subtracting(wanted + changed)
    let names = Self.ordered(rows.flatMap { $0.record.members.map(\.name) }).filter {
      $0 != heading && !repeated.contains($0)
    }
    idWidth = min(max(4, width / 4), max(2, rows.map { Text.width(Text.safe($0.record.id)) }.max() ?? 2))
    let natural = Dictionary(
      uniqueKeysWithValues: names.map { name in
        let dates = rows.compactMap { CellText.date($0.value(name)) }
        let form = CellText.DateForm(dates)
        let isText = rows.contains { if case .string = $0.value(name) { true } else { false } }
        let width = ([Text.safe(name)] + rows.map { Self.text(name, $0, form) }).map(Text.width).max() ?? 0
        let news = rows.flatMap(\.changes).filter { $0.name == name }.map { CellText.least($0.old, $0.new) }
        let least = min(20, news.max() ?? 0)
        return (
          name,
          Column(
            name: name, width: width, least: min(width, max(isText ? dates.isEmpty ? 8 : 10 : 20, least)),
            isNumber: !isText,
            dates: form)
        )
      })
    // The first field, the wanted and the changed fields, and then further fields that have room for a few characters.
    var (chosen, left) = (Set<String>(), width - idWidth)
    let small = changed.sorted { natural[$0]?.least ?? 0 < natural[$1]?.least ?? 0 }
    for name in Self.unique(Array(names.prefix(1)) + wanted + small + names) {
      guard let column = natural[name] else { continue }
      left -= column.least + 2
      if left < 0 { break }
      chosen.insert(name)
    }
    let shown = names.filter { chosen.contains($0) }.compactMap { natural[$0] }
    columns = Self.narrowed(shown, to: width - idWidth - 2 * shown.count)
  }

  /// Columns that fit together: the widest ones become narrower.
  private static func narrowed(_ columns: [Column], to width: Int) -> [Column] {
    func size(_ column: Column, _ limit: Int) -> Int { min(column.width, max(column.least, limit)) }
    func sum(_ limit: Int) -> Int { columns.reduce(0) { $0 + size($1, limit) } }
    var limit = columns.map(\.width).max() ?? 0
    while limit > 0, sum(limit) > width { limit -= 1 }
    var left = width - sum(limit)
    return columns.map { column in
      var narrow = column
      narrow.width = size(column, limit)
      if left > 0, narrow.width < column.width { (narrow.width, left) = (narrow.width + 1, left - 1) }
      return narrow
    }
  }

  /// A field of a row, with its former value if it changed.
  static func text(_ name: String, _ row: Row, _ dates: CellText.DateForm, width: Int? = nil) -> String {
    if let change = row.changes.first(where: { $0.name == name }) {
      return CellText.change(change.old, change.new, width: width)
    }
    let value = row.value(name)
    let text = value == .null ? "" : Text.safe(CellText.text(value, dates))
    return Text.cut(text, to: width)
  }

  /// Names of fields, beginning with the field by which people know a row.
  static func ordered(_ names: [String]) -> [String] {
    let all = Set(names)
    return unique(["title", "name", "label", "path", "text", "summary"].filter { all.contains($0) } + names)
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}

import Annals
import AnnalsLog

/// The columns in which rows are shown: a field each, as wide as what is in sight.
struct ScrubColumns {
  struct Column {
    let name: String
    let width: Int
    let isNumber: Bool
  }

  /// A row as it is shown.
  struct Row {
    let record: Record
    /// What happened to it; nil if nothing did.
    let step: RowStep?
  }

  let idWidth: Int
  let columns: [Column]

  /// - Parameters:
  ///   - rows: The rows in sight.
  ///   - width: How many columns of the screen they may use.
  ///   - hidden: A field that is seen otherwise, such as that of the sections.
  ///   - wanted: Fields that are to be in sight, whatever others need.
  init(_ rows: [Row], width: Int, hiding hidden: String?, wanted: [String]) {
    var names: [String] = []
    for row in rows {
      for member in row.record.members where member.name != hidden && !names.contains(member.name) {
        names.append(member.name)
      }
    }
    names = Self.ordered(names)
    idWidth = min(max(4, width / 4), max(2, rows.map { Text.width(Text.safe($0.record.id)) }.max() ?? 2))
    var natural: [String: Int] = [:]
    var texts: Set<String> = []
    for name in names {
      var widest = Text.width(Text.safe(name))
      for row in rows {
        widest = max(widest, Text.width(Self.text(name, row)))
        if case .string = row.record[ExactString(name)] { texts.insert(name) }
      }
      natural[name] = widest
    }
    // The first field, what changed, and what you chose; then as many others as find room for a few characters.
    let changed = rows.flatMap { $0.step?.changedFields.map(\.name) ?? [] }
    let order = Self.unique((Array(names.prefix(1)) + wanted + changed + names).filter { natural[$0] != nil })
    var (chosen, left) = (Set<String>(), width - idWidth)
    for name in order {
      let least = min(natural[name] ?? 0, Self.leastWidth) + 2
      guard left >= least else { break }
      chosen.insert(name)
      left -= least
    }
    let shown = names.filter { chosen.contains($0) }
    let widths = Self.shared(width - idWidth - 2 * shown.count, among: shown.map { natural[$0] ?? 0 })
    columns = zip(shown, widths).map { Column(name: $0, width: $1, isNumber: !texts.contains($0)) }
  }

  /// The width of a column that has no room for more.
  private static let leastWidth = 9

  /// Widths of columns that together fit: the widest ones give way.
  private static func shared(_ width: Int, among natural: [Int]) -> [Int] {
    guard natural.reduce(0, +) > width else { return natural }
    var limit = natural.max() ?? 0
    while limit > 1, natural.reduce(0, { $0 + min($1, limit) }) > width { limit -= 1 }
    var widths = natural.map { min($0, limit) }
    var left = width - widths.reduce(0, +)
    for index in widths.indices where left > 0 && widths[index] < natural[index] {
      widths[index] += 1
      left -= 1
    }
    return widths
  }

  /// A field of a row: what it was and is, where it changed.
  static func text(_ name: String, _ row: Row) -> String {
    if let change = row.step?.changedFields.first(where: { $0.name == name }) {
      return Text.safe("\(TextLines.value(change.old)) → \(TextLines.value(change.new))")
    }
    let value = row.record.member(ExactString(name))
    return value == .null ? "" : Text.safe(TextLines.value(value))
  }

  /// Names of fields: the one by which people know a row first.
  static func ordered(_ names: [String]) -> [String] {
    unique(["title", "name", "label", "path", "text", "summary"].filter { names.contains($0) } + names)
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}

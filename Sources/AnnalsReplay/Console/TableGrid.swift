/// Columns side by side, as wide as their cells need.
///
/// The first rows decide how wide. A wider cell of a later row moves the rest of its row to the right.
struct TableGrid {
  /// How many rows are kept before the first is printed.
  private static let sample = 1_000
  private static let gap = 2
  /// On a narrow terminal, a column of texts is cut to no fewer columns than this.
  private static let least = 8

  private let columns: [TableColumn]
  /// The columns of the terminal; nil if lines may be of any length.
  private let room: Int?
  private let hasColour: Bool
  private var kept: [[String]] = []
  /// The width of each column, when it is known.
  private var widths: [Int]?

  init(_ columns: [TableColumn], columns room: Int?, hasColour: Bool) {
    self.columns = columns
    self.room = room
    self.hasColour = hasColour
  }

  mutating func add(_ cells: [String], _ print: (String) throws -> Void) throws {
    if let widths { return try print(line(cells, widths)) }
    kept.append(cells)
    if kept.count >= Self.sample { try flush(print) }
  }

  /// Prints the kept rows, and a head if they are the first.
  ///
  /// A table without rows has no head.
  mutating func flush(_ print: (String) throws -> Void) throws {
    if kept.isEmpty { return }
    // A column may have the name of a field.
    let heads = columns.map { Text.safe($0.title) }
    var widths = heads.map { Text.width($0) }
    for cells in kept {
      for (index, cell) in cells.enumerated() { widths[index] = max(widths[index], Text.width(cell)) }
    }
    if let room { narrow(&widths, to: room) }
    self.widths = widths
    try print(Style.bold.on(line(heads, widths), if: hasColour))
    for cells in kept { try print(line(cells, widths)) }
    kept = []
  }

  /// Makes the widest column of texts narrower, again and again, until all fit or none can be narrower.
  private func narrow(_ widths: inout [Int], to room: Int) {
    var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - room
    while excess > 0 {
      let texts = columns.indices.filter { columns[$0].alignment == .left && widths[$0] > Self.least }
      guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { return }
      let second = texts.filter { $0 != widest }.map { widths[$0] }.max() ?? Self.least
      let less = min(excess, max(1, widths[widest] - max(second, Self.least)))
      widths[widest] -= less
      excess -= less
    }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { line += String(repeating: " ", count: Self.gap) }
      let isLast = index == cells.count - 1 && columns[index].alignment == .left
      let cut = room == nil ? cell : Text.cut(cell, to: widths[index])
      line += isLast ? cut : Text.padded(cut, to: widths[index], columns[index].alignment)
    }
    while line.last == " " { line.removeLast() }
    // Numbers are never cut by themselves, but a line that is too long would break.
    return Text.cut(line, to: room)
  }
}

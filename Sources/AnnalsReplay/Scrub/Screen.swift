import Annals

/// What a terminal shows: rows of cells.
///
/// Each row has exactly as many columns as the screen, whatever is written: a text is cut at the columns that it may
/// use, and a character that is two columns wide is never cut in two.
struct Screen: Equatable, Sendable {
  /// A column of a row.
  struct Cell: Hashable, Sendable {
    /// The character; empty in the further columns of a wide one.
    var text = " "
    /// The columns of the character, or 0 for a further column of a wide one.
    var width = 1
    var style = CellStyle.plain
  }

  let columns: Int
  let rows: Int
  private(set) var cells: [Cell]

  /// Creates an empty screen.
  init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    cells = Array(repeating: Cell(), count: self.columns * self.rows)
  }

  /// The cells of a row.
  func row(_ row: Int) -> ArraySlice<Cell> { cells[row * columns..<(row + 1) * columns] }

  /// The screen as text, a line for each row, without spaces at their ends.
  var lines: [String] {
    (0..<rows).map { row in
      var line = self.row(row).map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Writes a text, as far as it fits.
  ///
  /// The text may be any data: characters that control a terminal are written as their numbers.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - x: The column of its first character.
  ///   - y: The row.
  ///   - width: The number of columns that it may use; by default all up to the right edge.
  ///   - style: How it looks.
  ///   - isCut: True to end a text that does not fit by "…".
  /// - Returns: The column after the text.
  @discardableResult
  mutating func write(
    _ text: String, _ x: Int, _ y: Int, width: Int? = nil, _ style: CellStyle = .plain, isCut: Bool = true
  ) -> Int {
    guard (0..<rows).contains(y), x >= 0, x < columns else { return x }
    let end = min(columns, x + max(0, width ?? columns))
    if x >= end { return x }
    var safe = Text.safe(text)
    if isCut { safe = Text.cut(safe, to: end - x) }
    var column = x
    for character in safe {
      let size = Text.width(character)
      if size == 0 {
        // What has no column of its own stays with the character before it, unless it is none of a text.
        continue
      }
      if column + size > end { break }
      put(Cell(text: String(character), width: size, style: style), column, y)
      column += size
    }
    return column
  }

  /// Fills columns of a row with a character of one column.
  mutating func fill(_ x: Int, _ y: Int, width: Int, _ character: Character = " ", _ style: CellStyle = .plain) {
    guard (0..<rows).contains(y) else { return }
    for column in max(0, x)..<max(max(0, x), min(columns, x + width)) {
      put(Cell(text: String(character), width: 1, style: style), column, y)
    }
  }

  /// Gives columns of a row a style, and leaves their text.
  mutating func style(_ x: Int, _ y: Int, width: Int, _ change: (inout CellStyle) -> Void) {
    guard (0..<rows).contains(y) else { return }
    for column in max(0, x)..<max(max(0, x), min(columns, x + width)) { change(&cells[y * columns + column].style) }
  }

  private mutating func put(_ cell: Cell, _ x: Int, _ y: Int) {
    for column in x..<x + cell.width { clear(column, y) }
    let start = y * columns
    cells[start + x] = cell
    for column in x + 1..<max(x + 1, x + cell.width) {
      cells[start + column] = Cell(text: "", width: 0, style: cell.style)
    }
  }

  /// Removes the character that a column is a part of: what is left of a wide one that is overwritten is spaces.
  private mutating func clear(_ x: Int, _ y: Int) {
    var owner = x
    while owner > 0, cells[y * columns + owner].width == 0 { owner -= 1 }
    let size = max(1, cells[y * columns + owner].width)
    for column in owner..<min(columns, owner + size) { cells[y * columns + column] = Cell() }
  }

  /// A text in lines of some columns at most, cut at spaces where there are some.
  ///
  /// Spaces at its beginning stay.
  static func wrapped(_ text: String, to columns: Int) -> [String] {
    guard columns > 0 else { return [] }
    var lines: [String] = []
    let indent = text.prefix { $0 == " " }.prefix(columns / 2)
    var (line, used) = (String(indent), indent.count)
    if used > 0 {
      // The first word stands right behind them.
      let rest = wrapped(String(text.drop { $0 == " " }), to: columns - used)
      return rest.map { indent + $0 }
    }
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let size = Text.width(String(word))
      if used > 0, used + 1 + size > columns {
        lines.append(line)
        (line, used) = ("", 0)
      } else if used > 0 || !line.isEmpty {
        line += " "
        used += 1
      }
      for character in word {
        let size = Text.width(character)
        if used + size > columns {
          lines.append(line)
          (line, used) = ("", 0)
        }
        line.append(character)
        used += size
      }
    }
    return lines + [line]
  }
}

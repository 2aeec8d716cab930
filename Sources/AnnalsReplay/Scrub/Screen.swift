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

  /// Writes pieces of text one after the other, with one "…" where they don't fit.
  @discardableResult
  mutating func write(_ line: ScrubLine, _ x: Int, _ y: Int, width: Int) -> Int {
    let isWhole = line.reduce(0) { $0 + Text.width(Text.safe($1.text)) } <= width
    var column = x
    for piece in line {
      let end = column + Text.width(Text.safe(piece.text))
      let room = x + width - column - (isWhole ? 0 : 1)
      column = write(piece.text, column, y, width: room, piece.style, isCut: false)
      if column < end { return write("…", column, y, width: x + width - column, piece.style) }
    }
    return column
  }

  /// A line in lines of some columns at most, broken at spaces where there are some.
  ///
  /// All lines begin with the spaces of the first one, and all but the first with `hanging` more.
  static func wrapped(_ line: ScrubLine, to columns: Int, hanging: Int = 0) -> [ScrubLine] {
    var rest = line.flatMap { piece in Text.safe(piece.text).map { (text: $0, style: piece.style) } }[...]
    var indent = Array(rest.prefix { $0.text == " " }.prefix(columns / 2))
    if !indent.isEmpty { rest = rest.drop { $0.text == " " } }
    var lines: [ScrubLine] = []
    repeat {
      var (used, end) = (indent.count, rest.startIndex)
      while end < rest.endIndex, used + Text.width(rest[end].text) <= columns || end == rest.startIndex {
        used += Text.width(rest[end].text)
        end += 1
      }
      var next = end
      if end < rest.endIndex, let space = rest[...end].lastIndex(where: { $0.text == " " }), space > rest.startIndex {
        (end, next) = (space, space + 1)
      }
      lines.append((indent + rest[..<end]).map { (String($0.text), $0.style) })
      rest = rest[next...].drop { $0.text == " " }
      if lines.count == 1 { indent += Array(repeating: (" ", .plain), count: min(hanging, columns / 2)) }
    } while !rest.isEmpty
    return lines
  }
}

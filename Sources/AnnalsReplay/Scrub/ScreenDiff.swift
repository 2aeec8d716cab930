/// The text that turns what a terminal shows into another screen.
///
/// Only what differs is sent, in one piece, so that nothing flickers.
struct ScreenDiff {
  let hasColour: Bool

  /// The text to send.
  ///
  /// - Parameters:
  ///   - old: What the terminal shows; nil if it is not known, as after a change of its size.
  ///   - new: What it is to show.
  /// - Returns: The text; empty if nothing differs.
  func text(from old: Screen?, to new: Screen) -> String {
    let known = old.flatMap { $0.columns == new.columns && $0.rows == new.rows ? $0 : nil }
    if let known, known == new { return "" }
    // The terminal shows the frame when it has all of it, if it knows this mode.
    var text = "\u{1B}[?2026h"
    if known == nil { text += "\u{1B}[0m\u{1B}[2J" }
    // The style of what is written, and the column behind it; nil if the terminal may be elsewhere.
    var style: CellStyle?
    for row in 0..<new.rows {
      let (cells, shown) = (Array(new.row(row)), known.map { Array($0.row(row)) })
      var place: Int?
      for (column, cell) in cells.enumerated() where cell.width > 0 {
        if let shown, shown[column..<column + cell.width] == cells[column..<column + cell.width] { continue }
        if place != column { text += Self.move(column, row) }
        if style != cell.style {
          text += cell.style.escape(hasColour)
          style = cell.style
        }
        if Self.isCertain(cell) {
          text += cell.text
          place = column + 1
        } else {
          // Terminals do not agree on how wide some characters are. Each gets an empty place, and the next is placed.
          text += String(repeating: " ", count: cell.width) + Self.move(column, row) + cell.text
          place = nil
        }
      }
    }
    return text + "\u{1B}[0m\u{1B}[?2026l"
  }

  private static func move(_ column: Int, _ row: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }

  /// True if every terminal gives the character the same place.
  private static func isCertain(_ cell: Screen.Cell) -> Bool {
    guard cell.width == 1, let first = cell.text.unicodeScalars.first, cell.text.unicodeScalars.count == 1 else {
      return false
    }
    return first.value < 0x300 || 0x2500...0x259F ~= first.value
  }
}

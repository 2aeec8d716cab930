/// The places of all parts on a screen of some size.
///
/// A large screen has frames and a pane next to the list. A narrow screen has the list and a line about the cause. A
/// tiny screen has a line, the list, and a line.
struct ScrubLayout: Equatable {
  /// A rectangle of the screen.
  struct Area: Equatable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int

    func contains(_ x: Int, _ y: Int) -> Bool {
      (self.x..<self.x + width).contains(x) && (self.y..<self.y + height).contains(y)
    }
  }

  let hasFrame: Bool
  /// The row of the bars, and below it those of the marks and of the dates, as far as there is room.
  let curve: Area
  let list: Area
  /// The pane next to the list.
  let side: Area?
  /// The row about the cause, where there is no pane.
  let cause: Area?
  /// The last row: keys, messages, and your input.
  let status: Area

  /// True if the list's first line has the names of its fields.
  var hasColumnNames: Bool { list.height >= 6 && list.width >= 30 }
  /// The number of lines of the list.
  var lineCount: Int { max(0, list.height - (hasColumnNames ? 1 : 0)) }

  init(columns: Int, rows: Int) {
    hasFrame = columns >= 72 && rows >= 14
    if hasFrame {
      curve = Area(x: 2, y: 1, width: columns - 4, height: rows >= 20 ? 3 : rows >= 18 ? 2 : 1)
      let first = curve.height + 2
      // Wide screens give the pane more, up to the width of a line that is easy to read.
      let pane = min(64, columns * 42 / 100)
      list = Area(x: 2, y: first, width: columns - pane - 6, height: rows - first - 3)
      side = Area(x: columns - pane - 1, y: first, width: pane - 1, height: list.height)
      cause = nil
      status = Area(x: 2, y: rows - 2, width: columns - 4, height: 1)
      return
    }
    side = nil
    let isSmall = rows < 8
    curve = Area(x: 0, y: 1, width: columns, height: isSmall ? 0 : 1)
    let last = rows - 1
    cause = isSmall ? nil : Area(x: 0, y: last - 1, width: columns, height: 1)
    list = Area(x: 0, y: isSmall ? 1 : 2, width: columns, height: max(0, last - (isSmall ? 1 : 3)))
    status = Area(x: 0, y: max(0, last), width: columns, height: 1)
  }
}

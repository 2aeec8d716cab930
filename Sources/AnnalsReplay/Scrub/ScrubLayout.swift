/// Where things are on a screen of some size.
///
/// A large screen has frames and a pane beside the list; a narrow one has the list and a line about the cause; on a
/// tiny one there is a line, the list, and a line.
struct ScrubLayout: Equatable {
  /// A rectangle of the screen.
  struct Area: Equatable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
  }

  let hasFrame: Bool
  /// The row of the bars; nil if there is no room.
  let bars: Area?
  /// The row of the marks below them; nil if they stand in the bars.
  let marks: Area?
  let list: Area
  /// The pane beside the list.
  let side: Area?
  /// The row about the cause, where there is no pane.
  let cause: Area?
  /// The last row: keys, messages, what you type.
  let status: Area

  var listHeight: Int { list.height }
  /// True if the list's first line has the names of its fields.
  var hasColumnNames: Bool { list.height >= 6 && list.width >= 30 }

  init(columns: Int, rows: Int) {
    if columns >= 72, rows >= 14 {
      hasFrame = true
      bars = Area(x: 2, y: 1, width: columns - 4, height: 1)
      marks = rows >= 18 ? Area(x: 2, y: 2, width: columns - 4, height: 1) : nil
      let first = (marks == nil ? 2 : 3) + 1
      let height = rows - first - 3
      // Wide screens give the pane more, up to what a line is read well in.
      let pane = min(64, columns * 45 / 100)
      list = Area(x: 2, y: first, width: columns - pane - 5, height: height)
      side = Area(x: columns - pane - 1, y: first, width: pane - 1, height: height)
      cause = nil
      status = Area(x: 2, y: rows - 2, width: columns - 4, height: 1)
      return
    }
    hasFrame = false
    (side, marks) = (nil, nil)
    let isSmall = rows < 8
    bars = isSmall ? nil : Area(x: 0, y: 1, width: columns, height: 1)
    let first = isSmall ? 1 : 2
    let last = rows - 1
    cause = isSmall ? nil : Area(x: 0, y: last - 1, width: columns, height: 1)
    list = Area(x: 0, y: first, width: columns, height: max(0, last - first - (isSmall ? 0 : 1)))
    status = Area(x: 0, y: max(0, last), width: columns, height: 1)
  }
}

import Annals

/// Some rows of a list, as `--limit` and `--offset` choose them.
///
/// A controller that is asked for fewer rows than the app saved cannot begin with what was saved. Where rows are only
/// shown, the whole saved list is opened, and read through this: of a million events 0.05 s instead of 2.
struct WindowedList: ShownList {
  private let base: any ShownList
  /// The sections that have rows in the window: their indices in the list, and their first and following row there.
  private let sections: [(index: Int, rows: Range<Int>)]

  /// - Parameters:
  ///   - base: The whole list.
  ///   - limit: The largest number of rows, 0 or more; nil for all.
  ///   - offset: The number of rows to leave out at the beginning, 0 or more.
  init(_ base: any ShownList, limit: Int?, offset: Int) {
    self.base = base
    var sections: [(index: Int, rows: Range<Int>)] = []
    var (skip, left) = (offset, limit ?? Int.max)
    for index in 0..<base.sectionCount {
      if left == 0 { break }
      let count = base.section(index).count
      let first = min(skip, count)
      skip -= first
      let end = first + min(left, count - first)
      left -= end - first
      if first < end { sections.append((index, first..<end)) }
    }
    self.sections = sections
  }

  var position: Position { base.position }
  var rowCount: Int { sections.reduce(0) { $0 + $1.rows.count } }
  var total: Int { base.total }
  var sectionCount: Int { sections.count }

  func section(_ index: Int) -> ShownSection {
    let (place, rows) = sections[index]
    let whole = base.section(place)
    return ShownSection(
      key: whole.key, title: whole.title, indexTitle: whole.indexTitle, count: rows.count, total: whole.total)
  }

  func record(at path: RowPath) -> Record { base.record(at: whole(path)) }

  func line(at path: RowPath) -> String? { base.line(at: whole(path)) }

  func path(of id: String) -> RowPath? {
    guard let path = base.path(of: id), let at = sections.firstIndex(where: { $0.index == path.section }),
      sections[at].rows.contains(path.row)
    else { return nil }
    return RowPath(section: at, row: path.row - sections[at].rows.lowerBound)
  }

  /// The path in the whole list.
  private func whole(_ path: RowPath) -> RowPath {
    let (index, rows) = sections[path.section]
    return RowPath(section: index, row: rows.lowerBound + path.row)
  }
}

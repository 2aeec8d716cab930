import Annals

/// Some rows of a list, as `--limit` and `--offset` choose them.
///
/// A controller that is asked for fewer rows than the app saved cannot begin with what was saved. Where rows are only
/// shown, the whole saved list is opened, and read through this: of a million events 0.05 s instead of 2.
struct WindowedList: PartialList {
  let base: any ShownList
  let sections: [(index: Int, rows: Range<Int>)]

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
}

import Annals

/// The first rows of a list, as `--limit` chooses them.
///
/// A controller that is asked for fewer rows than the app saved cannot begin with what was saved. Where rows are only
/// shown, the whole saved list is opened, and read through this: of a million events 0.05 s instead of 2.
struct WindowedList: PartialList {
  let base: any ShownList
  let sections: [(index: Int, rows: Range<Int>)]

  /// - Parameters:
  ///   - base: The whole list.
  ///   - limit: The largest number of rows, 0 or more.
  init(_ base: any ShownList, limit: Int) {
    self.base = base
    var sections: [(index: Int, rows: Range<Int>)] = []
    var left = limit
    for index in 0..<base.sectionCount where left > 0 {
      let count = min(left, base.section(index).count)
      left -= count
      if count > 0 { sections.append((index, 0..<count)) }
    }
    self.sections = sections
  }
}

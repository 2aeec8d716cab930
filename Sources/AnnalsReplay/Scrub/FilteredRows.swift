import Annals

/// A search for rows by their text.
struct RowSearch {
  private let words: String

  init(_ text: String) { words = text.lowercased() }

  /// True if the row's id, its line or one of its values contains the text.
  func matches(_ list: any ShownList, _ path: RowPath) -> Bool {
    let record = list.record(at: path)
    return record.id.lowercased().contains(words) || list.line(at: path)?.lowercased().contains(words) ?? false
      || record.members.contains { TextLines.value($0.value).lowercased().contains(words) }
  }
}

/// The first rows of a list that contain a text.
struct FilteredRows: PartialList {
  /// The largest number of rows.
  ///
  /// The screen shows fewer, and a search for a frequent text ends soon.
  static let most = 500

  let text: String
  let base: any ShownList
  private(set) var sections: [(index: Int, rows: [Int])] = []

  /// Searches a list.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - base: The list.
  ///   - check: A closure that is called often. It throws to end the search.
  /// - Throws: The errors of `check`.
  init(_ text: String, in base: any ShownList, check: () throws -> Void) throws {
    (self.text, self.base) = (text, base)
    let search = RowSearch(text)
    var left = Self.most
    for index in 0..<base.sectionCount where left > 0 {
      var rows: [Int] = []
      for row in 0..<base.section(index).count where left > 0 {
        if row.isMultiple(of: 64) { try check() }
        guard search.matches(base, RowPath(section: index, row: row)) else { continue }
        rows.append(row)
        left -= 1
      }
      if !rows.isEmpty { sections.append((index, rows)) }
    }
  }

  /// The first row at or after a path of the whole list, or the first row of all, or nil.
  func first(from path: RowPath?) -> RowPath? {
    for (index, section) in sections.enumerated() {
      let row = section.rows.firstIndex { row in path.map { RowPath(section: section.index, row: row) >= $0 } ?? true }
      if let row { return RowPath(section: index, row: row) }
    }
    return rowCount > 0 ? RowPath(section: 0, row: 0) : nil
  }
}

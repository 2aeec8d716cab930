package import Annals

extension MirrorTable {
  /// Shows other content in a row, as you do with the cell of `cellForRow(at:)`; does nothing if there is no such row.
  ///
  /// - Parameters:
  ///   - row: What to show.
  ///   - path: Where, in the table as it is; an open bracket has not changed it yet.
  package mutating func setContent(_ row: Row, at path: RowPath) {
    guard Self.cell(at: path, of: sections) != nil else { return }
    sections[path.section].cells[path.row].row = row
  }

  /// Shows another title, as you do with `headerView(forSection:)`; does nothing if there is no such section.
  ///
  /// - Parameters:
  ///   - title: What to show.
  ///   - section: The section's index in the table as it is.
  package mutating func setTitle(_ title: String, ofSection section: Int) {
    if sections.indices.contains(section) { sections[section].title = title }
  }

  /// True if the table was reloaded inside the open bracket.
  package var isReloaded: Bool { bracket?.isReloaded ?? false }
}

package import Annals

extension MirrorTable {
  /// Changes the content of a row, as an app changes the cell that `cellForRow(at:)` returns.
  ///
  /// If the row doesn't exist, the call has no effect.
  ///
  /// - Parameters:
  ///   - row: The new content.
  ///   - path: The row's current index path. An open update cycle hasn't changed this index path yet.
  package mutating func setContent(_ row: Row, at path: RowPath) {
    guard Self.cell(at: path, of: sections) != nil else { return }
    sections[path.section].cells[path.row].row = row
  }

  /// Changes the title of a section, as an app changes the view that `headerView(forSection:)` returns.
  ///
  /// If the section doesn't exist, the call has no effect.
  ///
  /// - Parameters:
  ///   - title: The new title.
  ///   - section: The section's current index.
  package mutating func setTitle(_ title: String, ofSection section: Int) {
    if sections.indices.contains(section) { sections[section].title = title }
  }

  /// True if the table was reloaded in the current update cycle.
  package var isReloaded: Bool { bracket?.isReloaded ?? false }
}

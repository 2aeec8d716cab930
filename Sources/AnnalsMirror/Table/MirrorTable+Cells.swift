package import Annals

extension MirrorTable {
  /// Changes the content of a row, like in the cell of `cellForRow(at:)`, if the row exists.
  ///
  /// - Parameters:
  ///   - row: The new content.
  ///   - path: The current path, which an open update cycle hasn't changed yet.
  package mutating func setContent(_ row: Row, at path: RowPath) {
    guard Self.cell(at: path, of: sections) != nil else { return }
    sections[path.section].cells[path.row].row = row
  }

  /// Changes the title of a section, like in `headerView(forSection:)`, if the section exists.
  ///
  /// - Parameters:
  ///   - title: The new title.
  ///   - section: The section's current index.
  package mutating func setTitle(_ title: String, ofSection section: Int) {
    if sections.indices.contains(section) { sections[section].title = title }
  }

  /// Whether the table was reloaded in the current update cycle.
  package var isReloaded: Bool { bracket?.isReloaded ?? false }
}

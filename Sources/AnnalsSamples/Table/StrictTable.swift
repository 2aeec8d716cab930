import Annals
package import Foundation

/// A table that keeps its own rows as UITableView does, and raises where UITableView would end the app.
///
/// It knows the list only from its delegate's calls and from its data source's answers when it loads a row. A wrong
/// batch is recorded in ``exception``, and then the table does nothing more. If a batch adds up but is wrong, you see
/// it in ``sections``.
package final class StrictTable {
  /// A section as the table shows it.
  package struct Section: Equatable, Sendable {
    /// The text above the section.
    package var title: String
    /// The texts of the rows.
    package var rows: [String]

    package init(_ title: String, _ rows: [String]) {
      (self.title, self.rows) = (title, rows)
    }
  }

  /// The sections and rows that the table shows.
  package private(set) var sections: [Section] = []
  /// The reason of the exception that stopped the table; nil if there was none.
  package private(set) var exception: String?
  /// The data source, which says what to show.
  package weak var dataSource: (any TableDataSource)?

  private var depth = 0
  private var batch = TableBatch()
  private var isReloadedInside = false

  package init() {}

  /// Begins a bracket; brackets may nest, and the outermost counts.
  package func beginUpdates() {
    depth += 1
  }

  /// Ends a bracket.
  ///
  /// The end of the outermost one applies its changes.
  package func endUpdates() {
    guard depth > 0 else { return raise("endUpdates without beginUpdates") }
    depth -= 1
    guard depth == 0 else { return }
    commit()
    isReloadedInside = false
  }

  /// Deletes the row at an old path.
  package func deleteRow(at path: IndexPath) { tell { $0.deletedRows += rows(path) } }

  /// Inserts a row at a new path.
  package func insertRow(at path: IndexPath) { tell { $0.insertedRows += rows(path) } }

  /// Reloads the row at an old path.
  package func reloadRow(at path: IndexPath) { tell { $0.reloadedRows += rows(path) } }

  /// Moves a row without reloading it.
  package func moveRow(at path: IndexPath, to newPath: IndexPath) {
    tell { $0.movedRows += zip(rows(path), rows(newPath)).map { .init(from: $0, to: $1) } }
  }

  /// Deletes the section at an old index.
  package func deleteSection(_ section: Int) { tell { $0.deletedSections.append(section) } }

  /// Inserts a section at a new index.
  package func insertSection(_ section: Int) { tell { $0.insertedSections.append(section) } }

  /// Reloads the section at an old index.
  package func reloadSection(_ section: Int) { tell { $0.reloadedSections.append(section) } }

  /// Moves a section with its rows.
  package func moveSection(_ section: Int, to newSection: Int) {
    tell { $0.movedSections.append(.init(from: section, to: newSection)) }
  }

  /// Reloads everything.
  ///
  /// Inside a bracket, no other change may follow.
  package func reloadData() {
    guard exception == nil else { return }
    if depth > 0 {
      if isReloadedInside { return raise("attempt to update the table after reloadData inside the same updates") }
      commit()
      guard exception == nil else { return }
      isReloadedInside = true
    }
    sections = counts().enumerated().map { index, count in
      Section(title(index), (0..<count).map { text(RowPath(section: index, row: $0)) })
    }
  }

  /// Sets a row's text directly, as you do with the cell of cellForRow(at:).
  ///
  /// Does nothing if there is no such row.
  package func setText(_ text: String, at path: IndexPath) {
    guard exception == nil, sections.indices.contains(path.section),
      sections[path.section].rows.indices.contains(path.row)
    else { return }
    sections[path.section].rows[path.row] = text
  }

  /// Sets a header's text directly, as you do with headerView(forSection:).
  package func setTitle(_ title: String, ofSection section: Int) {
    guard exception == nil, sections.indices.contains(section) else { return }
    sections[section].title = title
  }

  private func tell(_ add: (inout TableBatch) -> Void) {
    guard exception == nil else { return }
    if isReloadedInside { return raise("attempt to update the table after reloadData inside the same updates") }
    beginUpdates()
    add(&batch)
    endUpdates()
  }

  private func commit() {
    guard exception == nil, !batch.isEmpty else { return }
    defer { batch = TableBatch() }
    do {
      let layout = try TableUpdate(old: sections.map(\.rows.count), new: counts(), batch: batch).layout()
      let old = sections
      sections = layout.enumerated().map { index, section in
        Section(
          section.origin.map { old[$0].title } ?? title(index),
          section.rows.enumerated().map { row, origin in
            origin.map { old[$0.section].rows[$0.row] } ?? text(RowPath(section: index, row: row))
          })
      }
    } catch {
      raise(error.reason)
    }
  }

  private func raise(_ reason: String) {
    if exception == nil { exception = reason }
  }

  private func rows(_ path: IndexPath) -> [RowPath] {
    if let path = RowPath(path) { return [path] }
    raise("invalid index path \(path): a table's has a section and a row")
    return []
  }

  private func counts() -> [Int] {
    guard let dataSource else { return [] }
    return (0..<dataSource.numberOfSections(in: self)).map { dataSource.table(self, numberOfRowsInSection: $0) }
  }

  private func title(_ section: Int) -> String { dataSource?.table(self, titleForHeaderInSection: section) ?? "" }

  private func text(_ path: RowPath) -> String { dataSource?.table(self, textForRowAt: IndexPath(path)) ?? "" }
}

package import Annals
import AnnalsMirror
package import Foundation

/// A table with UITableView's methods, which raises an exception for changes that a `MirrorTable` refuses.
///
/// The table receives the list only through the delegate's calls, and from the data source when it loads a row. If a
/// batch is invalid, the table records an ``exception`` and ignores all later calls. If a batch is consistent but
/// wrong, the result is visible in ``sections``.
package final class ScreenTable<Row: Annals.Row>: ShownTable {
  package private(set) var exception: String?
  /// A closure that returns the data source's current list.
  package var dataSource: () -> Results<Row>? = { nil }

  private var mirror: MirrorTable<Row>?
  private var depth = 0
  private let text: (Row) -> String

  /// Creates a table without rows.
  ///
  /// - Parameter text: A function that returns the text of a row.
  package init(_ text: @escaping (Row) -> String) {
    self.text = text
  }

  package var sections: [TableSection] {
    (mirror?.sections ?? []).map { TableSection($0.title, $0.rows.map(text)) }
  }

  /// Begins an update cycle, which can be nested inside another cycle.
  package func beginUpdates() {
    depth += 1
    if depth == 1 { change { try $0.begin(showing: $1) } }
  }

  /// Ends an update cycle, and applies the changes if it is the outermost cycle.
  package func endUpdates() {
    if depth > 1 {
      depth -= 1
    } else {
      depth = 0
      change { try $0.end(showing: $1) }
    }
  }

  /// Deletes the row at an old path.
  package func deleteRow(at path: IndexPath) {
    tell { table, _ in
      let (path, row) = try Self.row(at: path, of: table)
      try table.tell(.delete(row: row, at: path, moved: false))
    }
  }

  /// Inserts a row at a new path.
  package func insertRow(at path: IndexPath) {
    tell { table, list in
      guard let place = RowPath(path), let row = list.row(at: place) else {
        throw TableException("attempt to insert the row at \(path), which the data source does not have")
      }
      try table.tell(.insert(row: row, at: place, moved: false))
    }
  }

  /// Reloads the row at an old path.
  package func reloadRow(at path: IndexPath) {
    tell { table, _ in
      let (path, row) = try Self.row(at: path, of: table)
      try table.tell(.update(row: row, at: path, newAt: path))
    }
  }

  /// Deletes the section at an old index.
  package func deleteSection(_ section: Int) {
    tell { table, _ in try table.tell(.delete(index: section, key: .null)) }
  }

  /// Inserts a section at a new index.
  package func insertSection(_ section: Int) {
    tell { table, _ in try table.tell(.insert(index: section, key: .null, title: "")) }
  }

  /// Reloads everything, after which no more changes are permitted in the same update cycle.
  package func reloadData() {
    if mirror == nil { mirror = dataSource().map { MirrorTable($0, profile: .lenient) } }
    change { [depth] table, list in
      if depth > 0 {
        if table.isReloaded { throw TableException("attempt to reload the table twice in one update cycle") }
        // The changes before the reload must be valid.
        try table.end(showing: list)
        try table.begin()
      }
      table.reloadData(showing: list)
    }
  }

  /// Changes a row's content directly, as an app changes the cell that `cellForRow(at:)` returns.
  package func setContent(_ row: Row, at path: IndexPath) {
    change { table, _ in RowPath(path).map { table.setContent(row, at: $0) } }
  }

  /// Changes a header's text directly, as an app changes the view that `headerView(forSection:)` returns.
  package func setTitle(_ title: String, ofSection section: Int) {
    change { table, _ in table.setTitle(title, ofSection: section) }
  }

  /// Reports a change to the mirror, in a separate update cycle if no update cycle is open.
  private func tell(_ body: (inout MirrorTable<Row>, Results<Row>) throws -> Void) {
    change { [depth] table, list in
      if depth > 0 { return try body(&table, list) }
      try table.begin()
      try body(&table, list)
      try table.end(showing: list)
    }
  }

  private func change(_ body: (inout MirrorTable<Row>, Results<Row>) throws -> Void) {
    guard exception == nil, let list = dataSource(), var table = mirror else { return }
    do {
      try body(&table, list)
      mirror = table
    } catch {
      exception = (error as? MirrorTable<Row>.Violation)?.sentence ?? "\(error)"
    }
  }

  /// Returns the row that the table shows at a path.
  private static func row(at path: IndexPath, of table: MirrorTable<Row>) throws -> (path: RowPath, row: Row) {
    guard let place = RowPath(path), table.sections.indices.contains(place.section),
      table.sections[place.section].rows.indices.contains(place.row)
    else { throw TableException("attempt to delete or reload the row at \(path), which the table does not have") }
    return (place, table.sections[place.section].rows[place.row])
  }
}

/// An error that UIKit would raise as an exception, for calls that don't reach the mirror.
private struct TableException: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

package import Annals

/// A list at one position, whatever its rows are: each is read as a record when it is asked for.
package protocol ShownList: Sendable {
  /// The position that the list shows.
  var position: Position { get }
  /// The number of rows that are shown.
  var rowCount: Int { get }
  /// The number of rows with the rows that `--limit` leaves out.
  var total: Int { get }
  /// The number of sections.
  var sectionCount: Int { get }
  /// The section at an index.
  func section(_ index: Int) -> ShownSection
  /// The row at a path that the list has.
  func record(at path: RowPath) -> Record
  /// The row in one line, as the app writes it; nil if it does not.
  func line(at path: RowPath) -> String?
  /// The path of the row with an id; nil if it is not shown.
  func path(of id: String) -> RowPath?
}

/// A section of a list.
package struct ShownSection: Sendable {
  /// What tells it from every other.
  package let key: SectionKey
  /// Its title.
  package let title: String
  /// Its title's entry in an index.
  package let indexTitle: String
  /// The number of its rows.
  package let count: Int
  /// The number of its rows with the rows that `--limit` leaves out.
  package let total: Int
}

extension ShownList {
  /// The rows of a section, in order.
  package func records(ofSection index: Int) -> some Sequence<Record> {
    (0..<section(index).count).lazy.map { record(at: RowPath(section: index, row: $0)) }
  }

  /// The row with an id; nil if it is not shown.
  package func record(of id: String) -> Record? { path(of: id).map { record(at: $0) } }
}

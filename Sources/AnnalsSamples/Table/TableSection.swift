/// A section in the form that a table shows.
package struct TableSection: Equatable, Sendable {
  /// The text above the section.
  package var title: String
  /// The texts of the rows.
  package var rows: [String]

  package init(_ title: String, _ rows: [String]) {
    self.title = title
    self.rows = rows
  }
}

/// A table's displayed contents, regardless of the type of its rows.
package protocol ShownTable: AnyObject {
  /// The sections with their texts.
  var sections: [TableSection] { get }
  /// The reason for the exception after which the table ignores all calls, or `nil`.
  var exception: String? { get }
}

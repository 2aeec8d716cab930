/// A section as a table shows it.
package struct TableSection: Equatable, Sendable {
  /// The text above the section.
  package var title: String
  /// The texts of the rows.
  package var rows: [String]

  package init(_ title: String, _ rows: [String]) {
    (self.title, self.rows) = (title, rows)
  }
}

/// What a table shows, whatever its rows are.
package protocol ShownTable: AnyObject {
  /// The sections with their texts.
  var sections: [TableSection] { get }
  /// The reason of the exception that ended the table's life; nil if all is well.
  var exception: String? { get }
}

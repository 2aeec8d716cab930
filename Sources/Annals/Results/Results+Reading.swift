public import Foundation

extension Results {
  /// All rows, section after section.
  ///
  /// - Complexity: O(n) for n rows.
  public var rows: [Row] { sections.flatMap { $0 } }

  /// True if no row is listed; sections may still be there.
  public var isEmpty: Bool { count == 0 }

  /// The row at an index path.
  ///
  /// - Parameter indexPath: A path that the list has; another is a programmer's error. ``row(at:)-(IndexPath)`` answers nil.
  /// - Returns: The row.
  public func object(at indexPath: IndexPath) -> Row {
    guard let row = row(at: indexPath) else {
      preconditionFailure(
        "no row at \(indexPath): the list at position \(position) has \(sections.count) sections with "
          + "\(sections.map(\.count)) rows")
    }
    return row
  }

  /// The row at an index path, or nil if there is none.
  ///
  /// - Parameter indexPath: The place.
  /// - Returns: The row.
  public func row(at indexPath: IndexPath) -> Row? {
    RowPath(indexPath).flatMap { row(at: $0) }
  }

  /// The row with an id, or nil if the list does not show it.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The row.
  public func row(forID id: Row.ID) -> Row? {
    path(forID: id).flatMap { row(at: $0) }
  }

  /// The index path of the row with an id, or nil if the list does not show it.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The index path.
  public func indexPath(forID id: Row.ID) -> IndexPath? {
    path(forID: id).map { IndexPath($0) }
  }

  /// The section with a key, or nil if there is none.
  ///
  /// - Parameter key: The section's key.
  public subscript(key key: SectionKey) -> ResultsSection<Row>? {
    sections.first { $0.key == key }
  }

  /// The index of the section with a key, or nil if there is none.
  ///
  /// - Parameter key: The section's key.
  /// - Returns: The section's index.
  public func sectionIndex(forKey key: SectionKey) -> Int? {
    sections.firstIndex { $0.key == key }
  }
}

extension Results: CustomStringConvertible {
  /// The list as a person reads it: a line for each section, and under it one for each row.
  public var description: String {
    sections.map { section in
      (["[\(section.title)]"] + section.map { "  \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}

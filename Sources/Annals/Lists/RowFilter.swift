public import Foundation

/// A choice of rows.
public struct RowFilter<Row: Annals.Row>: Sendable {
  /// What the filter is called, nil if it was given no name.
  ///
  /// A closure has no identity; a name gives it one.
  public let name: String?
  package let includes: @Sendable (Row) -> Bool

  /// The rows for which a closure answers true.
  ///
  /// - Parameters:
  ///   - name: What the filter is called, such as "team A"; filters of one name must include the same rows.
  ///   - includes: Tells whether a row is shown; it must answer the same for equal rows.
  /// - Returns: The filter.
  public static func `where`(_ name: String? = nil, _ includes: @escaping @Sendable (Row) -> Bool) -> RowFilter {
    RowFilter(name: name, includes: includes)
  }

  /// The rows that a predicate matches; a row on which it throws is left out.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - name: What the filter is called; a predicate does not say what it captured.
  /// - Returns: The filter.
  public static func matching(_ predicate: Predicate<Row>, named name: String? = nil) -> RowFilter {
    RowFilter(name: name) { (try? predicate.evaluate($0)) ?? false }
  }
}

public import Foundation

/// A choice of rows.
public struct RowFilter<Row: Annals.Row>: Sendable {
  let includes: @Sendable (Row) -> Bool

  /// The rows for which a closure answers true.
  ///
  /// - Parameter includes: Tells whether a row is shown; it must answer the same for equal rows.
  /// - Returns: The filter.
  public static func `where`(_ includes: @escaping @Sendable (Row) -> Bool) -> RowFilter {
    RowFilter(includes: includes)
  }

  /// The rows that a predicate matches; a row on which it throws is left out.
  ///
  /// - Parameter predicate: The predicate.
  /// - Returns: The filter.
  public static func matching(_ predicate: Predicate<Row>) -> RowFilter {
    RowFilter { (try? predicate.evaluate($0)) ?? false }
  }
}

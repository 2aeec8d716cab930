/// One key of an order of rows.
public struct SortKey<Row: Annals.Row>: Sendable {
  let write: @Sendable (Row, inout KeyWriter) -> Void

  /// Sorts by a property, smaller values first.
  ///
  /// - Parameter path: The property.
  /// - Returns: The key.
  public static func ascending<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> SortKey {
    SortKey { row, writer in writer.write(row[keyPath: path], descending: false) }
  }

  /// Sorts by a property, larger values first.
  ///
  /// - Parameter path: The property.
  /// - Returns: The key.
  public static func descending<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> SortKey {
    SortKey { row, writer in writer.write(row[keyPath: path], descending: true) }
  }

  /// Sorts by a computed value, smaller values first.
  ///
  /// - Parameter value: Computes the value; the same for equal rows.
  /// - Returns: The key.
  @_disfavoredOverload
  public static func ascending<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V) -> SortKey {
    SortKey { row, writer in writer.write(value(row), descending: false) }
  }

  /// Sorts by a computed value, larger values first.
  ///
  /// - Parameter value: Computes the value; the same for equal rows.
  /// - Returns: The key.
  @_disfavoredOverload
  public static func descending<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V) -> SortKey {
    SortKey { row, writer in writer.write(value(row), descending: true) }
  }
}

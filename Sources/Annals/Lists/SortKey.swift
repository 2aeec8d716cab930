public import Foundation

/// One key of an order of rows.
public struct SortKey<Row: Annals.Row>: Sendable {
  enum Kind: Sendable {
    case bytes(@Sendable (Row, inout KeyWriter) -> Void)
    case custom(RowOrder.Comparator, @Sendable (Row) -> any Sendable)
  }

  let kind: Kind
  /// What the key is called, with its direction; nil if it was given no name and is no stored property.
  private(set) var name: String?

  /// Gives the key a name, by which a saved list is known to be in this order.
  ///
  /// A closure has no identity, nor has a computed property from one build to the next; keys of one name must give the
  /// same order. Stored properties that are sorted by in their own order have a name.
  ///
  /// - Parameter name: What the key is called.
  /// - Returns: The same key with the name.
  public func named(_ name: String) -> SortKey {
    var key = self
    key.name = "named " + name
    return key
  }

  /// Sorts by a property, smaller values first.
  ///
  /// - Parameter path: The property.
  /// - Returns: The key.
  public static func ascending<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> SortKey {
    ascending(propertyReader(path)).at(path, "ascending")
  }

  /// Sorts by a property, larger values first.
  ///
  /// - Parameter path: The property.
  /// - Returns: The key.
  public static func descending<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> SortKey {
    descending(propertyReader(path)).at(path, "descending")
  }

  /// Sorts by a computed value, smaller values first.
  ///
  /// - Parameter value: Computes the value; the same for equal rows.
  /// - Returns: The key.
  @_disfavoredOverload
  public static func ascending<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V) -> SortKey {
    SortKey(kind: .bytes { row, writer in writer.write(value(row), descending: false) })
  }

  /// Sorts by a computed value, larger values first.
  ///
  /// - Parameter value: Computes the value; the same for equal rows.
  /// - Returns: The key.
  @_disfavoredOverload
  public static func descending<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V) -> SortKey {
    SortKey(kind: .bytes { row, writer in writer.write(value(row), descending: true) })
  }

  /// Sorts by a property in an order of its own, such as a language's, smaller values first.
  ///
  /// This is the slower way: each comparison calls the closure. Values that it calls the same are ordered by the keys
  /// that follow, and at last by the id.
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - compare: Compares two values; it must be a strict weak order and the same at all times.
  /// - Returns: The key.
  public static func ascending<V: Sendable>(
    _ path: any KeyPath<Row, V> & Sendable, by compare: @escaping @Sendable (V, V) -> ComparisonResult
  ) -> SortKey {
    custom(path) { compare($0, $1).rawValue }
  }

  /// Sorts by a property in an order of its own, larger values first.
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - compare: Compares two values; it must be a strict weak order and the same at all times.
  /// - Returns: The key.
  public static func descending<V: Sendable>(
    _ path: any KeyPath<Row, V> & Sendable, by compare: @escaping @Sendable (V, V) -> ComparisonResult
  ) -> SortKey {
    custom(path) { -compare($0, $1).rawValue }
  }

  private func at(_ path: AnyKeyPath, _ direction: String) -> SortKey {
    var key = self
    key.name = propertyName(path).map { "\(direction) \($0)" }
    return key
  }

  private static func custom<V: Sendable>(
    _ path: any KeyPath<Row, V> & Sendable, _ compare: @escaping @Sendable (V, V) -> Int
  ) -> SortKey {
    let comparator = RowOrder.Comparator { left, right in
      // Only values of this key meet: a comparator goes with its own reader.
      guard let left = left as? V, let right = right as? V else { return 0 }
      return compare(left, right)
    }
    let read = propertyReader(path)
    return SortKey(kind: .custom(comparator, { read($0) }))
  }
}

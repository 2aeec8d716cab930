public import Foundation

/// The property that a sort key reads, and the order of its values.
struct SortKeyOrigin: Hashable, Sendable {
  enum Direction: String, Sendable { case ascending, descending, custom }

  let criterion: SectionCriterion
  let direction: Direction
  /// The language's rules for sorting the values, or `nil` for the values' default order.
  var collation: Collation?
}

/// A property or a computed value by which the rows of a list are sorted, with a sort direction.
///
///     let sort: [SortKey<Book>] = [.descending(\.price), .ascending(\.title, in: Collation())]
public struct SortKey<Row: AnnalsLists.Row>: Sendable {
  enum Kind: Sendable {
    case bytes(@Sendable (Row, inout KeyWriter) -> Void)
    case custom(RowOrder.Comparator, @Sendable (Row) -> any Sendable)
  }

  let kind: Kind
  /// The key's name with its direction, or `nil` if it has no name and isn't a stored property.
  private(set) var name: String?
  /// The property that the key reads, or `nil` if the key computes its value.
  private(set) var origin: SortKeyOrigin?
  /// The version of the algorithms and data that determine how values are ordered, such as a collation's version.
  var orderVersion = ""
  /// A closure that returns a search for the rows whose value begins with a string.
  ///
  /// The closure or its result is `nil` if the values aren't strings.
  var search: (@Sendable (String) -> PrefixSearch<Row>?)?

  /// Returns the same sort key with a name, which a saved list needs.
  ///
  /// A saved list identifies its sort keys by their names. A sort key such as `.ascending(\.price)`, which only reads a
  /// stored property, already has a name. If a sort key uses a closure or a computed property, name it with this
  /// method. Sort keys with the same name must sort rows in the same way.
  ///
  /// - Parameter name: The sort key's name.
  /// - Returns: The same sort key with the name.
  public func named(_ name: String) -> SortKey {
    var key = self
    key.name = "named " + name
    return key
  }

  /// Creates a sort key that sorts rows by a property, smaller values first.
  ///
  /// - Parameter path: The property.
  /// - Returns: The sort key.
  public static func ascending<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> SortKey {
    ascending(propertyReader(path)).at(path, .ascending)
  }

  /// Creates a sort key that sorts rows by a property, larger values first.
  ///
  /// - Parameter path: The property.
  /// - Returns: The sort key.
  public static func descending<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> SortKey {
    descending(propertyReader(path)).at(path, .descending)
  }

  /// Creates a sort key that sorts rows by a computed value, smaller values first.
  ///
  /// - Parameter value: A closure that computes the value. It must return equal values for equal rows.
  /// - Returns: The sort key.
  @_disfavoredOverload
  public static func ascending<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V) -> SortKey {
    bytes(value, descending: false)
  }

  /// Creates a sort key that sorts rows by a computed value, larger values first.
  ///
  /// - Parameter value: A closure that computes the value. It must return equal values for equal rows.
  /// - Returns: The sort key.
  @_disfavoredOverload
  public static func descending<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V) -> SortKey {
    bytes(value, descending: true)
  }

  /// Creates a sort key that sorts rows by a property, smaller values first, with a custom comparison.
  ///
  /// This sort key is slower than a sort key without a closure, because every comparison calls the closure. If the
  /// closure returns `orderedSame` for two rows, the rows are sorted by the next sort keys, and finally by their ids.
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - compare: A closure that compares two values. Its results must form a strict weak ordering, and must not change
  ///     over time.
  /// - Returns: The sort key.
  public static func ascending<V: Sendable>(
    _ path: any KeyPath<Row, V> & Sendable, by compare: @escaping @Sendable (V, V) -> ComparisonResult
  ) -> SortKey {
    custom(path) { compare($0, $1).rawValue }
  }

  /// Creates a sort key that sorts rows by a property, larger values first, with a custom comparison.
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - compare: A closure that compares two values. Its results must form a strict weak ordering, and must not change
  ///     over time.
  /// - Returns: The sort key.
  public static func descending<V: Sendable>(
    _ path: any KeyPath<Row, V> & Sendable, by compare: @escaping @Sendable (V, V) -> ComparisonResult
  ) -> SortKey {
    custom(path) { -compare($0, $1).rawValue }
  }

  private static func bytes<V: OrderedValue>(
    _ value: @escaping @Sendable (Row) -> V, descending: Bool
  ) -> SortKey {
    var key = SortKey(
      kind: .bytes { row, writer in writer.write(value(row), descending: descending) }, orderVersion: V.orderVersion)
    key.search = { text in
      // Not looked up earlier, because the search for a conformance took a fortieth of a program's start with a saved
      // list.
      guard let type = V.self as? any PossibleText.Type else { return nil }
      var writer = KeyWriter()
      // This byte precedes every value of an optional string other than `nil`.
      for _ in 0..<type.optionals { writer.write(byte: 1) }
      writer.write(beginningOf: text)
      let search = PrefixSearch<Row>(bytes: writer.bytes)
      return descending ? search.descending : search
    }
    return key
  }

  /// Returns the same key, and records the property that it reads.
  func at(
    _ path: AnyKeyPath, _ direction: SortKeyOrigin.Direction, in collation: Collation? = nil
  ) -> SortKey {
    var key = self
    key.origin = SortKeyOrigin(criterion: .property(path), direction: direction, collation: collation)
    key.name = propertyName(path).map { "\(direction.rawValue) \($0)" }
    return key
  }

  private static func custom<V: Sendable>(
    _ path: any KeyPath<Row, V> & Sendable, _ compare: @escaping @Sendable (V, V) -> Int
  ) -> SortKey {
    let comparator = RowOrder.Comparator { left, right in
      // Both casts succeed, because a comparator compares only the values that its sort key reads.
      guard let left = left as? V, let right = right as? V else { return 0 }
      return compare(left, right)
    }
    let read = propertyReader(path)
    return SortKey(
      kind: .custom(comparator, { read($0) }), origin: SortKeyOrigin(criterion: .property(path), direction: .custom))
  }
}

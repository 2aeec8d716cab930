public import Foundation

/// The property that a sort key reads, and the order of its values.
struct SortKeyOrigin: Sendable {
  enum Direction: Sendable { case ascending, descending, custom }

  let criterion: SectionCriterion
  let direction: Direction
  /// The language in whose order the values are; nil for their own order.
  var collation: Collation?
}

/// One key of an order of rows.
///
///     let sort: [SortKey<Book>] = [.descending(\.price), .ascending(\.title, in: Collation())]
public struct SortKey<Row: Annals.Row>: Sendable {
  enum Kind: Sendable {
    case bytes(@Sendable (Row, inout KeyWriter) -> Void)
    case custom(RowOrder.Comparator, @Sendable (Row) -> any Sendable)
  }

  let kind: Kind
  /// What the key is called, with its direction; nil if it was given no name and is no stored property.
  private(set) var name: String?
  /// The property that the key reads; nil for a computed value.
  private(set) var origin: SortKeyOrigin?
  /// What the order of values depends on beside the values.
  var orderVersion = ""
  /// What the bytes of values begin with that begin with a text; nil if the values are no texts.
  var prefix: (@Sendable (String) -> [UInt8])?

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
    ascending(propertyReader(path)).at(path, .ascending)
  }

  /// Sorts by a property, larger values first.
  ///
  /// - Parameter path: The property.
  /// - Returns: The key.
  public static func descending<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> SortKey {
    descending(propertyReader(path)).at(path, .descending)
  }

  /// Sorts by a computed value, smaller values first.
  ///
  /// - Parameter value: Computes the value; the same for equal rows.
  /// - Returns: The key.
  @_disfavoredOverload
  public static func ascending<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V) -> SortKey {
    bytes(value, descending: false)
  }

  /// Sorts by a computed value, larger values first.
  ///
  /// - Parameter value: Computes the value; the same for equal rows.
  /// - Returns: The key.
  @_disfavoredOverload
  public static func descending<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V) -> SortKey {
    bytes(value, descending: true)
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

  private static func bytes<V: OrderedValue>(
    _ value: @escaping @Sendable (Row) -> V, descending: Bool
  ) -> SortKey {
    var key = SortKey(
      kind: .bytes { row, writer in writer.write(value(row), descending: descending) }, orderVersion: V.orderVersion)
    if V.self == String.self || V.self == String?.self {
      key.prefix = { text in
        var writer = KeyWriter()
        // What stands before a value that is not nil.
        if V.self == String?.self { writer.write(byte: 1) }
        writer.write(beginningOf: text)
        return descending ? writer.bytes.map { ~$0 } : writer.bytes
      }
    }
    return key
  }

  /// The same key with what is known of the property that it reads.
  func at(
    _ path: AnyKeyPath, _ direction: SortKeyOrigin.Direction, in collation: Collation? = nil
  ) -> SortKey {
    var key = self
    key.origin = SortKeyOrigin(criterion: .property(path), direction: direction, collation: collation)
    key.name = propertyName(path).map { name in
      "\(direction) \(name)" + (collation.map { " in \($0)" } ?? "")
    }
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
    return SortKey(
      kind: .custom(comparator, { read($0) }), origin: SortKeyOrigin(criterion: .property(path), direction: .custom))
  }
}

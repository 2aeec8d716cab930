import Foundation

extension Aggregate {
  /// Creates an aggregate for a property's smallest value, which is the first value in an ascending sort.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is `nil` if there are no rows.
  public static func minimum<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, V?> {
    let read = propertyReader(path)
    return end(.values(path), isLast: false) { read($0) }
  }

  /// Creates an aggregate for an optional property's smallest value, ignoring `nil`.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is `nil` if the property is `nil` in all rows.
  public static func minimum<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, V?> {
    end(.values(path), isLast: false, propertyReader(path))
  }

  /// Creates an aggregate for the smallest of the values that a closure computes from the rows.
  ///
  /// - Parameter value: A closure that returns the value, or `nil` to skip the row. It must return equal values for
  ///   equal rows.
  /// - Returns: The aggregate. Every call creates a different aggregate, even for the same closure. So store the
  ///   aggregate in a constant. Use this constant both in the request and when you read the aggregate's value from a
  ///   list.
  @_disfavoredOverload
  public static func minimum<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V?) -> AggregateOf<Row, V?> {
    end(AggregateSlot.ownID(), isLast: false, value)
  }

  /// Creates an aggregate for a property's largest value, which is the last value in an ascending sort.
  ///
  /// NaN is larger than all numbers.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is `nil` if there are no rows.
  public static func maximum<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, V?> {
    let read = propertyReader(path)
    return end(.values(path), isLast: true) { read($0) }
  }

  /// Creates an aggregate for an optional property's largest value, ignoring `nil`.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is `nil` if the property is `nil` in all rows.
  public static func maximum<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, V?> {
    end(.values(path), isLast: true, propertyReader(path))
  }

  /// Creates an aggregate for the largest of the values that a closure computes from the rows.
  ///
  /// - Parameter value: A closure that returns the value, or `nil` to skip the row. It must return equal values for
  ///   equal rows.
  /// - Returns: The aggregate. Every call creates a different aggregate, even for the same closure. So store the
  ///   aggregate in a constant. Use this constant both in the request and when you read the aggregate's value from a
  ///   list.
  @_disfavoredOverload
  public static func maximum<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V?) -> AggregateOf<Row, V?> {
    end(AggregateSlot.ownID(), isLast: true, value)
  }

  /// Creates an aggregate for the number of distinct values that a property has in the rows.
  ///
  /// - Parameter path: The property. Strings are distinct if their Unicode scalars differ.
  /// - Returns: The aggregate.
  public static func distinct<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, Int> {
    let read = propertyReader(path)
    return number(.values(path)) { read($0) }
  }

  /// Creates an aggregate for the number of distinct values that an optional property has in the rows, ignoring `nil`.
  ///
  /// - Parameter path: The property. Strings are distinct if their Unicode scalars differ.
  /// - Returns: The aggregate.
  public static func distinct<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, Int> {
    number(.values(path), propertyReader(path))
  }

  /// Creates an aggregate for the number of distinct values that a closure computes from the rows, ignoring `nil`.
  ///
  /// - Parameter value: A closure that returns the value, or `nil` to skip the row. It must return equal values for
  ///   equal rows.
  /// - Returns: The aggregate. Every call creates a different aggregate, even for the same closure. So store the
  ///   aggregate in a constant. Use this constant both in the request and when you read the aggregate's value from a
  ///   list.
  @_disfavoredOverload
  public static func distinct<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V?) -> AggregateOf<Row, Int> {
    number(AggregateSlot.ownID(), value)
  }

  private static func slot<V: OrderedValue>(
    _ id: AggregateSlot.ID, _ read: @escaping @Sendable (Row) -> V?
  ) -> AggregateSlot {
    AggregateSlot(
      id,
      .values { entry, writer in
        guard let value = read(Rows<Row>.box(entry).row) else { return false }
        value.encode(into: &writer)
        return true
      } _: {
        plain(read(Rows<Row>.box($0).row))
      })
  }

  private static func end<V: OrderedValue>(
    _ id: AggregateSlot.ID, isLast: Bool, _ read: @escaping @Sendable (Row) -> V?
  ) -> AggregateOf<Row, V?> {
    @Sendable func find(_ state: AggregateState?) -> ValueCount? {
      guard case .values(let counts) = state else { return nil }
      return isLast ? counts.largest : counts.smallest
    }
    return AggregateOf(isLast ? .maximum : .minimum, slot(id, read), isSame: { find($0)?.key == find($1)?.key }) {
      state, _ in
      find(state)?.value as? V
    }
  }

  private static func number<V: OrderedValue>(
    _ id: AggregateSlot.ID, _ read: @escaping @Sendable (Row) -> V?
  ) -> AggregateOf<Row, Int> {
    @Sendable func count(_ state: AggregateState?) -> Int {
      if case .values(let counts) = state { counts.count } else { 0 }
    }
    return AggregateOf(.distinct, slot(id, read), isSame: { count($0) == count($1) }) { state, _ in count(state) }
  }
}

/// Returns the same representative for all values with equal bytes, so that results don't depend on the order of the
/// rows: 0 instead of -0, a single NaN, 12.5 instead of 12.50, and absolute URLs.
private func plain<V: OrderedValue>(_ value: V?) -> any Sendable {
  switch value {
  case let number as Double: number.isNaN ? Double.nan : number + 0
  case let number as Float: number.isNaN ? Float.nan : number + 0
  case let number as Decimal: number.canonical
  case let url as URL: url.absoluteURL
  default: value
  }
}

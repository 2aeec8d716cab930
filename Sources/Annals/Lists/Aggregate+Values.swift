import Foundation

extension Aggregate {
  /// Creates an aggregate for the smallest value of a property: the first value in an ascending sort.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is `nil` if there are no rows.
  public static func minimum<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, V?> {
    let read = propertyReader(path)
    return end(.values(path), isLast: false) { read($0) }
  }

  /// Creates an aggregate for the smallest value of an optional property, ignoring `nil`.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is `nil` if no row has a value.
  public static func minimum<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, V?> {
    end(.values(path), isLast: false, propertyReader(path))
  }

  /// Creates an aggregate for the smallest value computed from the rows.
  ///
  /// - Parameter value: A closure that returns the value, or `nil` to skip the row. Equal rows must have equal results.
  /// - Returns: An aggregate that is equal only to itself.
  @_disfavoredOverload
  public static func minimum<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V?) -> AggregateOf<Row, V?> {
    end(AggregateSlot.ownID(), isLast: false, value)
  }

  /// Creates an aggregate for the largest value of a property: the last value in an ascending sort.
  ///
  /// NaN is larger than all numbers.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is `nil` if there are no rows.
  public static func maximum<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, V?> {
    let read = propertyReader(path)
    return end(.values(path), isLast: true) { read($0) }
  }

  /// Creates an aggregate for the largest value of an optional property, ignoring `nil`.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is `nil` if no row has a value.
  public static func maximum<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, V?> {
    end(.values(path), isLast: true, propertyReader(path))
  }

  /// Creates an aggregate for the largest value computed from the rows.
  ///
  /// - Parameter value: A closure that returns the value, or `nil` to skip the row. Equal rows must have equal results.
  /// - Returns: An aggregate that is equal only to itself.
  @_disfavoredOverload
  public static func maximum<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V?) -> AggregateOf<Row, V?> {
    end(AggregateSlot.ownID(), isLast: true, value)
  }

  /// Creates an aggregate for the number of distinct values of a property.
  ///
  /// - Parameter path: The property. Strings are distinct if their Unicode scalars differ.
  /// - Returns: The aggregate.
  public static func distinct<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, Int> {
    let read = propertyReader(path)
    return number(.values(path)) { read($0) }
  }

  /// Creates an aggregate for the number of distinct values of an optional property, ignoring `nil`.
  ///
  /// - Parameter path: The property. Strings are distinct if their Unicode scalars differ.
  /// - Returns: The aggregate.
  public static func distinct<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, Int> {
    number(.values(path), propertyReader(path))
  }

  /// Creates an aggregate for the number of distinct values computed from the rows, ignoring `nil`.
  ///
  /// - Parameter value: A closure that returns the value, or `nil` to skip the row. Equal rows must have equal results.
  /// - Returns: An aggregate that is equal only to itself.
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
/// rows: 0 instead of -0, and a single NaN.
private func plain<V: OrderedValue>(_ value: V?) -> any Sendable {
  switch value {
  case let number as Double: number.isNaN ? Double.nan : number + 0
  case let number as Float: number.isNaN ? Float.nan : number + 0
  default: value
  }
}

import Foundation

extension Aggregate {
  /// The smallest value of a property: the one of the row that a sort by it puts first.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate, whose value is nil where there are no rows.
  public static func minimum<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, V?> {
    let read = propertyReader(path)
    return end(.values(path), isLast: false) { read($0) }
  }

  /// The smallest value of a property, where it has some.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate, whose value is nil where no row has a value.
  public static func minimum<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, V?> {
    end(.values(path), isLast: false, propertyReader(path))
  }

  /// The smallest value that is computed of a row.
  ///
  /// - Parameter value: Computes the value, or nil; the same for equal rows.
  /// - Returns: The aggregate, which is the same only as itself.
  @_disfavoredOverload
  public static func minimum<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V?) -> AggregateOf<Row, V?> {
    end(AggregateSlot.ownID(), isLast: false, value)
  }

  /// The largest value of a property: the one of the row that a sort by it puts last.
  ///
  /// NaN is larger than all numbers.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate, whose value is nil where there are no rows.
  public static func maximum<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, V?> {
    let read = propertyReader(path)
    return end(.values(path), isLast: true) { read($0) }
  }

  /// The largest value of a property, where it has some.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate, whose value is nil where no row has a value.
  public static func maximum<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, V?> {
    end(.values(path), isLast: true, propertyReader(path))
  }

  /// The largest value that is computed of a row.
  ///
  /// - Parameter value: Computes the value, or nil; the same for equal rows.
  /// - Returns: The aggregate, which is the same only as itself.
  @_disfavoredOverload
  public static func maximum<V: OrderedValue>(_ value: @escaping @Sendable (Row) -> V?) -> AggregateOf<Row, V?> {
    end(AggregateSlot.ownID(), isLast: true, value)
  }

  /// The number of different values of a property.
  ///
  /// - Parameter path: The property; texts are different if their Unicode scalars are.
  /// - Returns: The aggregate.
  public static func distinct<V: OrderedValue>(_ path: any KeyPath<Row, V> & Sendable) -> AggregateOf<Row, Int> {
    let read = propertyReader(path)
    return number(.values(path)) { read($0) }
  }

  /// The number of different values of a property, without nil.
  ///
  /// - Parameter path: The property; texts are different if their Unicode scalars are.
  /// - Returns: The aggregate.
  public static func distinct<V: OrderedValue>(_ path: any KeyPath<Row, V?> & Sendable) -> AggregateOf<Row, Int> {
    number(.values(path), propertyReader(path))
  }

  /// The number of different values that are computed of the rows, without nil.
  ///
  /// - Parameter value: Computes the value, or nil; the same for equal rows.
  /// - Returns: The aggregate, which is the same only as itself.
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

/// One of the values that have the same bytes, whichever row came first: 0 and not -0, and one NaN.
private func plain<V: OrderedValue>(_ value: V?) -> any Sendable {
  switch value {
  case let number as Double: number.isNaN ? Double.nan : number + 0
  case let number as Float: number.isNaN ? Float.nan : number + 0
  default: value
  }
}

public import Foundation

extension Aggregate {
  /// Creates an aggregate that sums an integer property.
  ///
  /// Intermediate sums are exact. If the sum is outside the integer type's range, it is clamped to the nearest value of
  /// the type. For example, a sum of `Int` never traps and is at most `Int.max`.
  ///
  /// - Parameter path: The property. Its type must have at most 64 bits.
  /// - Returns: The aggregate. Its value is 0 if there are no rows.
  public static func sum<V: FixedWidthInteger & Sendable>(
    _ path: any KeyPath<Row, V> & Sendable
  ) -> AggregateOf<Row, V> {
    let read = propertyReader(path)
    return integers(.sum(path)) { read($0) }
  }

  /// Creates an aggregate that sums an optional integer property and skips `nil`.
  ///
  /// - Parameter path: The property. Its type must have at most 64 bits.
  /// - Returns: The aggregate. It behaves like ``sum(_:)`` of a nonoptional property, except that it skips `nil`.
  public static func sum<V: FixedWidthInteger & Sendable>(
    _ path: any KeyPath<Row, V?> & Sendable
  ) -> AggregateOf<Row, V> {
    integers(.sum(path), propertyReader(path))
  }

  /// Creates an aggregate that sums an integer computed from every row.
  ///
  /// - Parameter value: A closure that returns the integer to add, or `nil` to skip the row. It must return equal
  ///   values for equal rows. The integer type must have at most 64 bits.
  /// - Returns: The aggregate. Every call creates a different aggregate, even for the same closure. So store the
  ///   aggregate in a constant. Use this constant both in the request and when you read the aggregate's value from a
  ///   list.
  @_disfavoredOverload
  public static func sum<V: FixedWidthInteger & Sendable>(
    _ value: @escaping @Sendable (Row) -> V?
  ) -> AggregateOf<Row, V> {
    integers(AggregateSlot.ownID(), value)
  }

  /// Creates an aggregate that sums a floating-point property.
  ///
  /// The sum is computed exactly and rounded once. For example, the sum of 1e16, 1 and -1e16 is 1, in any order. The
  /// sum is NaN if a value is NaN, or if both positive and negative infinity occur. If the sum is outside the range of
  /// a `Double`, it is infinite. Without rows, the sum is 0, not -0.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate.
  public static func sum(_ path: any KeyPath<Row, Double> & Sendable) -> AggregateOf<Row, Double> {
    let read = propertyReader(path)
    return doubles(.sum(path)) { read($0) }
  }

  /// Creates an aggregate that sums an optional floating-point property and skips `nil`.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. It behaves like ``sum(_:)`` of a nonoptional property, except that it skips `nil`. For
  ///   example, the sum is computed exactly and rounded once.
  public static func sum(_ path: any KeyPath<Row, Double?> & Sendable) -> AggregateOf<Row, Double> {
    doubles(.sum(path), propertyReader(path))
  }

  /// Creates an aggregate that sums a floating-point number computed from every row.
  ///
  ///     let value = Aggregate<Book>.sum { $0.price * Double($0.copies) }
  ///
  /// - Parameter value: A closure that returns the number to add, or `nil` to skip the row. It must return equal values
  ///   for equal rows.
  /// - Returns: The aggregate. Every call creates a different aggregate, even for the same closure. So store the
  ///   aggregate in a constant. Use this constant both in the request and when you read the aggregate's value from a
  ///   list.
  @_disfavoredOverload
  public static func sum(_ value: @escaping @Sendable (Row) -> Double?) -> AggregateOf<Row, Double> {
    doubles(AggregateSlot.ownID(), value)
  }

  /// Creates an aggregate that sums a decimal property.
  ///
  /// The sum is computed exactly, and rounded once to the 38 digits of a `Decimal`. The result is NaN if a value is
  /// NaN, or if the sum is outside the range of a `Decimal`.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. Its value is 0 if there are no rows.
  public static func sum(_ path: any KeyPath<Row, Decimal> & Sendable) -> AggregateOf<Row, Decimal> {
    let read = propertyReader(path)
    return decimals(.sum(path)) { read($0) }
  }

  /// Creates an aggregate that sums an optional decimal property and skips `nil`.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate. It behaves like ``sum(_:)`` of a nonoptional property, except that it skips `nil`. For
  ///   example, the sum is computed exactly and rounded once.
  public static func sum(_ path: any KeyPath<Row, Decimal?> & Sendable) -> AggregateOf<Row, Decimal> {
    decimals(.sum(path), propertyReader(path))
  }

  /// Creates an aggregate that sums a decimal number computed from every row.
  ///
  /// - Parameter value: A closure that returns the number to add, or `nil` to skip the row. It must return equal values
  ///   for equal rows.
  /// - Returns: The aggregate. Every call creates a different aggregate, even for the same closure. So store the
  ///   aggregate in a constant. Use this constant both in the request and when you read the aggregate's value from a
  ///   list.
  @_disfavoredOverload
  public static func sum(_ value: @escaping @Sendable (Row) -> Decimal?) -> AggregateOf<Row, Decimal> {
    decimals(AggregateSlot.ownID(), value)
  }

  private static func integers<V: FixedWidthInteger & Sendable>(
    _ id: AggregateSlot.ID, _ read: @escaping @Sendable (Row) -> V?
  ) -> AggregateOf<Row, V> {
    precondition(V.bitWidth <= 64, "the integers of a sum must have at most 64 bits (\(V.self) has \(V.bitWidth))")
    let slot = AggregateSlot(id, .integers { read(Rows<Row>.box($0).row).map { Int128($0) } })
    @Sendable func value(_ state: AggregateState?) -> V {
      if case .integer(let sum) = state { V(clamping: sum) } else { 0 }
    }
    return AggregateOf(.sum, slot, isSame: { value($0) == value($1) }) { state, _ in value(state) }
  }

  private static func doubles(
    _ id: AggregateSlot.ID, _ read: @escaping @Sendable (Row) -> Double?
  ) -> AggregateOf<Row, Double> {
    let slot = AggregateSlot(id, .doubles { read(Rows<Row>.box($0).row) })
    @Sendable func value(_ state: AggregateState?) -> Double {
      if case .double(let sum) = state { sum.value } else { 0 }
    }
    return AggregateOf(.sum, slot, isSame: { value($0).bitPattern == value($1).bitPattern }) { state, _ in value(state)
    }
  }

  private static func decimals(
    _ id: AggregateSlot.ID, _ read: @escaping @Sendable (Row) -> Decimal?
  ) -> AggregateOf<Row, Decimal> {
    let slot = AggregateSlot(id, .decimals { read(Rows<Row>.box($0).row) })
    @Sendable func value(_ state: AggregateState?) -> Decimal {
      if case .decimal(let sum) = state { sum.value } else { 0 }
    }
    @Sendable func isSame(_ one: Decimal, _ other: Decimal) -> Bool {
      one.isNaN || other.isNaN ? one.isNaN == other.isNaN : one == other
    }
    return AggregateOf(.sum, slot, isSame: { isSame(value($0), value($1)) }) { state, _ in value(state) }
  }
}

public import Foundation

extension Aggregate {
  /// The sum of an integer property.
  ///
  /// It is exact, whatever comes in between. One that is beyond the type's values is the nearest of them: a sum of
  /// `Int` never traps, and is `Int.max` at most.
  ///
  /// - Parameter path: The property; of at most 64 bits.
  /// - Returns: The aggregate, whose value is 0 where there are no rows.
  public static func sum<V: FixedWidthInteger & Sendable>(
    _ path: any KeyPath<Row, V> & Sendable
  ) -> AggregateOf<Row, V> {
    let read = propertyReader(path)
    return integers(.sum(path)) { read($0) }
  }

  /// The sum of an integer property's values, where it has some.
  ///
  /// - Parameter path: The property; of at most 64 bits.
  /// - Returns: The aggregate, as ``sum(_:)`` of a property that is not optional.
  public static func sum<V: FixedWidthInteger & Sendable>(
    _ path: any KeyPath<Row, V?> & Sendable
  ) -> AggregateOf<Row, V> {
    integers(.sum(path), propertyReader(path))
  }

  /// The sum of an integer that is computed of each row.
  ///
  /// - Parameter value: Computes the integer, of at most 64 bits, or nil; the same for equal rows.
  /// - Returns: The aggregate, which is the same only as itself.
  @_disfavoredOverload
  public static func sum<V: FixedWidthInteger & Sendable>(
    _ value: @escaping @Sendable (Row) -> V?
  ) -> AggregateOf<Row, V> {
    integers(AggregateSlot.ownID(), value)
  }

  /// The sum of a floating-point property.
  ///
  /// It is the exact sum, rounded once: 1e16, 1 and -1e16 make 1, in whatever order they came. NaN makes NaN, as do
  /// both infinities together; a sum beyond all numbers is infinity. No rows make 0, which is never -0.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate.
  public static func sum(_ path: any KeyPath<Row, Double> & Sendable) -> AggregateOf<Row, Double> {
    let read = propertyReader(path)
    return doubles(.sum(path)) { read($0) }
  }

  /// The sum of a floating-point property's values, where it has some.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate, exact as that of a property that is not optional.
  public static func sum(_ path: any KeyPath<Row, Double?> & Sendable) -> AggregateOf<Row, Double> {
    doubles(.sum(path), propertyReader(path))
  }

  /// The sum of a floating-point number that is computed of each row.
  ///
  ///     let value = Aggregate<Book>.sum { $0.price * Double($0.copies) }
  ///
  /// - Parameter value: Computes the number, or nil; the same for equal rows.
  /// - Returns: The aggregate, which is the same only as itself.
  @_disfavoredOverload
  public static func sum(_ value: @escaping @Sendable (Row) -> Double?) -> AggregateOf<Row, Double> {
    doubles(AggregateSlot.ownID(), value)
  }

  /// The sum of a decimal property.
  ///
  /// It is the exact sum, rounded once to the 38 digits that a `Decimal` has. NaN makes NaN, as does a sum beyond all
  /// numbers.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate, whose value is 0 where there are no rows.
  public static func sum(_ path: any KeyPath<Row, Decimal> & Sendable) -> AggregateOf<Row, Decimal> {
    let read = propertyReader(path)
    return decimals(.sum(path)) { read($0) }
  }

  /// The sum of a decimal property's values, where it has some.
  ///
  /// - Parameter path: The property.
  /// - Returns: The aggregate, exact as that of a property that is not optional.
  public static func sum(_ path: any KeyPath<Row, Decimal?> & Sendable) -> AggregateOf<Row, Decimal> {
    decimals(.sum(path), propertyReader(path))
  }

  /// The sum of a decimal number that is computed of each row.
  ///
  /// - Parameter value: Computes the number, or nil; the same for equal rows.
  /// - Returns: The aggregate, which is the same only as itself.
  @_disfavoredOverload
  public static func sum(_ value: @escaping @Sendable (Row) -> Decimal?) -> AggregateOf<Row, Decimal> {
    decimals(AggregateSlot.ownID(), value)
  }

  private static func integers<V: FixedWidthInteger & Sendable>(
    _ id: AggregateSlot.ID, _ read: @escaping @Sendable (Row) -> V?
  ) -> AggregateOf<Row, V> {
    precondition(V.bitWidth <= 64, "a sum requires integers of at most 64 bits (\(V.self) has \(V.bitWidth))")
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

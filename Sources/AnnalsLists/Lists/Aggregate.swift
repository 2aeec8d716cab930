/// A value computed from all rows of a list or of a section, such as a count, a sum or a minimum.
///
/// A list request (``ListRequest``) contains the aggregates that its lists keep current. In a list of n rows, updating
/// the aggregates takes O(log n) per changed row, without a pass over all rows. ``Changes/aggregates`` describes which
/// aggregates changed. For example:
///
///     let total = Aggregate.sum(\Book.price)
///     let request = ListRequest(section: .by(\.shelf), aggregates: [.count, total])
///     // in a list of the request
///     results[total]            // 2,210.00, a Double
///     results[0][total]         // 840.00
///     results[0][.count]        // 12
///
/// An aggregate includes all rows that pass the request's filter, even rows that are excluded by the limit or offset,
/// and rows in collapsed sections. For example, a header can show "12 books" while its section is collapsed. For the
/// number of shown rows, use ``Results/rows`` or a section's `count`.
///
/// An aggregate's value depends only on the current rows, not on earlier changes of the rows. For example, a sum of
/// floating-point numbers doesn't accumulate rounding errors from change to change.
///
/// Aggregates ignore `nil`: a sum skips `nil`, a minimum or maximum is `nil` only if no row has a value, and `nil`
/// doesn't count as a distinct value.
///
/// The class is `@unchecked Sendable` because the compiler can't check a class that isn't final. All stored properties
/// of this class and its only subclass are constants of Sendable types.
public class Aggregate<Row: AnnalsLists.Row>: @unchecked Sendable {
  let kind: AggregateKind
  /// The slot that defines the values to keep, or `nil` if the aggregate is the number of rows.
  let slot: AggregateSlot?
  let isSame: @Sendable (AggregateState, AggregateState) -> Bool

  init(
    _ kind: AggregateKind, _ slot: AggregateSlot?,
    _ isSame: @escaping @Sendable (AggregateState, AggregateState) -> Bool
  ) {
    self.kind = kind
    self.slot = slot
    self.isSame = isSame
  }
}

/// An aggregate with a typed value that you can read from a list.
///
/// Two aggregates of the same kind over the same property are equal. For example, if a request contains
/// `Aggregate.sum(\Book.price)`, you can read the sum with `results[.sum(\.price)]`. An aggregate with a closure is
/// equal only to itself. So store the aggregate in a constant. Use this constant both in the request and when you read
/// the aggregate's value from a list.
///
/// The class is `@unchecked Sendable` because all its stored properties are constants of Sendable types.
public final class AggregateOf<Row: AnnalsLists.Row, Value: Sendable>: Aggregate<Row>, @unchecked Sendable {
  let answer: @Sendable (AggregateState?, _ count: Int) -> Value

  init(
    _ kind: AggregateKind, _ slot: AggregateSlot?, isSame: @escaping @Sendable (AggregateState, AggregateState) -> Bool,
    _ answer: @escaping @Sendable (AggregateState?, _ count: Int) -> Value
  ) {
    self.answer = answer
    super.init(kind, slot, isSame)
  }
}

extension Aggregate {
  /// An aggregate for the number of rows.
  public static var count: AggregateOf<Row, Int> { AggregateOf(.count, nil, isSame: { _, _ in true }) { $1 } }
}

extension AggregateSummary {
  /// Returns the value of an aggregate, or `nil` if the request doesn't have it.
  func answer<Row, Value>(_ aggregate: AggregateOf<Row, Value>) -> Value? {
    guard let slot = aggregate.slot else { return aggregate.answer(nil, tally.count) }
    return tally.aggregator.index(of: slot).map { aggregate.answer(tally.states[$0], tally.count) }
  }
}

extension Aggregator {
  /// Returns the aggregator for a request's aggregates, or `nil` without aggregates.
  ///
  /// If the known aggregator is equivalent, the method returns it.
  static func of<Row>(_ aggregates: [Aggregate<Row>], knowing known: Aggregator?) -> Aggregator? {
    if aggregates.isEmpty { return nil }
    let new = Aggregator(aggregates.map { ($0.kind, $0.slot, $0.isSame) })
    return known.map { $0.keepsSame(as: new) ? $0 : new } ?? new
  }
}

/// A value of all rows of a list, and of those of each section: how many there are, a sum, the smallest value.
///
/// You name in a request which ones its lists keep. They are then current at O(log n) a change, without a pass over the
/// rows, and ``Changes/aggregates`` says which ones changed:
///
///     let total = Aggregate.sum(\Book.price)
///     let request = FetchRequest(section: .by(\.shelf), aggregates: [.count, total])
///     // in a list of the request
///     results[total]            // 2,210.00, a Double
///     results[0][total]         // 840.00
///     results[0][.count]        // 12
///
/// An aggregate is of all rows that the request's filter lets through, including those that limit and offset leave out
/// or that a collapsed section hides: a header says "12 books" while its section is closed. ``Results/rows`` and a
/// section's `count` say how many are shown. It depends on the rows alone, and not on how the list came about.
///
/// Nil is no value: it is not added, is not the smallest, and does not count as distinct.
///
/// `@unchecked Sendable`: a class cannot say that it has Sendable constants only; this one and its only subclass have.
public class Aggregate<Row: Annals.Row>: @unchecked Sendable {
  let kind: AggregateKind
  /// What is kept; nil for the number of rows.
  let slot: AggregateSlot?
  let isSame: @Sendable (AggregateState, AggregateState) -> Bool

  init(
    _ kind: AggregateKind, _ slot: AggregateSlot?,
    _ isSame: @escaping @Sendable (AggregateState, AggregateState) -> Bool
  ) {
    (self.kind, self.slot, self.isSame) = (kind, slot, isSame)
  }
}

/// An aggregate whose values have a type: what a list is asked by.
///
/// Two aggregates of one property are the same: `results[.sum(\.price)]` finds what `Aggregate.sum(\Book.price)` keeps.
/// One that is made of a closure is the same only as itself; keep it in a constant.
///
/// `@unchecked Sendable`: all that it has are Sendable constants.
public final class AggregateOf<Row: Annals.Row, Value: Sendable>: Aggregate<Row>, @unchecked Sendable {
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
  /// The number of rows.
  public static var count: AggregateOf<Row, Int> { AggregateOf(.count, nil, isSame: { _, _ in true }) { $1 } }
}

extension AggregateSummary {
  /// The answer to an aggregate, nil if the request does not have it.
  func answer<Row, Value>(_ aggregate: AggregateOf<Row, Value>) -> Value? {
    guard let slot = aggregate.slot else { return aggregate.answer(nil, tally.count) }
    return tally.aggregator.index(of: slot).map { aggregate.answer(tally.states[$0], tally.count) }
  }
}

extension Aggregator {
  /// What a request's aggregates keep; nil if it has none, and the one that is known if that keeps the same.
  static func of<Row>(_ aggregates: [Aggregate<Row>], knowing known: Aggregator?) -> Aggregator? {
    if aggregates.isEmpty { return nil }
    let new = Aggregator(aggregates.map { ($0.kind, $0.slot, $0.isSame) })
    return known.map { $0.keepsSame(as: new) ? $0 : new } ?? new
  }
}

/// The kind of an aggregate.
enum AggregateKind: Sendable { case count, sum, minimum, maximum, distinct }

/// A request's aggregates and the slots for their values, independent of the row type.
package final class Aggregator: Sendable {
  /// One aggregate of the request.
  struct Item: Sendable {
    let kind: AggregateKind
    /// The index of the aggregate's slot, or `nil` if the aggregate is the number of rows.
    let slot: Int?
    /// Returns true if two states have the same result.
    let isSame: @Sendable (AggregateState, AggregateState) -> Bool
  }

  /// The slots of all aggregates.
  ///
  /// A slot that several aggregates share occurs only once.
  let slots: [AggregateSlot]
  let items: [Item]

  init(
    _ aggregates: [(
      kind: AggregateKind, slot: AggregateSlot?, isSame: @Sendable (AggregateState, AggregateState) -> Bool
    )]
  ) {
    var slots: [AggregateSlot] = []
    items = aggregates.map { kind, slot, isSame in
      guard let slot else { return Item(kind: kind, slot: nil, isSame: isSame) }
      if let known = slots.firstIndex(where: { $0.id == slot.id }) {
        return Item(kind: kind, slot: known, isSame: isSame)
      }
      slots.append(slot)
      return Item(kind: kind, slot: slots.count - 1, isSame: isSame)
    }
    self.slots = slots
  }

  /// Returns a slot's index, or `nil` if no aggregate of the request uses the slot.
  func index(of slot: AggregateSlot) -> Int? {
    slots.firstIndex { $0 === slot } ?? slots.firstIndex { $0.id == slot.id }
  }

  /// Returns true if two requests have the same aggregates.
  func keepsSame(as other: Aggregator) -> Bool {
    self === other
      || items.elementsEqual(other.items) { $0.kind == $1.kind && $0.slot == $1.slot }
        && slots.map(\.id) == other.slots.map(\.id)
  }

  /// Returns the aggregates' state for some rows.
  ///
  /// - Complexity: O(n log d) for n rows with d distinct values.
  func summary(of rows: some Sequence<RowEntry>) -> AggregateSummary {
    var tally = AggregateTally(self)
    var scratch = AggregateScratch()
    for row in rows { tally.set(nil, row, &scratch) }
    return AggregateSummary(tally)
  }
}

/// The aggregates' immutable state for some rows, shared by all lists with these rows.
package final class AggregateSummary: Sendable {
  let tally: AggregateTally

  init(_ tally: AggregateTally) { self.tally = tally }

  /// Returns true if two lists or sections have the same aggregates with the same results.
  static func areSame(_ left: AggregateSummary?, _ right: AggregateSummary?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.answers(as: right)
  }

  /// Returns true if every aggregate has the same result as in another summary.
  func answers(as other: AggregateSummary) -> Bool {
    if self === other { return true }
    guard tally.aggregator.keepsSame(as: other.tally.aggregator) else { return false }
    return tally.aggregator.items.allSatisfy { item in
      guard let slot = item.slot else { return tally.count == other.tally.count }
      return item.isSame(tally.states[slot], other.tally.states[slot])
    }
  }
}

/// The aggregates' mutable state for some rows while the rows change.
struct AggregateTally: Sendable {
  let aggregator: Aggregator
  /// The number of rows.
  private(set) var count = 0
  /// The states, by slot.
  private(set) var states: [AggregateState]

  /// Creates a tally for zero rows.
  init(_ aggregator: Aggregator) {
    self.aggregator = aggregator
    states = aggregator.slots.map(\.empty)
  }

  /// Subtracts a row's old values, and adds its new values.
  mutating func set(_ old: RowEntry?, _ new: RowEntry?, _ scratch: inout AggregateScratch) {
    count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    for index in states.indices { states[index].set(old, new, of: aggregator.slots[index].kind, &scratch) }
  }
}

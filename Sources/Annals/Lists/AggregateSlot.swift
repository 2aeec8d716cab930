import Foundation
import Synchronization

/// What is kept for one aggregate, or for several of one property: what is read of a row.
final class AggregateSlot: Sendable {
  /// What tells slots apart: of one property there is one.
  enum ID: Hashable, @unchecked Sendable {
    // Unchecked: the compiler does not know that key paths, which are immutable, capture only what is Sendable; those
    // that come here do, by their type.
    case sum(AnyKeyPath)
    case values(AnyKeyPath)
    /// A closure has no identity: the slot itself is it.
    case own(UInt64)
  }

  enum Kind: Sendable {
    case integers(@Sendable (RowEntry) -> Int128?)
    case doubles(@Sendable (RowEntry) -> Double?)
    case decimals(@Sendable (RowEntry) -> Decimal?)
    /// Writes a row's value, false if it has none; and makes the value that is kept.
    case values(@Sendable (RowEntry, inout KeyWriter) -> Bool, @Sendable (RowEntry) -> any Sendable)
  }

  let id: ID
  let kind: Kind

  init(_ id: ID, _ kind: Kind) { (self.id, self.kind) = (id, kind) }

  static func ownID() -> ID { .own(nextSlot.wrappingAdd(1, ordering: .relaxed).newValue) }

  /// What is kept where there are no rows.
  var empty: AggregateState {
    switch kind {
    case .integers: .integer(0)
    case .doubles: .double(DoubleSum())
    case .decimals: .decimal(DecimalSum())
    case .values: .values(SortedTree())
    }
  }
}

/// What is kept of the rows' values, for one slot: it depends on the values alone.
enum AggregateState: Sendable {
  /// Integers of 64 bits, which 128 bits hold the sum of, however many there are.
  case integer(Int128)
  case double(DoubleSum)
  case decimal(DecimalSum)
  case values(SortedTree<ByValue>)
}

extension AggregateState {
  /// Takes what a row was away, and adds what it is.
  ///
  /// - Complexity: O(log d) for d different values, O(1) where none are kept.
  mutating func set(
    _ old: RowEntry?, _ new: RowEntry?, of kind: AggregateSlot.Kind, _ scratch: inout AggregateScratch
  ) {
    switch kind {
    case .integers(let read):
      guard case .integer(let sum) = self else { return }
      self = .integer(sum + (new.flatMap(read) ?? 0) - (old.flatMap(read) ?? 0))
    case .doubles(let read):
      let (before, after) = (old.flatMap(read), new.flatMap(read))
      guard before?.bitPattern != after?.bitPattern, case .double(var sum) = self else { return }
      self = .integer(0)
      if let before { sum.add(before, times: -1) }
      if let after { sum.add(after, times: 1) }
      self = .double(sum)
    case .decimals(let read):
      let (before, after) = (old.flatMap(read), new.flatMap(read))
      guard before != after, case .decimal(var sum) = self else { return }
      self = .integer(0)
      if let before { sum.add(before, times: -1) }
      if let after { sum.add(after, times: 1) }
      self = .decimal(sum)
    case .values(let write, let value):
      guard case .values(var counts) = self else { return }
      self = .integer(0)
      defer { self = .values(counts) }
      scratch.clear()
      let had = old.map { write($0, &scratch.old) } ?? false
      let has = new.map { write($0, &scratch.new) } ?? false
      if had, has, scratch.old.bytes == scratch.new.bytes { return }
      if had, let old { counts.count(scratch.old, -1) { value(old) } }
      if has, let new { counts.count(scratch.new, 1) { value(new) } }
    }
  }
}

/// Memory to write values in.
struct AggregateScratch {
  fileprivate var old = KeyWriter()
  fileprivate var new = KeyWriter()

  fileprivate mutating func clear() {
    old.clear()
    new.clear()
  }
}

private let nextSlot = Atomic<UInt64>(0)

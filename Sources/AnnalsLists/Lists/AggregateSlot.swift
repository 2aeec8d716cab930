import Foundation
import Synchronization

/// A description of the values that a list keeps for an aggregate, with the closure that reads a row's value.
///
/// Several aggregates of the same property share a slot.
final class AggregateSlot: Sendable {
  /// A slot's identity, by which all aggregates of one property share a slot.
  enum ID: Hashable, @unchecked Sendable {
    // Unchecked, because the compiler doesn't know that these key paths capture only Sendable values. The types of the
    // key paths that are used here guarantee that, and key paths are immutable.
    case sum(AnyKeyPath)
    case values(AnyKeyPath)
    /// A slot for a closure, identified by a unique number because closures can't be compared.
    case own(UInt64)
  }

  enum Kind: Sendable {
    case integers(@Sendable (RowEntry) -> Int128?)
    case doubles(@Sendable (RowEntry) -> Double?)
    case decimals(@Sendable (RowEntry) -> Decimal?)
    /// A closure that writes a row's value or returns false if the row has no value, and a closure that creates the
    /// value to keep.
    case values(@Sendable (RowEntry, inout KeyWriter) -> Bool, @Sendable (RowEntry) -> any Sendable)
  }

  let id: ID
  let kind: Kind

  init(_ id: ID, _ kind: Kind) {
    self.id = id
    self.kind = kind
  }

  static func ownID() -> ID { .own(nextSlot.wrappingAdd(1, ordering: .relaxed).newValue) }

  /// The state for zero rows.
  var empty: AggregateState {
    switch kind {
    case .integers: .integer(0)
    case .doubles: .double(DoubleSum())
    case .decimals: .decimal(DecimalSum())
    case .values: .values(SortedTree())
    }
  }
}

/// The state kept for one slot, derived only from the rows' values.
enum AggregateState: Sendable {
  /// A sum of 64-bit integers.
  ///
  /// The sum fits into 128 bits for any number of integers.
  case integer(Int128)
  case double(DoubleSum)
  case decimal(DecimalSum)
  case values(SortedTree<ByValue>)
}

extension AggregateState {
  /// Subtracts a row's old value, and adds its new value.
  ///
  /// - Complexity: O(log d) for d distinct values, or O(1) if no distinct values are kept.
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

/// A buffer for writing values.
struct AggregateScratch {
  fileprivate var old = KeyWriter()
  fileprivate var new = KeyWriter()

  fileprivate mutating func clear() {
    old.clear()
    new.clear()
  }
}

private let nextSlot = Atomic<UInt64>(0)

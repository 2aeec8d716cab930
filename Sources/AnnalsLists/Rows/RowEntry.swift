package import AnnalsLog

/// A row of a projection with its place in a list, as an element of trees.
///
/// The trees use only this class, which is independent of the row type, because generic code is several times slower
/// when called from another module. The subclass `Rows.Box` contains the row.
///
/// `@unchecked Sendable`: a row's keys are written once, in the isolation of the rows. The first list that shows the
/// row writes them, before the list is published. Other code reads the keys only of rows that its list shows. These
/// rows already have keys, as `RowKeying` explains.
package class RowEntry: @unchecked Sendable {
  /// The row's id as bytes.
  package final let id: OrderKey

  // The order of the properties matters: an `OrderKey` ends six bytes before the next whole word, and small
  // properties fill that gap. This layout, and a separate object for rare properties, save 32 bytes for a row of two
  // strings.
  @exclusivity(unchecked) private final var keyerHigh: UInt16 = 0
  @exclusivity(unchecked) private final var keyerLow: UInt32 = 0
  /// The bytes of the sort keys before the first rank of a string (``CollationRanks``) or custom order.
  @exclusivity(unchecked) final private(set) var key = OrderKey.empty
  /// True if the row has further values in addition to `key`.
  ///
  /// The first of these values is the rank of a string or has a custom order.
  @exclusivity(unchecked) final private(set) var hasRest = false
  // The position fills the rest of the gap. 40 bits are enough for 10,000 events per second over three years.
  @exclusivity(unchecked) private final var eventHigh: UInt8 = 0
  @exclusivity(unchecked) private final var eventLow: UInt32 = 0
  /// The section, or an object with the section and the rest of the key.
  @exclusivity(unchecked) private final var place: AnyObject = SectionID.whole

  /// A row's section and the rest of its key: the values that aren't the same bytes in every process.
  private final class PlaceWithRest {
    let section: SectionID
    let rest: [RowOrder.Part]

    init(_ section: SectionID, _ rest: [RowOrder.Part]) {
      self.section = section
      self.rest = rest
    }
  }

  package init(id: OrderKey) { self.id = id }

  /// Creates an entry with the keys of a row, but without the row.
  package init(keysOf other: RowEntry) {
    id = other.id
    (keyerHigh, keyerLow, key, hasRest, place) =
      (other.keyerHigh, other.keyerLow, other.key, other.hasRest, other.place)
  }

  /// The id's fingerprint, used to find rows.
  final var hash: UInt64 { id.fingerprint }

  /// The number of the keyer that computed the keys, or 0 for a row without keys.
  final var keyer: UInt64 { UInt64(keyerHigh) << 32 | UInt64(keyerLow) }

  /// The section that the row belongs to.
  @inline(__always)
  package final var section: SectionID {
    // `setKeys` stores either of the two objects.
    hasRest
      ? unsafeDowncast(place, to: PlaceWithRest.self).section : unsafeDowncast(place, to: SectionID.self)
  }

  /// The values of the sort keys, starting with the first rank of a string or custom order.
  final var rest: [RowOrder.Part] { hasRest ? unsafeDowncast(place, to: PlaceWithRest.self).rest : [] }

  /// The position of the last event that set the row, or 0 if no event set it, or if the position has over 40 bits.
  ///
  /// Only the code that creates the entry may set this property.
  package final var event: Position {
    get { Position(Int(eventHigh) << 32 | Int(eventLow)) }
    set {
      let number = newValue.rawValue < 1 << 40 ? newValue.rawValue : 0
      eventHigh = UInt8(number >> 32)
      eventLow = UInt32(truncatingIfNeeded: number)
    }
  }

  /// Writes the keys.
  ///
  /// This method can be called only once.
  final func setKeys(_ order: RowOrder, _ section: SectionID, by keyer: UInt64) {
    precondition(
      self.keyer == 0,
      "a row's keys must be written only once, but another list has already written them. Please report this")
    key = order.head
    hasRest = !order.rest.isEmpty
    place = hasRest ? PlaceWithRest(section, order.rest) : section
    // The numbers of keyers are consecutive. With a thousand new keyers per second, 48 bits last for 9,000 years.
    keyerHigh = UInt16(keyer >> 32)
    keyerLow = UInt32(truncatingIfNeeded: keyer)
  }

  /// Returns true if two entries are versions of the same row.
  final func isSame(_ other: RowEntry) -> Bool { id == other.id }

  /// Returns true if two rows have equal sort keys that are compared in the same way.
  final func hasKey(of other: RowEntry) -> Bool {
    key == other.key && hasRest == other.hasRest && (!hasRest || RowOrder.isSame(rest, other.rest))
  }
}

/// An order of rows by their ids' bytes, which isn't an order for display.
package enum ByID: TreeOrder {
  @inline(__always)
  package static func head(_ element: RowEntry) -> UInt64 { element.hash }

  @inline(__always)
  package static func compareTails(_ left: RowEntry, _ right: RowEntry) -> Int { compare(left, right.id) }

  /// Compares a row with an id that has the same fingerprint.
  @inline(__always)
  static func compare(_ row: RowEntry, _ id: OrderKey) -> Int {
    if row.id.head != id.head { return row.id.head < id.head ? -1 : 1 }
    return OrderKey.compareTails(row.id, id)
  }
}

/// The order of a section's rows, as its list defines it.
package enum ByRow: TreeOrder {
  @inline(__always)
  package static func head(_ element: RowEntry) -> UInt64 { element.key.head }

  @inline(__always)
  package static func compareTails(_ left: RowEntry, _ right: RowEntry) -> Int {
    let order = OrderKey.compareTails(left.key, right.key)
    if order != 0 { return order }
    if left.hasRest {
      let order = RowOrder.compare(left.rest, right.rest)
      if order != 0 { return order }
    }
    return ByID.compare(left, right.id)
  }

  /// Returns whether a saved section may contain two rows in this order.
  ///
  /// Only values that are compared as bytes are checked, because an inconsistent comparator might return a different
  /// result now than when the list was saved.
  package static func mayFollow(_ left: RowEntry, _ right: RowEntry) -> Bool {
    left.hasRest ? head(left) <= head(right) : compare(left, right) < 0
  }
}

extension SortedTree<ByID> {
  /// Returns the old and new version of every row whose object changed.
  func changes(since old: SortedTree) -> [(old: RowEntry?, new: RowEntry?)] {
    var changes: [(old: RowEntry?, new: RowEntry?)] = []
    difference(from: old) { change in
      switch change {
      case .removed(let entry, _): changes.append((entry, nil))
      case .added(let entry, _): changes.append((nil, entry))
      case .replaced(let before, _, let after, _): changes.append((before, after))
      }
    }
    return changes
  }
}

extension SortedTree<ByRow> {
  /// Returns the rank of a row, or `nil` if the row isn't in the section.
  ///
  /// An inconsistent comparator can mislead the search. So if rows are compared by a comparator and the search fails,
  /// all rows are checked. In a saved list, the found row might be another object.
  func find(_ entry: RowEntry) -> Int? {
    rank(of: entry) ?? (entry.hasRest ? enumerated().first { $1.isSame(entry) }?.offset : nil)
  }
}

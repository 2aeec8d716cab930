/// A row of a projection, and where it belongs in a list: what trees hold.
///
/// The trees know this class alone, which is the same whatever the rows are: code that is generic over rows is several
/// times slower where another module calls it. `Rows.Box` adds the row.
///
/// `@unchecked Sendable`: what a row is keyed by is written once, in the isolation that the rows belong to, by the
/// first list that shows the row and before that list is there. Others read it only of rows that their list shows,
/// which were keyed before: `RowKeying`.
class RowEntry: @unchecked Sendable {
  /// The row's id as bytes.
  final let id: OrderKey

  // The order of the properties matters: an `OrderKey` ends six bytes before the next whole word, and what is small is
  // there. A row of two strings takes 32 bytes less by that, and by what only some rows have being an object.
  @exclusivity(unchecked) private final var keyerHigh: UInt16 = 0
  @exclusivity(unchecked) private final var keyerLow: UInt32 = 0
  /// The values of the sort keys, up to the first one that has an order of its own.
  @exclusivity(unchecked) final private(set) var key = OrderKey.empty
  /// True if there are values from one on that has an order of its own.
  @exclusivity(unchecked) final private(set) var hasRest = false
  /// The section, or if the key has a rest, that with it.
  @exclusivity(unchecked) private final var place: AnyObject = SectionID.whole

  /// What rows with a comparator have beside their section.
  private final class PlaceWithRest {
    let section: SectionID
    let rest: [RowOrder.Part]

    init(_ section: SectionID, _ rest: [RowOrder.Part]) { (self.section, self.rest) = (section, rest) }
  }

  init(id: OrderKey) { self.id = id }

  /// The id's fingerprint, by which rows are found.
  final var hash: UInt64 { id.fingerprint }

  /// What computed the keys; 0 if nothing has yet.
  final var keyer: UInt64 { UInt64(keyerHigh) << 32 | UInt64(keyerLow) }

  /// The section that the row belongs to.
  @inline(__always)
  final var section: SectionID {
    // `setKeys` puts the one object or the other there.
    hasRest
      ? unsafeDowncast(place, to: PlaceWithRest.self).section : unsafeDowncast(place, to: SectionID.self)
  }

  /// The values from the first one on that has an order of its own.
  final var rest: [RowOrder.Part] { hasRest ? unsafeDowncast(place, to: PlaceWithRest.self).rest : [] }

  /// Writes the keys, once.
  final func setKeys(_ order: RowOrder, _ section: SectionID, by keyer: UInt64) {
    precondition(self.keyer == 0, "a row's keys are written once; this one has those of another list")
    (key, hasRest) = (order.head, !order.rest.isEmpty)
    place = hasRest ? PlaceWithRest(section, order.rest) : section
    // Numbers are given one after the other: 48 bits last for 9,000 years, at a thousand a second.
    (keyerHigh, keyerLow) = (UInt16(keyer >> 32), UInt32(truncatingIfNeeded: keyer))
  }

  /// Tells whether two entries are of the same row, in whatever versions.
  final func isSame(_ other: RowEntry) -> Bool { id == other.id }

  /// Tells whether two rows have the same sort key by the same order.
  final func hasKey(of other: RowEntry) -> Bool {
    key == other.key && hasRest == other.hasRest && (!hasRest || RowOrder.isSame(rest, other.rest))
  }
}

/// Rows by their ids, in no particular order.
enum ByID: TreeOrder {
  @inline(__always)
  static func head(_ element: RowEntry) -> UInt64 { element.hash }

  @inline(__always)
  static func compareTails(_ left: RowEntry, _ right: RowEntry) -> Int { compare(left, right.id) }

  /// Compares a row of the same fingerprint with an id.
  @inline(__always)
  static func compare(_ row: RowEntry, _ id: OrderKey) -> Int {
    if row.id.head != id.head { return row.id.head < id.head ? -1 : 1 }
    return OrderKey.compareTails(row.id, id)
  }
}

/// The rows of a section, in the order of its list.
enum ByRow: TreeOrder {
  @inline(__always)
  static func head(_ element: RowEntry) -> UInt64 { element.key.head }

  @inline(__always)
  static func compareTails(_ left: RowEntry, _ right: RowEntry) -> Int {
    let order = OrderKey.compareTails(left.key, right.key)
    if order != 0 { return order }
    if left.hasRest {
      let order = RowOrder.compare(left.rest, right.rest)
      if order != 0 { return order }
    }
    return ByID.compare(left, right.id)
  }

  /// A comparator may contradict itself: what was in order when it was saved need not be when it is read.
  static func mayFollow(_ left: RowEntry, _ right: RowEntry) -> Bool {
    left.hasRest ? head(left) <= head(right) : compare(left, right) < 0
  }
}

extension SortedTree<ByID> {
  /// What every row was and is that is not the object that it was.
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
  /// The rank of a row, nil if it is not in the section.
  ///
  /// A comparator that contradicts itself leads astray; then all rows are looked at. They may be other objects in a
  /// list that was saved.
  func find(_ entry: RowEntry) -> Int? {
    rank(of: entry) ?? (entry.hasRest ? enumerated().first { $1.isSame(entry) }?.offset : nil)
  }
}

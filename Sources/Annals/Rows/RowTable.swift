/// Rows by their ids in a hash table that is changed in place, while many events are folded one after the other.
///
/// A tree shares what it can with the trees it came from; in a rebuild nothing looks at those. Linear probing; what is
/// deleted is filled up from behind (Knuth, "Sorting and Searching", algorithm 6.4R). An id's fingerprint is its hash.
///
/// `@unchecked Sendable`: it is changed only while one value of rows alone holds it, which every change asks first.
final class RowTable: @unchecked Sendable {
  private struct Slot {
    var hash: UInt64 = 0
    /// Nil in a free slot.
    var entry: RowEntry?
  }

  /// The number of rows.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var slots: UnsafeMutableBufferPointer<Slot>

  /// Creates a table with room for some rows.
  init(capacity: Int) {
    var size = 64
    while size * 3 / 4 < capacity { size *= 2 }
    slots = .allocate(capacity: size)
    slots.initialize(repeating: Slot())
  }

  /// Creates a table of the rows of a tree.
  convenience init(_ tree: SortedTree<ByID>) {
    self.init(capacity: tree.count)
    for entry in tree { append(entry) }
  }

  deinit {
    slots.deinitialize()
    slots.deallocate()
  }

  /// A table of the same rows.
  func copy() -> RowTable {
    let copy = RowTable(capacity: count)
    for slot in slots {
      if let entry = slot.entry { copy.append(entry) }
    }
    return copy
  }

  /// The slot of an id, given by its hash and by a test for rows of the same hash; nil if there is none.
  @inline(__always)
  func slot(_ hash: UInt64, _ isWanted: (RowEntry) -> Bool) -> Int? {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while let entry = slots[index].entry {
      if slots[index].hash == hash, isWanted(entry) { return index }
      index = (index + 1) & mask
    }
    return nil
  }

  /// The slot of an id; nil if there is none.
  func slot(of id: OrderKey) -> Int? { slot(id.fingerprint) { $0.id == id } }

  /// The row in a slot that is not free.
  func entry(_ slot: Int) -> RowEntry {
    guard let entry = slots[slot].entry else { preconditionFailure("a free slot has no row") }
    return entry
  }

  /// True if only the table holds the row of a slot.
  func isAlone(_ slot: Int) -> Bool { isKnownUniquelyReferenced(&slots[slot].entry) }

  /// Puts a row in the place of the one with its id; answers that one.
  func replace(_ slot: Int, by entry: RowEntry) -> RowEntry {
    let old = self.entry(slot)
    slots[slot].entry = entry
    return old
  }

  /// Adds a row whose id the table does not have.
  func append(_ entry: RowEntry) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: entry.hash) & mask
    while slots[index].entry != nil { index = (index + 1) & mask }
    slots[index] = Slot(hash: entry.hash, entry: entry)
    count += 1
  }

  /// Takes the row of a slot out.
  func remove(_ slot: Int) -> RowEntry {
    let removed = entry(slot)
    let mask = slots.count - 1
    var (free, index) = (slot, slot)
    while true {
      index = (index + 1) & mask
      guard slots[index].entry != nil else { break }
      // A row may go back as far as the slot that its hash begins at.
      let home = Int(truncatingIfNeeded: slots[index].hash) & mask
      if (index - home) & mask < (index - free) & mask { continue }
      slots[free] = slots[index]
      free = index
    }
    slots[free] = Slot()
    count -= 1
    return removed
  }

  private func grow() {
    let old = slots
    slots = .allocate(capacity: old.count * 2)
    slots.initialize(repeating: Slot())
    let mask = slots.count - 1
    for slot in old.indices {
      guard let entry = old[slot].entry else { continue }
      var index = Int(truncatingIfNeeded: old[slot].hash) & mask
      while slots[index].entry != nil { index = (index + 1) & mask }
      slots[index] = Slot(hash: old[slot].hash, entry: entry)
    }
    old.deinitialize()
    old.deallocate()
  }

  /// The same rows in a tree.
  ///
  /// - Complexity: O(n log n).
  func tree() -> SortedTree<ByID> {
    var found: [(hash: UInt64, entry: Unmanaged<RowEntry>)] = []
    found.reserveCapacity(count)
    for slot in slots {
      if let entry = slot.entry { found.append((slot.hash, .passUnretained(entry))) }
    }
    // The table owns the rows: unowned, they are sorted without counting references.
    found.sort { left, right in
      if left.hash != right.hash { return left.hash < right.hash }
      return left.entry._withUnsafeGuaranteedRef { left in
        right.entry._withUnsafeGuaranteedRef { ByID.compareTails(left, $0) < 0 }
      }
    }
    return withExtendedLifetime(self) { SortedTree(sorted: found.lazy.map { $0.entry.takeUnretainedValue() }) }
  }
}

/// The effect of many events on a tree of rows, as a hash table in front of the tree.
///
/// The table is changed in place. In contrast, a change of the tree would copy nodes that the tree shares with earlier
/// trees, although no code uses those trees while many events are folded.
///
/// The table has a slot for every row that was set or removed. All other rows are only in the tree. The table uses
/// linear probing and fills the gaps of deletions from behind (Knuth, "Sorting and Searching", algorithm 6.4R). An id's
/// fingerprint is its hash, and the last bits of the hash determine the id's slot. The tree's order depends on the
/// first bits. So rows in tree order, such as an entity's dependents, are still spread over the table.
///
/// `@unchecked Sendable`: the table is changed only while a single `RowSet` references it. Every change checks this
/// condition first.
final class RowTable: @unchecked Sendable {
  private struct Slot {
    var hash: UInt64 = 0
    /// The row, or `nil` in a free slot and in the slot of a removed row of the tree.
    var entry: RowEntry?
  }

  /// The tree behind the table.
  private let base: SortedTree<ByID>
  /// The number of rows, including rows that are only in the tree.
  @exclusivity(unchecked) private(set) var count: Int
  /// The number of used slots.
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var slots: UnsafeMutableBufferPointer<Slot>
  /// The tree's rows by slot, or an empty buffer if the tree is empty.
  @exclusivity(unchecked) private var olds: UnsafeMutableBufferPointer<RowEntry?>

  /// Creates a table in front of a tree.
  convenience init(over base: SortedTree<ByID>) { self.init(over: base, size: 64) }

  private init(over base: SortedTree<ByID>, size: Int) {
    self.base = base
    count = base.count
    (slots, olds) = Self.allocate(size, hasOlds: !base.isEmpty)
  }

  private static func allocate(
    _ size: Int, hasOlds: Bool
  ) -> (UnsafeMutableBufferPointer<Slot>, UnsafeMutableBufferPointer<RowEntry?>) {
    let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: size)
    slots.initialize(repeating: Slot())
    let olds = UnsafeMutableBufferPointer<RowEntry?>.allocate(capacity: hasOlds ? size : 0)
    olds.initialize(repeating: nil)
    return (slots, olds)
  }

  deinit {
    slots.deinitialize()
    slots.deallocate()
    olds.deinitialize()
    olds.deallocate()
  }

  /// Returns a copy of the table with the same rows.
  func copy() -> RowTable {
    let copy = RowTable(over: base, size: slots.count)
    for slot in slots.indices where !isFree(slot) { copy.write(slots[slot], old(slot)) }
    copy.count = count
    return copy
  }

  /// Returns the row with an id, or `nil`.
  ///
  /// The id is given by its hash, and by a closure that compares a row of the same hash with the id.
  @inline(__always)
  func row(_ hash: UInt64, _ compare: (RowEntry) -> Int) -> RowEntry? {
    guard let slot = slot(hash, { compare($0) == 0 }) else { return base.element(head: hash, compare) }
    return slots[slot].entry
  }

  /// Sets a row, and returns the previous row with its id.
  ///
  /// If the caller already has the previous row, it passes this row as `known`, so that no search is needed.
  func put(_ entry: RowEntry, inPlaceOf known: RowEntry? = nil) -> RowEntry? {
    if let slot = slot(entry.hash, { $0.isSame(entry) }) {
      let old = slots[slot].entry
      slots[slot].entry = entry
      if old == nil { count += 1 }
      return old
    }
    let old = known ?? base.row(entry.id)
    add(entry.hash, entry, old)
    if old == nil { count += 1 }
    return old
  }

  /// Removes a row, and returns it.
  func remove(_ id: OrderKey) -> RowEntry? {
    let hash = id.fingerprint
    guard let slot = slot(hash, { $0.id == id }) else {
      guard let old = base.row(id) else { return nil }
      add(hash, nil, old)
      count -= 1
      return old
    }
    guard let removed = slots[slot].entry else { return nil }
    count -= 1
    if old(slot) != nil { slots[slot].entry = nil } else { free(slot) }
    return removed
  }

  /// Returns the old and new versions of the changed rows, sorted by id.
  ///
  /// - Parameter order: The used slots, as in `inOrder`.
  /// - Returns: The old and new versions.
  func changes(in order: [Int]) -> [(old: RowEntry?, new: RowEntry?)] { order.map { (old($0), slots[$0].entry) } }

  /// Returns all rows as a tree.
  ///
  /// - Parameters:
  ///   - order: The used slots, as in `inOrder`.
  ///   - isInMemory: False if some of the rows might be on unread pages.
  /// - Returns: The tree.
  /// - Complexity: O(k log n) for k rows in the table and n rows in the tree.
  func tree(in order: [Int], isInMemory: Bool) -> SortedTree<ByID> {
    if base.isEmpty {
      let entries = order.lazy.map { [slots] slot in
        guard let entry = slots[slot].entry else {
          preconditionFailure(
            "found a removed row in a table without a search tree. Such a table must free the slots of removed rows. "
              + "Please report this")
        }
        return entry
      }
      return SortedTree(sorted: entries)
    }
    let parts = Parallel.parts(of: order.count)
    let edits: [TreeEdit<ByID>] = Parallel.flatMap(parts.count, most: { parts[$0].count }) { part, take in
      for slot in order[parts[part]] {
        if let entry = slots[slot].entry {
          take(.set(entry))
        } else if let old = old(slot) {
          take(.remove(old))
        }
      }
    }
    var tree = base
    tree.apply(edits, parallelFrom: isInMemory ? Parallel.threshold : .max)
    return tree
  }
}

extension RowTable {
  private func old(_ slot: Int) -> RowEntry? { olds.isEmpty ? nil : olds[slot] }

  @inline(__always)
  private func isFree(_ slot: Int) -> Bool { slots[slot].entry == nil && old(slot) == nil }

  /// Returns the first slot for a hash, based on the hash's last bits, because the first bits define the tree's order.
  @inline(__always)
  private func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash) & (slots.count - 1)
  }

  /// Returns the slot of an id, or `nil`.
  ///
  /// The id is given by its hash, and by a closure that returns true for the row with the id among rows of the same
  /// hash.
  @inline(__always)
  private func slot(_ hash: UInt64, _ isWanted: (RowEntry) -> Bool) -> Int? {
    let mask = slots.count - 1
    var index = home(hash)
    while !isFree(index) {
      // Only rows with the same hash are accessed.
      if slots[index].hash == hash, let known = slots[index].entry ?? old(index), isWanted(known) { return index }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Adds a slot for a row that has no slot.
  private func add(_ hash: UInt64, _ entry: RowEntry?, _ old: RowEntry?) {
    if (used + 1) * 4 > slots.count * 3 { grow() }
    write(Slot(hash: hash, entry: entry), old)
  }

  /// Writes a slot into the first free place, and moves the arguments there without counting references.
  private func write(_ slot: consuming Slot, _ old: consuming RowEntry?) {
    let mask = slots.count - 1
    var index = home(slot.hash)
    while !isFree(index) { index = (index + 1) & mask }
    slots[index] = slot
    if !olds.isEmpty { olds[index] = old }
    used += 1
  }

  /// Empties a slot.
  private func free(_ slot: Int) {
    let mask = slots.count - 1
    var (free, index) = (slot, slot)
    while true {
      index = (index + 1) & mask
      if isFree(index) { break }
      // A row can move back at most to the first slot for its hash.
      if (index - home(slots[index].hash)) & mask < (index - free) & mask { continue }
      slots[free] = slots[index]
      if !olds.isEmpty { olds[free] = olds[index] }
      free = index
    }
    slots[free] = Slot()
    if !olds.isEmpty { olds[free] = nil }
    used -= 1
  }

  private func grow() {
    let (oldSlots, oldOlds) = (slots, olds)
    (slots, olds) = Self.allocate(oldSlots.count * 2, hasOlds: !base.isEmpty)
    used = 0
    for index in oldSlots.indices {
      // The elements are moved, so that no row is accessed to count references.
      let slot = oldSlots.moveElement(from: index)
      let old = oldOlds.isEmpty ? nil : oldOlds.moveElement(from: index)
      if slot.entry != nil || old != nil { write(consume slot, consume old) }
    }
    oldSlots.deallocate()
    oldOlds.deallocate()
  }

  /// The used slots, in the order of their ids.
  ///
  /// - Complexity: O(k log k) for k rows.
  var inOrder: [Int] {
    // Rows are spread evenly over the first bits of their hashes, so the parts have similar lengths.
    let bits = used >= Parallel.threshold ? 5 : 0
    func part(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: (hash >> UInt64(63 - bits)) >> 1) }
    var ends = Array(repeating: 0, count: 1 << bits)
    for slot in slots.indices where !isFree(slot) { ends[part(slots[slot].hash)] += 1 }
    var (starts, count) = ([Int](), 0)
    for index in ends.indices {
      starts.append(count)
      count += ends[index]
      ends[index] = starts[index]
    }
    var places = Array(repeating: Place(hash: 0, slot: 0), count: count)
    for slot in slots.indices where !isFree(slot) {
      let hash = slots[slot].hash
      places[ends[part(hash)]] = Place(hash: hash, slot: slot)
      ends[part(hash)] += 1
    }
    let parts = zip(starts, ends).map { $0..<$1 }
    places.withUnsafeMutableBufferPointer { places in
      // Every part is used by only one thread.
      nonisolated(unsafe) let places = places
      _ = Parallel.map(parts.count, rows: { parts[$0].count }) { part in
        var own = UnsafeMutableBufferPointer(rebasing: places[parts[part]])
        own.sort { self.precedes($0, $1) }
      }
    }
    return places.map(\.slot)
  }

  /// A slot with its hash next to it, so that sorting rarely accesses other memory.
  private struct Place {
    let hash: UInt64
    let slot: Int
  }

  private func precedes(_ left: Place, _ right: Place) -> Bool {
    if left.hash != right.hash { return left.hash < right.hash }
    guard let one = slots[left.slot].entry ?? old(left.slot), let other = slots[right.slot].entry ?? old(right.slot)
    else { return false }
    return ByID.compareTails(one, other) < 0
  }
}

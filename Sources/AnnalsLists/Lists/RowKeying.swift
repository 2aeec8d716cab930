/// A value that assigns keys to the rows that a list shows, and skips the rows that the list excludes.
///
/// Rows can be shared with other lists. The first list that shows a row writes the list's keys into the row, and other
/// lists create separate entries for the same row. Code on another thread must check that its list shows a row before
/// it reads the row's keys. A row's keys never change after they are written.
struct RowKeying {
  private let prepared: PreparedRequest
  private var sections: SectionIDs
  /// The number of another keyer with the same sections, or 0 if none is known.
  private let sameCut: UInt64
  private var writer = KeyWriter(capacity: 64)

  /// - Parameters:
  ///   - prepared: The request.
  ///   - old: A list of the same request, to reuse its sections.
  ///   - other: A list of another request, which might have the same sections.
  init(_ prepared: PreparedRequest, after old: ListStorage?, knowing other: ListStorage? = nil) {
    self.prepared = prepared
    sections = SectionIDs(old)
    sameCut = other.map { $0.prepared.keyer.cut === prepared.keyer.cut ? $0.prepared.keyer.number : 0 } ?? 0
  }

  /// Returns a row with the list's keys, or `nil` if the list excludes the row.
  ///
  /// - Parameters:
  ///   - entry: The row, accessed in the isolation of its `Rows`.
  ///   - old: The version of the row that the list showed before.
  /// - Returns: The row with its keys.
  mutating func shown(_ entry: RowEntry, after old: RowEntry? = nil) -> RowEntry? {
    keyed(entry, after: old, mayWrite: true)
  }

  /// Returns a row with the list's keys, or `nil` if the list excludes the row.
  ///
  /// The given row is only read. If it doesn't have the list's keys, the result is a separate entry.
  mutating func known(_ entry: RowEntry) -> RowEntry? { keyed(entry, after: nil, mayWrite: false) }

  private mutating func keyed(_ entry: RowEntry, after old: RowEntry?, mayWrite: Bool) -> RowEntry? {
    guard prepared.includes?(entry) ?? true else { return nil }
    return keyed(included: entry, after: old, mayWrite: mayWrite)
  }

  private mutating func keyed(included entry: RowEntry, after old: RowEntry?, mayWrite: Bool) -> RowEntry {
    if entry.keyer == prepared.keyer.number { return entry }
    let own = mayWrite && entry.keyer == 0 ? entry : prepared.unkeyed(entry)
    if sameCut != 0, entry.keyer == sameCut {
      prepared.keyer.key(own, in: entry.section, &writer)
    } else {
      prepared.keyer.key(own, after: old, &sections, &writer)
    }
    return own
  }

  /// Converts changes of all rows to changes of the rows that the list shows.
  ///
  /// - Parameters:
  ///   - changes: The pairs of an old row and a new row.
  ///   - ids: All rows.
  ///   - replacing: True to replace the rows in `ids` by the created entries.
  /// - Returns: The pairs of the row that the list showed before and the row that it shows now.
  mutating func shown(
    _ changes: [(old: RowEntry?, new: RowEntry?)], in ids: inout SortedTree<ByID>, replacing: Bool
  ) -> [(old: RowEntry?, new: RowEntry?)] {
    var made: [TreeEdit<ByID>] = []
    let result: [(old: RowEntry?, new: RowEntry?)] = changes.compactMap { change in
      let old = change.old.flatMap { known($0) }
      let new = change.new.flatMap { shown($0, after: old) }
      if replacing, let new, new !== change.new { made.append(.set(new)) }
      return old == nil && new == nil ? nil : (old, new)
    }
    ids.apply(made)
    return result
  }

  /// Returns the rows that a list shows, grouped by the parts of the rows that are searched in parallel.
  ///
  /// The rows are in no particular order.
  ///
  /// - Parameters:
  ///   - ids: All rows.
  ///   - replacing: True to replace the rows in `ids` by the created entries.
  ///   - isInMemory: False if some of the rows might be on saved pages that haven't been read yet.
  /// - Returns: The rows with their keys.
  func shown(in ids: inout SortedTree<ByID>, replacing: Bool, isInMemory: Bool) -> [[RowEntry]] {
    let parts = Parallel.parts(of: ids.count, threshold: isInMemory ? prepared.parallelFrom : .max)
    let (keying, all) = (self, ids)
    let found = Parallel.map(parts.count, threshold: 0, rows: { parts[$0].count }) { part in
      var (keying, made): (RowKeying, [TreeEdit<ByID>]) = (keying, [])
      let shown = keying.look(through: all.slice(parts[part]), replacing: replacing, &made)
      return (shown: shown, made: TreeEdit.ordered(made))
    }
    ids.replace(found.map(\.made), in: parts)
    return found.map(\.shown)
  }

  /// Finds the rows that a list shows.
  ///
  /// - Parameters:
  ///   - rows: Rows in the order of their ids.
  ///   - replacing: True to replace the rows in `ids` by the created entries.
  ///   - made: An array that receives the edits that replace rows by the created entries.
  /// - Returns: The rows with their keys.
  private mutating func look(
    through rows: SortedTree<ByID>, replacing: Bool, _ made: inout [TreeEdit<ByID>]
  ) -> [RowEntry] {
    var entries: [RowEntry] = []
    func take(_ entry: RowEntry) {
      let own = keyed(included: entry, after: nil, mayWrite: true)
      entries.append(own)
      if replacing, own !== entry { made.append(.set(own)) }
    }
    if let includes = prepared.includes {
      var rest = rows.makeIterator()
      while let entry = rest.next(where: includes) { take(entry) }
    } else {
      entries.reserveCapacity(rows.count)
      rows.forEachAhead { take($0) }
    }
    return entries
  }

  /// Returns the given rows without the rows that the list excludes.
  ///
  /// - Parameters:
  ///   - some: Some of all rows, without duplicates.
  ///   - ids: All rows.
  ///   - replacing: True to replace the rows in `ids` by the created entries.
  /// - Returns: The rows with their keys.
  mutating func shown(_ some: [RowEntry], in ids: inout SortedTree<ByID>, replacing: Bool) -> [RowEntry] {
    var (entries, made): ([RowEntry], [TreeEdit<ByID>]) = ([], [])
    for entry in some {
      guard let own = shown(entry) else { continue }
      entries.append(own)
      if replacing, own !== entry { made.append(.set(own)) }
    }
    ids.replace(TreeEdit.ordered(made))
    return entries
  }
}

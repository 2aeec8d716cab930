/// Gives the rows that a list shows their keys, and passes over those that it leaves out.
///
/// Rows may be shared with other lists. The first list that shows a row writes its keys into it; another one makes an
/// entry of its own. Who reads the keys of a row on another thread first asks whether its list shows the row: from the
/// moment at which it does, they never change.
struct RowKeying {
  private let prepared: PreparedRequest
  private var sections: SectionIDs
  /// The number of another keyer that cuts the same sections; 0 if none is known.
  private let sameCut: UInt64
  private var writer = KeyWriter(capacity: 64)

  /// - Parameters:
  ///   - prepared: The request.
  ///   - old: A list of the same request, whose sections are known.
  ///   - other: A list of another request, perhaps with the same sections.
  init(_ prepared: PreparedRequest, after old: ListStorage?, knowing other: ListStorage? = nil) {
    self.prepared = prepared
    sections = SectionIDs(old)
    sameCut = other.map { $0.prepared.keyer.cut === prepared.keyer.cut ? $0.prepared.keyer.number : 0 } ?? 0
  }

  /// The row as a list shows it, with its keys; nil if the list leaves it out.
  ///
  /// - Parameters:
  ///   - entry: The row, in the isolation that its rows belong to.
  ///   - old: What the list showed of it before.
  /// - Returns: The row with its keys.
  mutating func shown(_ entry: RowEntry, after old: RowEntry? = nil) -> RowEntry? {
    keyed(entry, after: old, mayWrite: true)
  }

  /// What a list that was made before shows of a row, which no one may write into any more; nil if it is left out.
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

  /// What the list showed of rows that changed, and what it shows of them now; rows that it leaves out are no change.
  ///
  /// - Parameters:
  ///   - changes: What rows were and are.
  ///   - ids: All rows.
  ///   - replacing: True if they get the entries that were made.
  /// - Returns: What was shown, and what is.
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

  /// The rows that a list shows, in no particular order, by the parts that looked for them.
  ///
  /// - Parameters:
  ///   - ids: All rows.
  ///   - replacing: True if they get the entries that were made.
  ///   - isInMemory: False if some of the rows may be on pages that were not read.
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

  /// Looks for the rows that a list shows.
  ///
  /// - Parameters:
  ///   - rows: Rows in the order of their ids.
  ///   - replacing: True if they get the entries that were made.
  ///   - made: Gets the edits for that.
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

  /// The rows that a list shows of some.
  ///
  /// - Parameters:
  ///   - some: Rows of all, each once.
  ///   - ids: All rows.
  ///   - replacing: True if they get the entries that were made.
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

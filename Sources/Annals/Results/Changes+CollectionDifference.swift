extension Changes {
  /// The changes as the standard library's difference of the two lists' ids, sections joined.
  ///
  /// Offsets count all rows from the first section on. A move is a removal and an insertion that know each other; so is a
  /// row whose content changed in place, as Apple documents it of `NSOrderedCollectionChange.associatedIndex`: a pair whose
  /// offsets are equal may be either.
  ///
  /// - Complexity: O(c) for c changes, the rows of moved sections, and the number of sections.
  public var difference: CollectionDifference<Row.ID> {
    let oldStarts = Self.starts(old)
    let newStarts = Self.starts(new)
    func oldOffset(_ path: RowPath) -> Int { oldStarts[path.section] + path.row }
    func newOffset(_ path: RowPath) -> Int { newStarts[path.section] + path.row }

    var removals: [(offset: Int, id: Row.ID, key: OrderKey)] = []
    var insertions: [(offset: Int, id: Row.ID, key: OrderKey)] = []
    func pair(_ row: Row, _ from: Int, _ to: Int) {
      removals.append((from, row.id, OrderKey(row.id)))
      insertions.append((to, row.id, OrderKey(row.id)))
    }
    var movedSections: Set<Int> = []
    for case .move(let from, let to, _) in sections {
      movedSections.insert(from)
      for (index, row) in new.sections[to].enumerated() {
        pair(row, oldStarts[from] + index, newStarts[to] + index)
      }
    }
    for change in rows {
      switch change {
      case .delete(let row, let at, _): removals.append((oldOffset(at), row.id, OrderKey(row.id)))
      case .insert(let row, let at, _): insertions.append((newOffset(at), row.id, OrderKey(row.id)))
      case .move(let row, let from, let to, _): pair(row, oldOffset(from), newOffset(to))
      case .update(let row, let at, let newAt):
        if !movedSections.contains(at.section) { pair(row, oldOffset(at), newOffset(newAt)) }
      }
    }
    let removed = Dictionary(removals.map { ($0.key, $0.offset) }) { first, _ in first }
    let inserted = Dictionary(insertions.map { ($0.key, $0.offset) }) { first, _ in first }
    let changes =
      removals.map {
        CollectionDifference.Change.remove(offset: $0.offset, element: $0.id, associatedWith: inserted[$0.key])
      }
      + insertions.map {
        CollectionDifference.Change.insert(offset: $0.offset, element: $0.id, associatedWith: removed[$0.key])
      }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("the changes from \(from) to \(to) name one place twice; please report this with both lists")
    }
    return difference
  }

  /// The number of rows before each section.
  private static func starts(_ list: Results<Row>) -> [Int] {
    var sum = 0
    return list.map { section in
      defer { sum += section.count }
      return sum
    }
  }
}

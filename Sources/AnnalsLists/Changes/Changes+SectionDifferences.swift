import AnnalsLog
extension Changes {
  /// The changes to one section's rows, as a `CollectionDifference` of the row ids.
  public struct SectionDifference: Sendable {
    /// The section's key.
    public let key: SectionKey
    /// The section's index in the new list.
    public let index: Int
    /// True if the section is new, or was deleted and reinserted.
    ///
    /// Such a section has no rows before you apply ``rows``.
    public let isInserted: Bool
    /// The difference between the section's old and new row ids.
    ///
    /// A row that moved within the section, or has new content, is represented by a removal and an insertion that are
    /// associated with each other.
    public let rows: CollectionDifference<Row.ID>
  }
}

extension Changes {
  /// The difference between the section keys of the two lists, as the standard library's `CollectionDifference`.
  ///
  /// A section that moved, was reinserted with all its rows, or has a new title is represented by a removal and an
  /// insertion that are associated with each other.
  ///
  /// - Complexity: O(c) for c changes of sections.
  public var sectionDifference: CollectionDifference<SectionKey> {
    var difference = PairedDifference<SectionKey>()
    var leaving: Set<Int> = []
    for change in sections {
      switch change {
      case .delete(let index, let key): difference.remove(key, key.orderKey, at: index)
      case .insert(let index, let key, _): difference.insert(key, key.orderKey, at: index)
      case .move(let from, let to, let key):
        leaving.insert(from)
        difference.pair(key, key.orderKey, from, to)
      case .update(let index, let newIndex, let key, _):
        if !leaving.contains(index) { difference.pair(key, key.orderKey, index, newIndex) }
      }
    }
    return difference.value
  }

  /// The row differences of all sections whose rows changed, sorted by the section's index in the new list.
  ///
  /// Apply ``sectionDifference`` first, and insert new sections without rows. Then apply these differences to get the
  /// new list. A row that moves to another section is removed from its old section and inserted into its new section.
  ///
  /// - Complexity: O(c log c) for c changes of sections and rows.
  public var rowDifferences: [SectionDifference] {
    let indices = SectionIndices(sections)
    var found: [Int: PairedDifference<Row.ID>] = [:]
    for change in rows {
      let (id, key) = (change.row.id, OrderKey(change.row.id))
      switch change {
      case .delete(_, let at, _):
        // Rows of a deleted section are skipped, because the section's deletion includes them.
        if let index = indices.new(at.section) { found[index, default: .init()].remove(id, key, at: at.row) }
      case .insert(_, let at, _): found[at.section, default: .init()].insert(id, key, at: at.row)
      case .move(_, let from, let to, _):
        if let index = indices.new(from.section) { found[index, default: .init()].remove(id, key, at: from.row) }
        found[to.section, default: .init()].insert(id, key, at: to.row)
      case .update(_, let at, let newAt): found[newAt.section, default: .init()].pair(id, key, at.row, newAt.row)
      }
    }
    return found.keys.sorted().map { index in
      SectionDifference(
        key: new[index].key, index: index, isInserted: indices.isInserted(index),
        rows: found[index, default: .init()].value)
    }
  }
}

/// Removals and insertions, associated with each other if their keys are equal.
struct PairedDifference<Element: Sendable> {
  private var removals: [(offset: Int, element: Element, key: OrderKey)] = []
  private var insertions: [(offset: Int, element: Element, key: OrderKey)] = []

  mutating func remove(_ element: Element, _ key: OrderKey, at offset: Int) { removals.append((offset, element, key)) }

  mutating func insert(_ element: Element, _ key: OrderKey, at offset: Int) {
    insertions.append((offset, element, key))
  }

  mutating func pair(_ element: Element, _ key: OrderKey, _ from: Int, _ to: Int) {
    remove(element, key, at: from)
    insert(element, key, at: to)
  }

  /// The difference.
  ///
  /// Offsets must be distinct. Keys must be distinct, too, except in a list whose saved data was lost.
  var value: CollectionDifference<Element> {
    let removed = Dictionary(removals.map { ($0.key, $0.offset) }) { first, _ in first }
    let inserted = Dictionary(insertions.map { ($0.key, $0.offset) }) { first, _ in first }
    let isUnique = removed.count == removals.count && inserted.count == insertions.count
    let changes =
      removals.map {
        // If several removals have the same key, only one of them is associated with an insertion.
        let other = isUnique || removed[$0.key] == $0.offset ? inserted[$0.key] : nil
        return CollectionDifference.Change.remove(offset: $0.offset, element: $0.element, associatedWith: other)
      }
      + insertions.map {
        let other = isUnique || inserted[$0.key] == $0.offset ? removed[$0.key] : nil
        return CollectionDifference.Change.insert(offset: $0.offset, element: $0.element, associatedWith: other)
      }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure(
        "expected every index at most once in a batch of changes, found an index twice; please report this bug with "
          + "the old and the new list")
    }
    return difference
  }
}

/// A conversion of sections' old indices to new indices, computed from a batch's changes of sections.
struct SectionIndices {
  private var gone: [Int] = []
  private var come: [Int] = []
  private var moved: [Int: Int] = [:]
  private var inserted: Set<Int> = []

  init(_ changes: [SectionChange]) {
    for change in changes {
      switch change {
      case .delete(let index, _): gone.append(index)
      case .insert(let index, _, _):
        come.append(index)
        inserted.insert(index)
      case .move(let from, let to, _):
        gone.append(from)
        come.append(to)
        moved[from] = to
      case .update: break
      }
    }
    gone.sort()
    come.sort()
  }

  func isInserted(_ index: Int) -> Bool { inserted.contains(index) }

  /// Returns the new index of a section with an old index, or `nil` if the section was deleted.
  ///
  /// - Complexity: O(log c) for c changes of sections.
  func new(_ index: Int) -> Int? {
    if let target = moved[index] { return target }
    let before = gone.firstIndexInOrder { $0 >= index }
    if before < gone.count, gone[before] == index { return nil }
    // The section's number among the sections that were neither deleted nor moved. Every section that is inserted or
    // moved to a place before this section increases the index by 1.
    let number = index - before
    return number + come.indices.firstIndexInOrder { come[$0] - $0 > number }
  }
}

extension Changes {
  /// The difference between the row ids of the two lists, regardless of sections, as the standard library's
  /// `CollectionDifference`.
  ///
  /// An offset is a row's index among the rows of all sections. A moved row is represented by a removal and an
  /// insertion that are associated with each other. A row whose content changed in place is also represented by a
  /// removal and an insertion, as Apple documents for `NSOrderedCollectionChange.associatedIndex`.
  ///
  /// If the removal and the insertion have the same offset, the row's content might have changed in place. The row
  /// might also have moved, for example from the end of a section to the beginning of the next section.
  ///
  /// - Complexity: O(c log s) for c changes and s sections. Every row of a moved section counts as a change.
  public var difference: CollectionDifference<Row.ID> {
    func oldOffset(_ path: RowPath) -> Int { old.shown.weight(before: path.section) + path.row }
    func newOffset(_ path: RowPath) -> Int { new.shown.weight(before: path.section) + path.row }

    var difference = PairedDifference<Row.ID>()
    func pair(_ row: Row, _ from: Int, _ to: Int) { difference.pair(row.id, OrderKey(row.id), from, to) }
    var movedSections: Set<Int> = []
    for case .move(let from, let to, _) in sections {
      movedSections.insert(from)
      let (first, target) = (old.shown.weight(before: from), new.shown.weight(before: to))
      for (index, row) in new.sections[to].enumerated() {
        pair(row, first + index, target + index)
      }
    }
    for change in rows {
      switch change {
      case .delete(let row, let at, _): difference.remove(row.id, OrderKey(row.id), at: oldOffset(at))
      case .insert(let row, let at, _): difference.insert(row.id, OrderKey(row.id), at: newOffset(at))
      case .move(let row, let from, let to, _): pair(row, oldOffset(from), newOffset(to))
      case .update(let row, let at, let newAt):
        if !movedSections.contains(at.section) { pair(row, oldOffset(at), newOffset(newAt)) }
      }
    }
    return difference.value
  }
}

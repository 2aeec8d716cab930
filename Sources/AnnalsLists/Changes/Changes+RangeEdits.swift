extension Changes {
  /// A single edit of an item, or of a range of items, in a view without sections.
  ///
  /// The edit's indices are valid after the previous edit.
  public enum RangeEdit: Hashable, Sendable {
    /// The items in the range are deleted.
    case delete(Range<Int>)
    /// An item moves from one index to another.
    ///
    /// The second index is valid after the item has been removed from the first index.
    case move(from: Int, to: Int)
    /// Items are inserted, so that they occupy the range afterwards.
    case insert(Range<Int>)
    /// The items in the range have new content.
    case update(Range<Int>)
  }

  /// Returns the changes as edits for a view that has no sections and applies edits one at a time, such as AppKit's
  /// NSTableView or Android's RecyclerView.
  ///
  /// The view's items are the rows of all sections, in section order. If you request headers, every section's header is
  /// an item, too. Adjacent insertions, deletions or updates are combined into ranges. The edits begin with deletions
  /// in descending order of their indices. The deletions are followed by moves, then by insertions in ascending order
  /// of their indices, and finally by updates, which use indices of the new list.
  ///
  /// When you insert an item, give it the content that its row or header has in the new list, because the insertion
  /// isn't followed by an update of this item.
  ///
  /// - Parameter headers: True if every section begins with a header item.
  /// - Returns: The edits.
  /// - Complexity: O(c log c + c log s) for c changes and s sections. Every row of a moved section counts as a change.
  public func rangeEdits(headers: Bool = false) -> [RangeEdit] {
    let before = FlatIndices(old, headers: headers)
    let after = FlatIndices(new, headers: headers)
    var (deleted, inserted, updated): ([Int], [Int], [Int]) = ([], [], [])
    var moves: [SequentialMoves.Move] = []
    func move(_ from: Int, _ to: Int) {
      moves.append(.init(from: RowPath(section: 0, row: from), to: RowPath(section: 0, row: to)))
    }
    for change in sections {
      switch change {
      case .delete(let index, _): if headers { deleted.append(before.header(index)) }
      case .insert(let index, _, _): if headers { inserted.append(after.header(index)) }
      case .move(let from, let to, _):
        let (first, target) = (before.header(from), after.header(to))
        for item in 0..<(new[to].count + (headers ? 1 : 0)) { move(first + item, target + item) }
      case .update(_, let index, _, _): if headers { updated.append(after.header(index)) }
      }
    }
    for change in rows {
      switch change {
      case .delete(_, let at, _): deleted.append(before.item(at))
      case .insert(_, let at, _): inserted.append(after.item(at))
      case .move(_, let from, let to, let contentChanged):
        move(before.item(from), after.item(to))
        if contentChanged { updated.append(after.item(to)) }
      case .update(_, _, let at): updated.append(after.item(at))
      }
    }
    func path(_ index: Int) -> RowPath { RowPath(section: 0, row: index) }
    let steps = SequentialMoves(moves, deleted: deleted.map(path), inserted: inserted.map(path)).steps
    return Self.ranges(deleted).reversed().map { .delete($0) } + steps.map { .move(from: $0.from.row, to: $0.to.row) }
      + Self.ranges(inserted).map { .insert($0) } + Self.ranges(updated).map { .update($0) }
  }

  /// Returns the fewest ranges that contain exactly the given indices, in order.
  private static func ranges(_ indices: [Int]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for index in indices.sorted() {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<index + 1
      } else {
        ranges.append(index..<index + 1)
      }
    }
    return ranges
  }
}

/// A conversion of paths to indices in a view without sections.
private struct FlatIndices {
  private let sections: SortedTree<BySection>
  private let headers: Bool

  init<Row: AnnalsLists.Row>(_ list: Results<Row>, headers: Bool) {
    sections = list.shown
    self.headers = headers
  }

  /// Returns the index at which a section begins.
  func header(_ section: Int) -> Int { sections.weight(before: section) + (headers ? section : 0) }

  func item(_ path: RowPath) -> Int { header(path.section) + (headers ? 1 : 0) + path.row }
}

extension Changes {
  /// One edit of a view that knows no sections and takes ranges; indices are those that the edit before left.
  public enum RangeEdit: Hashable, Sendable {
    /// The items of a range go.
    case delete(Range<Int>)
    /// An item goes from one index to another, which counts what is left without it.
    case move(from: Int, to: Int)
    /// Items come, and stand at a range then.
    case insert(Range<Int>)
    /// The items of a range have new content.
    case update(Range<Int>)
  }

  /// The same batch for a view that knows no sections and takes edits one after the other, such as AppKit's NSTableView
  /// or Android's RecyclerView.
  ///
  /// Items are all rows, section after section, each section after its header if headers are wanted. Neighbours that
  /// come, go or change are one range. Deletions come first, from the last one on, then moves, insertions from the
  /// first one on, and updates, whose indices are those of the new list. An item that is inserted shows what the new
  /// list has there in the end.
  ///
  /// - Parameter headers: True if each section begins with an item of its own.
  /// - Returns: The edits.
  /// - Complexity: O(c log c + c log s) for c changes, the rows of moved sections counted, and s sections.
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

  /// Indices as the fewest ranges, in order.
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

/// Where rows stand in a list without sections.
private struct FlatIndices {
  private let sections: SortedTree<BySection>
  private let headers: Bool

  init<Row: Annals.Row>(_ list: Results<Row>, headers: Bool) {
    (sections, self.headers) = (list.shown, headers)
  }

  /// Where a section begins.
  func header(_ section: Int) -> Int { sections.weight(before: section) + (headers ? section : 0) }

  func item(_ path: RowPath) -> Int { header(path.section) + (headers ? 1 : 0) + path.row }
}

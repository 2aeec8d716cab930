/// A section that both the old and the new list have.
struct SectionPair: Sendable {
  let old: SectionNode
  let oldIndex: Int
  let new: SectionNode
  let newIndex: Int

  /// True if the section has the same index in both lists, because a table view moves rows only between such sections.
  var keepsIndex: Bool { oldIndex == newIndex }
}

/// The changes of a section's rows.
///
/// A row that moves to or from another section is a removed or an inserted row here.
struct RowDifference: Sendable {
  /// A row that is in the section both before and after the change.
  struct Match: Sendable {
    let old: RowEntry
    let from: Int
    let new: RowEntry
    let to: Int
  }

  /// A row that was removed from the section or inserted into it.
  typealias Unmatched = (row: RowEntry, index: Int)

  /// The removed rows, in order.
  private(set) var removed: [Unmatched] = []
  /// The inserted rows, in order.
  private(set) var inserted: [Unmatched] = []
  /// Rows with different objects in the two lists that keep their place among the remaining rows.
  private(set) var kept: [Match] = []
  /// Rows that change their place among the remaining rows.
  private(set) var moved: [Match] = []

  /// True if the section has the same rows in the same order.
  var isClean: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty }

  /// - Parameters:
  ///   - pair: The section.
  ///   - isOneOrder: True if the rows of both lists have keys from the same keyer.
  /// - Complexity: O(k log n) for k different rows, if both lists have the same order, otherwise O(n).
  init(_ pair: SectionPair, isOneOrder: Bool) {
    if isOneOrder {
      pair.new.rows.difference(from: pair.old.rows) { change in
        switch change {
        case .removed(let row, let index): removed.append((row, index))
        case .added(let row, let index): inserted.append((row, index))
        case .replaced(let old, let from, let new, let to):
          kept.append(Match(old: old, from: from, new: new, to: to))
        }
      }
    } else {
      align(pair)
    }
    if !removed.isEmpty, !inserted.isEmpty { pairUp(isSameIndex: pair.keepsIndex) }
  }

  /// Creates the difference from rows that are known to differ, in a section that keeps its index.
  ///
  /// - Parameters:
  ///   - removed: Rows of the old section for which the new section has no row with the same key and id, in order.
  ///   - inserted: Rows of the new section for which the old section has no row with the same key and id, in order.
  ///   - kept: Rows with different objects but the same key and id.
  init(removed: [Unmatched], inserted: [Unmatched], kept: [Match]) {
    self.removed = removed
    self.inserted = inserted
    self.kept = kept
    if !removed.isEmpty, !inserted.isEmpty { pairUp(isSameIndex: true) }
  }

  /// Compares rows that are sorted by two different keyers.
  ///
  /// Rows with the same key are fixed, and all other rows are removed or inserted.
  private mutating func align(_ pair: SectionPair) {
    let olds = Array(pair.old.rows)
    let matches = RowMatches(olds.count) { olds[$0] }
    var isAligned = Array(repeating: false, count: pair.old.rows.count)
    var floor = -1
    for (index, row) in pair.new.rows.enumerated() {
      // Equal keys have the same order, unless a comparator is inconsistent.
      if let old = matches.index(of: row, { olds[$0] }), old > floor, olds[old].hasKey(of: row) {
        kept.append(Match(old: olds[old], from: old, new: row, to: index))
        isAligned[old] = true
        floor = old
      } else {
        inserted.append((row, index))
      }
    }
    for (index, row) in olds.enumerated() where !isAligned[index] { removed.append((row, index)) }
  }

  /// Pairs rows that are removed and reinserted, and chooses the rows that keep their place.
  ///
  /// All rows that aren't removed and reinserted are fixed. A row can keep its place only if it is between the same two
  /// fixed rows in both lists. Among such rows, only rows in the same relative order can keep their place.
  private mutating func pairUp(isSameIndex: Bool) {
    if removed.count == 1, inserted.count == 1 {
      // In the most frequent case, a single row has a new key.
      guard removed[0].row.isSame(inserted[0].row) else { return }
      let match = Match(old: removed[0].row, from: removed[0].index, new: inserted[0].row, to: inserted[0].index)
      if match.from == match.to { kept.append(match) } else { moved.append(match) }
      removed.removeLast()
      inserted.removeLast()
      return
    }
    let matches = RowMatches(removed.count) { removed[$0].row }
    var isTaken = Array(repeating: false, count: removed.count)
    var (groups, pending): ([[Match]], [Match]) = ([], [])
    var gap = 0
    var others: [(row: RowEntry, index: Int)] = []
    for (number, (row, index)) in inserted.enumerated() {
      guard let other = matches.index(of: row, { removed[$0].row }) else {
        others.append((row, index))
        continue
      }
      isTaken[other] = true
      let match = Match(old: removed[other].row, from: removed[other].index, new: row, to: index)
      // The number of fixed rows before this row, in the old and in the new list: all preceding rows except the rows
      // that aren't fixed.
      let (before, after) = (removed[other].index - other, index - number)
      guard before == after else {
        moved.append(match)
        continue
      }
      if after != gap, !pending.isEmpty {
        groups.append(pending)
        pending = []
      }
      gap = after
      pending.append(match)
    }
    if !pending.isEmpty { groups.append(pending) }
    for group in groups {
      let stays = MinimalMoves.longestRun(group.map { (old: $0.from, bonus: isSameIndex && $0.from == $0.to) })
      for (match, isKept) in zip(group, stays) {
        if isKept { kept.append(match) } else { moved.append(match) }
      }
    }
    inserted = others
    removed = removed.indices.filter { !isTaken[$0] }.map { removed[$0] }
  }
}

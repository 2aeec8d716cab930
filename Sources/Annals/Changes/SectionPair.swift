/// A section that two lists have, and what happened to its rows.
struct SectionPair: Sendable {
  let old: SectionNode
  let oldIndex: Int
  let new: SectionNode
  let newIndex: Int

  /// A table view moves rows only between sections whose number stays.
  var keepsIndex: Bool { oldIndex == newIndex }
}

/// What happened to the rows of a section, seen from the section alone.
struct RowDifference: Sendable {
  /// A row that the section had before and has after.
  struct Match: Sendable {
    let old: RowEntry
    let from: Int
    let new: RowEntry
    let to: Int
  }

  /// A row that left the section or came into it.
  typealias Unmatched = (row: RowEntry, index: Int)

  /// Rows that the section no longer has, in order.
  private(set) var removed: [Unmatched] = []
  /// Rows that the section did not have, in order.
  private(set) var inserted: [Unmatched] = []
  /// Rows that are objects of their own in match lists and keep their place among those that stay.
  private(set) var kept: [Match] = []
  /// Rows that leave their place among those that stay.
  private(set) var moved: [Match] = []

  /// True if the section has the rows that it had, in the same order.
  var isClean: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty }

  /// - Parameters:
  ///   - pair: The section.
  ///   - isOneOrder: True if the rows of match have their keys from one keyer.
  /// - Complexity: O(k log n) for k rows that differ, if match have one order; O(n) else.
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

  /// Makes it of rows that are known to differ, in a section that stays where it is.
  ///
  /// - Parameters:
  ///   - removed: Rows that have no row of the same key and id in the section after, in order.
  ///   - inserted: Rows that have none before, in order.
  ///   - kept: Rows that are others with the same key and id.
  init(removed: [Unmatched], inserted: [Unmatched], kept: [Match]) {
    (self.removed, self.inserted, self.kept) = (removed, inserted, kept)
    if !removed.isEmpty, !inserted.isEmpty { pairUp(isSameIndex: true) }
  }

  /// Sets rows of two orders side by side: those whose keys are the same hold, all others are removed or inserted.
  private mutating func align(_ pair: SectionPair) {
    let olds = Array(pair.old.rows)
    let matches = RowMatches(olds.count) { olds[$0] }
    var isAligned = Array(repeating: false, count: pair.old.rows.count)
    var floor = -1
    for (index, row) in pair.new.rows.enumerated() {
      // Keys that are the same stand in the same order, unless a comparator contradicts itself.
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

  /// Takes the rows that are removed and inserted again together, and chooses which of them stay.
  ///
  /// Every other row holds: a row can stay only between the same two of them, and of those between the same two an
  /// increasing run can.
  private mutating func pairUp(isSameIndex: Bool) {
    if removed.count == 1, inserted.count == 1 {
      // What happens most: one row was given another key.
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
      // The number of rows that hold before it: all that are before it but those that do not hold.
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

/// The changes between two lists, independent of the row type.
///
/// Laws 3 to 6 in `Docs/ChangeSemantics.md` define these changes.
struct ListDifference: Sendable {
  /// A row that was removed from a section, or inserted into a section.
  struct UnmatchedRow: Sendable {
    let row: RowEntry
    let path: RowPath
    /// True if the same row was also inserted or removed, so that the two changes are a pair.
    var isPaired = false
    /// True if a table view can move a row out of or into the section.
    let canMove: Bool
  }

  /// A row that both lists have.
  struct MatchedRow: Sendable {
    let old: RowEntry
    let from: RowPath
    let new: RowEntry
    let to: RowPath
    /// True if the row's content changed.
    let isChanged: Bool

    init(
      _ old: RowEntry, _ from: RowPath, _ new: RowEntry, _ to: RowPath, _ isEqual: (RowEntry, RowEntry) -> Bool
    ) {
      self.old = old
      self.from = from
      self.new = new
      self.to = to
      isChanged = old !== new && !isEqual(old, new)
    }
  }

  /// A section that both lists have, with the changes of its rows.
  private struct SectionRows: Sendable {
    let from: Int
    let to: Int
    let rows: RowDifference

    /// True if the section has the same index in both lists, because a table view moves rows only between such
    /// sections.
    var keepsIndex: Bool { from == to }

    /// Returns true if a table view can show the row's new place as a move.
    func canMove(_ match: RowDifference.Match) -> Bool { keepsIndex && match.from != match.to }

    func matched(_ match: RowDifference.Match, _ isEqual: (RowEntry, RowEntry) -> Bool) -> MatchedRow {
      MatchedRow(match.old, RowPath(from, match.from), match.new, RowPath(to, match.to), isEqual)
    }
  }

  /// The changes of sections: deletions, insertions, moves, and updates, in this order and sorted by index.
  let sections: [SectionChange]
  /// The deleted rows, by old path.
  private(set) var deletions: [UnmatchedRow] = []
  /// The inserted rows, by new path.
  private(set) var insertions: [UnmatchedRow] = []
  /// The rows that a table view moves, by new path.
  private(set) var moves: [MatchedRow] = []
  /// The rows that weren't moved but have new content, by new path.
  private(set) var updates: [MatchedRow] = []

  private let isEqual: @Sendable (RowEntry, RowEntry) -> Bool

  init(from old: ListStorage, to new: ListStorage) {
    if let delta = new.delta, delta.origin == old.number {
      self.init(delta, from: old.list, to: new.list, isEqual: new.prepared.isEqual)
    } else {
      self.init(comparing: old, with: new)
    }
    // The comparison might have detected that a list is lost.
    if old.isLost || new.isLost { self.init(replacing: old, by: new) }
  }

  /// Creates a difference that deletes all old sections and inserts all new sections, because one of the lists can't be
  /// read.
  ///
  /// The number of deleted rows is the number that observers of the old list know. Rows that can't be read are replaced
  /// by other rows.
  private init(replacing old: ListStorage, by new: ListStorage) {
    isEqual = new.prepared.isEqual
    guard !old.shown.isIdentical(to: new.shown) else {
      sections = []
      return
    }
    sections =
      old.shown.enumerated().map { .delete(index: $0, key: $1.header.id.name) }
      + new.shown.enumerated().map { .insert(index: $0, key: $1.header.id.name, title: $1.header.title) }
    func ends(_ list: ListStorage) -> [UnmatchedRow] {
      list.shown.enumerated().flatMap { section, node in
        node.rows.enumerated().map { UnmatchedRow(row: $1, path: RowPath(section, $0), canMove: false) }
      }
    }
    match(ends(old), ends(new))
    sort()
  }

  /// Creates the difference from a list's known changes.
  ///
  /// Both lists have the same sections, so a table view can move every row.
  private init(
    _ delta: ListDelta, from old: SectionedList, to new: SectionedList,
    isEqual: @escaping @Sendable (RowEntry, RowEntry) -> Bool
  ) {
    sections = []
    self.isEqual = isEqual
    if delta.changes.isEmpty { return }
    guard delta.changes.count == 1 else {
      var (removed, inserted): ([UnmatchedRow], [UnmatchedRow]) = ([], [])
      add(delta.rows(from: old, to: new).map { SectionRows(from: $0, to: $0, rows: $1) }, &removed, &inserted)
      match(removed, inserted)
      sort()
      return
    }
    let (before, after) = delta.changes[0]
    let from = before.flatMap { ListDelta.path(of: $0, in: old) }
    var to: RowPath?
    if let before, let after, let from, before.section.isSame(after.section) {
      // The section is at the same index.
      to = ListDelta.path(of: after, inSection: from.section, of: new)
    } else if let after {
      to = ListDelta.path(of: after, in: new)
    }
    if let before, let after, let from, let to {
      let matched = matched(before, from, after, to)
      if from != to { moves.append(matched) } else if matched.isChanged { updates.append(matched) }
    } else if let before, let from {
      deletions.append(UnmatchedRow(row: before, path: from, canMove: true))
    } else if let after, let to {
      insertions.append(UnmatchedRow(row: after, path: to, canMove: true))
    }
  }

  /// Creates the difference by comparing the lists where they don't share objects.
  private init(comparing old: ListStorage, with new: ListStorage) {
    let found = SectionDifference(
      old: old.shown, new: new.shown, isOneOrder: old.prepared.keyer === new.prepared.keyer,
      parallelFrom: new.prepared.parallelFrom)
    sections = found.changes
    isEqual = new.prepared.isEqual
    var (removed, inserted): ([UnmatchedRow], [UnmatchedRow]) = ([], [])
    add(
      found.pairs.map { SectionRows(from: $0.oldIndex, to: $0.newIndex, rows: $1) },
      parallelFrom: new.prepared.parallelFrom, &removed, &inserted)
    for (node, section) in found.deleted {
      for (index, row) in node.rows.enumerated() {
        removed.append(UnmatchedRow(row: row, path: RowPath(section, index), canMove: false))
      }
    }
    for (node, section) in found.inserted {
      for (index, row) in node.rows.enumerated() {
        inserted.append(UnmatchedRow(row: row, path: RowPath(section, index), canMove: false))
      }
    }
    match(removed, inserted)
    sort()
  }

  /// Adds the row changes of sections, except removed and inserted rows.
  ///
  /// Removed and inserted rows are omitted because they might match rows of other sections.
  private mutating func add(
    _ sections: [SectionRows], parallelFrom: Int = Parallel.threshold, _ removed: inout [UnmatchedRow],
    _ inserted: inout [UnmatchedRow]
  ) {
    let isEqual = isEqual
    updates = Parallel.flatMap(sections.count, threshold: parallelFrom, most: { sections[$0].rows.kept.count }) {
      for match in sections[$0].rows.kept where match.old !== match.new {
        let matched = sections[$0].matched(match, isEqual)
        if matched.isChanged { $1(matched) }
      }
    }
    moves = Parallel.flatMap(sections.count, threshold: parallelFrom, most: { sections[$0].rows.moved.count }) {
      for match in sections[$0].rows.moved where sections[$0].canMove(match) {
        $1(sections[$0].matched(match, isEqual))
      }
    }
    for section in sections { addUnmoved(section, &removed, &inserted) }
  }

  /// Adds the rows of a section that were removed or inserted, or that a table view can't move.
  private mutating func addUnmoved(
    _ section: SectionRows, _ removed: inout [UnmatchedRow], _ inserted: inout [UnmatchedRow]
  ) {
    let (old, new, rows, canMove) = (section.from, section.to, section.rows, section.keepsIndex)
    for match in rows.moved where !section.canMove(match) {
      add(match.old, RowPath(old, match.from), match.new, RowPath(new, match.to), canMove: false)
    }
    for (row, index) in rows.removed {
      removed.append(UnmatchedRow(row: row, path: RowPath(old, index), canMove: canMove))
    }
    for (row, index) in rows.inserted {
      inserted.append(UnmatchedRow(row: row, path: RowPath(new, index), canMove: canMove))
    }
  }

  private mutating func sort() {
    if deletions.count > 1 { deletions.sort { $0.path < $1.path } }
    if insertions.count > 1 { insertions.sort { $0.path < $1.path } }
    if moves.count > 1 { moves.sort { $0.to < $1.to } }
    if updates.count > 1 { updates.sort { $0.to < $1.to } }
  }

  /// Matches removed rows with inserted rows if they are the same.
  private mutating func match(_ removed: [UnmatchedRow], _ inserted: [UnmatchedRow]) {
    if removed.isEmpty || inserted.isEmpty {
      deletions += removed
      insertions += inserted
      return
    }
    let matches = RowMatches(removed.count) { removed[$0].row }
    var isTaken = Array(repeating: false, count: removed.count)
    for end in inserted {
      guard let index = matches.index(of: end.row, { removed[$0].row }) else {
        insertions.append(end)
        continue
      }
      isTaken[index] = true
      add(removed[index].row, removed[index].path, end.row, end.path, canMove: removed[index].canMove && end.canMove)
    }
    for (index, end) in removed.enumerated() where !isTaken[index] { deletions.append(end) }
  }

  /// Adds a row with a new place, as a move if a table view can show the move, and otherwise as a deletion and an
  /// insertion.
  private mutating func add(_ old: RowEntry, _ from: RowPath, _ new: RowEntry, _ to: RowPath, canMove: Bool) {
    if canMove, from != to {
      moves.append(matched(old, from, new, to))
    } else {
      deletions.append(UnmatchedRow(row: old, path: from, isPaired: true, canMove: false))
      insertions.append(UnmatchedRow(row: new, path: to, isPaired: true, canMove: false))
    }
  }

  private func matched(_ old: RowEntry, _ from: RowPath, _ new: RowEntry, _ to: RowPath) -> MatchedRow {
    MatchedRow(old, from, new, to, isEqual)
  }
}

extension RowPath {
  fileprivate init(_ section: Int, _ row: Int) { self.init(section: section, row: row) }
}

/// What happened from one list to another, whatever the rows are: laws 3 to 6 of `Docs/ChangeSemantics.md`.
struct ListDifference: Sendable {
  /// A row that left a section, or came into one.
  struct UnmatchedRow: Sendable {
    let row: RowEntry
    let path: RowPath
    /// True if the same row is the other half of a pair.
    var isPaired = false
    /// True if a table view can move a row out of the section, or into it.
    let canMove: Bool
  }

  /// A row of matched lists.
  struct MatchedRow: Sendable {
    let old: RowEntry
    let from: RowPath
    let new: RowEntry
    let to: RowPath
    /// True if its content is another.
    let isChanged: Bool

    init(
      _ old: RowEntry, _ from: RowPath, _ new: RowEntry, _ to: RowPath, _ isEqual: (RowEntry, RowEntry) -> Bool
    ) {
      (self.old, self.from, self.new, self.to) = (old, from, new, to)
      isChanged = old !== new && !isEqual(old, new)
    }
  }

  /// A section that both lists have, and what happened to its rows.
  private struct SectionRows: Sendable {
    let from: Int
    let to: Int
    let rows: RowDifference

    /// A table view moves rows only between sections whose number stays.
    var keepsIndex: Bool { from == to }

    /// True if a table view shows as a move that a row left its order.
    func canMove(_ match: RowDifference.Match) -> Bool { keepsIndex && match.from != match.to }

    func matched(_ match: RowDifference.Match, _ isEqual: (RowEntry, RowEntry) -> Bool) -> MatchedRow {
      MatchedRow(match.old, RowPath(from, match.from), match.new, RowPath(to, match.to), isEqual)
    }
  }

  /// Deletions, insertions, moves, updates, each by index.
  let sections: [SectionChange]
  /// By old path.
  private(set) var deletions: [UnmatchedRow] = []
  /// By new path.
  private(set) var insertions: [UnmatchedRow] = []
  /// Rows that a table view moves, by new path.
  private(set) var moves: [MatchedRow] = []
  /// Rows that stay, and whose content is another, by new path.
  private(set) var updates: [MatchedRow] = []

  private let isEqual: @Sendable (RowEntry, RowEntry) -> Bool

  init(from old: ListStorage, to new: ListStorage) {
    if let delta = new.delta, delta.origin == old.number {
      self.init(delta, from: old.list, to: new.list, isEqual: new.prepared.isEqual)
    } else {
      self.init(comparing: old, with: new)
    }
    // It may have become known by comparing them.
    if old.isLost || new.isLost { self.init(replacing: old, by: new) }
  }

  /// Deletes all sections and inserts all: one of the lists cannot be read.
  ///
  /// Of the old list this says how many rows each section has, as those who show it know; another row stands for each
  /// that is lost.
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

  /// Finds what happened by what is known of it.
  ///
  /// Sections are what they were, so that every row can be moved.
  private init(
    _ delta: ListDelta, from old: SectionedList, to new: SectionedList,
    isEqual: @escaping @Sendable (RowEntry, RowEntry) -> Bool
  ) {
    (sections, self.isEqual) = ([], isEqual)
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
      // The section is where it was.
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

  /// Finds what happened by comparing matched lists where they are not one.
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

  /// Adds what happened to the rows of sections; those that left one or came into one may be found in another.
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

  /// Adds the rows of a section that a table view cannot move, that left it or that came into it.
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

  /// Takes rows that left a section and rows that came into one together where they are the same.
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

  /// Adds a row that leaves its order: a move where a table view can show one, a pair else.
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

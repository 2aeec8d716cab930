/// What happened to the rows of a list: laws 3, 4 and 5 of `Docs/ChangeSemantics.md`.
struct RowDifference {
  private(set) var deletions: [(row: RowEntry, at: RowPath, moved: Bool)] = []
  private(set) var insertions: [(row: RowEntry, at: RowPath, moved: Bool)] = []
  /// Rows that a table view moves.
  private(set) var moves: [Both] = []
  /// Rows that are objects of their own in both lists; those whose content differs are updates.
  private(set) var staying: [Both] = []

  struct Both {
    let old: RowEntry
    let from: RowPath
    let new: RowEntry
    let to: RowPath
  }

  private struct End {
    let row: RowEntry
    let path: RowPath
    /// True if a table view can move a row out of the section, or into it.
    let canMove: Bool
  }

  init(_ sections: SectionDifference) {
    var (gone, come): ([End], [End]) = ([], [])
    for (pair, rows) in sections.pairs {
      for both in rows.staying { staying.append(Both(both, pair)) }
      for both in rows.moving {
        let both = Both(both, pair)
        if pair.keepsIndex, both.from != both.to { moves.append(both) } else { addPair(both) }
      }
      gone += rows.gone.map {
        End(row: $0.row, path: RowPath(section: pair.oldIndex, row: $0.index), canMove: pair.keepsIndex)
      }
      come += rows.come.map {
        End(row: $0.row, path: RowPath(section: pair.newIndex, row: $0.index), canMove: pair.keepsIndex)
      }
    }
    for (node, section) in sections.deleted {
      for (index, row) in node.rows.enumerated() {
        gone.append(End(row: row, path: RowPath(section: section, row: index), canMove: false))
      }
    }
    for (node, section) in sections.inserted {
      for (index, row) in node.rows.enumerated() {
        come.append(End(row: row, path: RowPath(section: section, row: index), canMove: false))
      }
    }
    match(gone, come)
    deletions.sort { $0.at < $1.at }
    insertions.sort { $0.at < $1.at }
    moves.sort { $0.to < $1.to }
    staying.sort { $0.to < $1.to }
  }

  /// Takes rows that left a section and rows that came into one together where they are the same.
  private mutating func match(_ gone: [End], _ come: [End]) {
    let places = RowMatches(gone.map(\.row))
    var isTaken = Array(repeating: false, count: gone.count)
    for end in come {
      guard let place = places.index(of: end.row) else {
        insertions.append((end.row, end.path, false))
        continue
      }
      isTaken[place] = true
      let both = Both(old: gone[place].row, from: gone[place].path, new: end.row, to: end.path)
      if gone[place].canMove, end.canMove, both.from != both.to { moves.append(both) } else { addPair(both) }
    }
    for (index, end) in gone.enumerated() where !isTaken[index] { deletions.append((end.row, end.path, false)) }
  }

  private mutating func addPair(_ both: Both) {
    deletions.append((both.old, both.from, true))
    insertions.append((both.new, both.to, true))
  }
}

extension RowDifference.Both {
  fileprivate init(_ both: PairRows.Both, _ pair: SectionPair) {
    self.init(
      old: both.old, from: RowPath(section: pair.oldIndex, row: both.from), new: both.new,
      to: RowPath(section: pair.newIndex, row: both.to))
  }
}

/// What happened from one list to another, whatever the rows are: laws 3 to 6 of `Docs/ChangeSemantics.md`.
struct ListDifference {
  /// A row that left a section, or came into one.
  struct End {
    let row: RowEntry
    let path: RowPath
    /// True if the same row is the other half of a pair.
    var isPaired = false
    /// True if a table view can move a row out of the section, or into it.
    let canMove: Bool
  }

  /// A row of both lists.
  struct Both {
    let old: RowEntry
    let from: RowPath
    let new: RowEntry
    let to: RowPath
    /// True if its content is another.
    let isChanged: Bool
  }

  /// Deletions, insertions, moves, updates, each by index.
  let sections: [SectionChange]
  /// By old path.
  private(set) var deletions: [End] = []
  /// By new path.
  private(set) var insertions: [End] = []
  /// Rows that a table view moves, by new path.
  private(set) var moves: [Both] = []
  /// Rows that stay, and whose content is another, by new path.
  private(set) var updates: [Both] = []

  private let isEqual: (RowEntry, RowEntry) -> Bool

  init(from old: ListStorage, to new: ListStorage) {
    if let step = new.step, step.origin == old.number {
      self.init(step, from: old.list, to: new.list, isEqual: new.recipe.isEqual)
    } else {
      self.init(comparing: old, with: new)
    }
    // It may have become known by comparing them.
    if old.isLost || new.isLost { self.init(replacing: old, by: new) }
  }

  /// Deletes all sections and inserts all: one of the lists cannot be read.
  ///
  /// Of the old list this says how many rows each section has, as those who show it know; rows that are lost are told of by another.
  private init(replacing old: ListStorage, by new: ListStorage) {
    isEqual = new.recipe.isEqual
    guard !old.shown.isIdentical(to: new.shown) else {
      sections = []
      return
    }
    sections =
      old.shown.enumerated().map { .delete(index: $0, key: $1.handle.place.name) }
      + new.shown.enumerated().map { .insert(index: $0, key: $1.handle.place.name, title: $1.handle.title) }
    func ends(_ list: ListStorage) -> [End] {
      list.shown.enumerated().flatMap { section, node in
        node.rows.enumerated().map { End(row: $1, path: RowPath(section, $0), canMove: false) }
      }
    }
    match(ends(old), ends(new))
    sort()
  }

  /// Finds what happened by what is known of it.
  ///
  /// Sections are what they were, so that every row can be moved.
  private init(
    _ step: ListStep, from old: SectionedList, to new: SectionedList, isEqual: @escaping (RowEntry, RowEntry) -> Bool
  ) {
    (sections, self.isEqual) = ([], isEqual)
    guard step.changes.count == 1 else {
      var (gone, come): ([End], [End]) = ([], [])
      for (section, rows) in step.rows(from: old, to: new) {
        add(rows, from: section, to: section, canMove: true, &gone, &come)
      }
      match(gone, come)
      sort()
      return
    }
    let (before, after) = step.changes[0]
    let from = before.flatMap { ListStep.path(of: $0, in: old) }
    var to: RowPath?
    if let before, let after, let from, before.place.isSame(after.place) {
      // The section is where it was.
      to = ListStep.path(of: after, inSection: from.section, of: new)
    } else if let after {
      to = ListStep.path(of: after, in: new)
    }
    if let before, let after, let from, let to {
      let both = both(before, from, after, to)
      if from != to { moves.append(both) } else if both.isChanged { updates.append(both) }
    } else if let before, let from {
      deletions.append(End(row: before, path: from, canMove: true))
    } else if let after, let to {
      insertions.append(End(row: after, path: to, canMove: true))
    }
  }

  /// Finds what happened by comparing both lists where they are not one.
  private init(comparing old: ListStorage, with new: ListStorage) {
    let found = SectionDifference(
      old: old.shown, new: new.shown, isOneOrder: old.recipe.keying === new.recipe.keying)
    sections = found.changes
    isEqual = new.recipe.isEqual
    var (gone, come): ([End], [End]) = ([], [])
    for (pair, rows) in found.pairs {
      add(rows, from: pair.oldIndex, to: pair.newIndex, canMove: pair.keepsIndex, &gone, &come)
    }
    for (node, section) in found.deleted {
      for (index, row) in node.rows.enumerated() {
        gone.append(End(row: row, path: RowPath(section, index), canMove: false))
      }
    }
    for (node, section) in found.inserted {
      for (index, row) in node.rows.enumerated() {
        come.append(End(row: row, path: RowPath(section, index), canMove: false))
      }
    }
    match(gone, come)
    sort()
  }

  /// Adds what happened to a section's rows; those that left it or came into it may be found in another.
  private mutating func add(
    _ rows: PairRows, from old: Int, to new: Int, canMove: Bool, _ gone: inout [End], _ come: inout [End]
  ) {
    for row in rows.staying where row.old !== row.new {
      let both = both(row.old, RowPath(old, row.from), row.new, RowPath(new, row.to))
      if both.isChanged { updates.append(both) }
    }
    for row in rows.moving { add(row.old, RowPath(old, row.from), row.new, RowPath(new, row.to), canMove: canMove) }
    for (row, index) in rows.gone { gone.append(End(row: row, path: RowPath(old, index), canMove: canMove)) }
    for (row, index) in rows.come { come.append(End(row: row, path: RowPath(new, index), canMove: canMove)) }
  }

  private mutating func sort() {
    if deletions.count > 1 { deletions.sort { $0.path < $1.path } }
    if insertions.count > 1 { insertions.sort { $0.path < $1.path } }
    if moves.count > 1 { moves.sort { $0.to < $1.to } }
    if updates.count > 1 { updates.sort { $0.to < $1.to } }
  }

  /// Takes rows that left a section and rows that came into one together where they are the same.
  private mutating func match(_ gone: [End], _ come: [End]) {
    if gone.isEmpty || come.isEmpty {
      deletions += gone
      insertions += come
      return
    }
    let places = RowMatches(gone.count) { gone[$0].row }
    var isTaken = Array(repeating: false, count: gone.count)
    for end in come {
      guard let place = places.index(of: end.row, { gone[$0].row }) else {
        insertions.append(end)
        continue
      }
      isTaken[place] = true
      add(gone[place].row, gone[place].path, end.row, end.path, canMove: gone[place].canMove && end.canMove)
    }
    for (index, end) in gone.enumerated() where !isTaken[index] { deletions.append(end) }
  }

  /// Adds a row that leaves its order: a move where a table view can show one, a pair else.
  private mutating func add(_ old: RowEntry, _ from: RowPath, _ new: RowEntry, _ to: RowPath, canMove: Bool) {
    if canMove, from != to {
      moves.append(both(old, from, new, to))
    } else {
      deletions.append(End(row: old, path: from, isPaired: true, canMove: false))
      insertions.append(End(row: new, path: to, isPaired: true, canMove: false))
    }
  }

  private func both(_ old: RowEntry, _ from: RowPath, _ new: RowEntry, _ to: RowPath) -> Both {
    Both(old: old, from: from, new: new, to: to, isChanged: old !== new && !isEqual(old, new))
  }
}

extension RowPath {
  fileprivate init(_ section: Int, _ row: Int) { self.init(section: section, row: row) }
}

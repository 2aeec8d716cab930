/// What happened to the rows of a list: laws 3, 4 and 5 of `Docs/ChangeSemantics.md`.
struct RowDifference<Row: Annals.Row> {
  private(set) var changes: [RowChange<Row>] = []

  init(old: Results<Row>, new: Results<Row>, sections: SectionDifference) {
    var deletions: [RowChange<Row>] = []
    var insertions: [RowChange<Row>] = []
    var moves: [RowChange<Row>] = []
    var updates: [RowChange<Row>] = []
    let same = Self.sameSections(old: old, new: new, sections: sections)
    let moving = Self.movesInsideSections(old: old, new: new, sections: sections, same: same)

    for (sectionIndex, section) in old.sections.enumerated() where !same.contains(sectionIndex) {
      for (rowIndex, entry) in section.entries.enumerated() where new.path(entry.id) == nil {
        deletions.append(.delete(row: entry.row, at: RowPath(section: sectionIndex, row: rowIndex), moved: false))
      }
    }
    let sameInNew = Set(same.compactMap { sections.newIndices[$0] })
    for (sectionIndex, section) in new.sections.enumerated() where !sameInNew.contains(sectionIndex) {
      for (rowIndex, entry) in section.entries.enumerated() {
        let to = RowPath(section: sectionIndex, row: rowIndex)
        guard let from = old.path(entry.id) else {
          insertions.append(.insert(row: entry.row, at: to, moved: false))
          continue
        }
        let known = old.entry(at: from)
        let before = known.row
        let stays = sections.newIndices[from.section] == to.section && !moving.contains(entry.id)
        if stays {
          if known.box !== entry.box, before != entry.row {
            updates.append(.update(row: entry.row, at: from, newAt: to))
          }
        } else if from != to, Self.canMove(from, to, sections) {
          moves.append(.move(row: entry.row, from: from, to: to, contentChanged: before != entry.row))
        } else {
          deletions.append(.delete(row: before, at: from, moved: true))
          insertions.append(.insert(row: entry.row, at: to, moved: true))
        }
      }
    }
    deletions.sort { left, right in
      guard case .delete(_, let one, _) = left, case .delete(_, let other, _) = right else { return false }
      return one < other
    }
    changes = deletions + insertions + moves + updates
  }

  /// A table view moves rows only between sections whose number stays.
  private static func canMove(_ from: RowPath, _ to: RowPath, _ sections: SectionDifference) -> Bool {
    sections.newIndices[from.section] == from.section && !sections.isInserted[to.section]
      && sections.newIndices.indices.contains(to.section) && sections.newIndices[to.section] == to.section
  }

  /// The old indices of sections that stay and hold the same objects: nothing happened in them.
  private static func sameSections(
    old: Results<Row>, new: Results<Row>, sections: SectionDifference
  ) -> Set<Int> {
    Set(
      sections.newIndices.enumerated().compactMap { oldIndex, newIndex in
        guard let newIndex else { return nil }
        let (before, after) = (old.sections[oldIndex].entries, new.sections[newIndex].entries)
        return Self.isSame(before, after) ? oldIndex : nil
      })
  }

  private static func isSame(_ before: [Results<Row>.Entry], _ after: [Results<Row>.Entry]) -> Bool {
    if before.count != after.count { return false }
    // A section in which nothing happened is the same array.
    if before.withUnsafeBufferPointer({ $0.baseAddress }) == after.withUnsafeBufferPointer({ $0.baseAddress }) {
      return true
    }
    var index = 0
    while index < before.count, before[index] === after[index] { index += 1 }
    return index == before.count
  }

  /// The rows that leave their place among the rows that stay in their section.
  private static func movesInsideSections(
    old: Results<Row>, new: Results<Row>, sections: SectionDifference, same: Set<Int>
  ) -> Set<OrderKey> {
    var moving: Set<OrderKey> = []
    for (oldIndex, newIndex) in sections.newIndices.enumerated() where !same.contains(oldIndex) {
      guard let newIndex else { continue }
      let staying = new.sections[newIndex].entries.enumerated().compactMap { index, entry in
        old.path(entry.id).flatMap { path in
          path.section == oldIndex
            ? (entry: entry, old: path.row, new: index, isFixed: old.entry(at: path).order == entry.order) : nil
        }
      }
      if zip(staying, staying.dropFirst()).allSatisfy({ $0.old < $1.old }) { continue }
      var run: [(id: OrderKey, old: Int, samePlace: Bool)] = []
      var floor = -1
      func close(at ceiling: Int) {
        let open = run.filter { $0.old > floor && $0.old < ceiling }
        let kept = Stay.longestRun(open.map { (old: $0.old, bonus: $0.samePlace) })
        var ids = Set(run.map(\.id))
        for (row, isKept) in zip(open, kept) where isKept { ids.remove(row.id) }
        moving.formUnion(ids)
        run = []
        floor = ceiling
      }
      for row in staying {
        // A comparator that contradicts itself may leave equal keys in another order; such a row moves like any other.
        if row.isFixed, row.old > floor {
          close(at: row.old)
        } else {
          run.append((row.entry.id, row.old, oldIndex == newIndex && row.old == row.new))
        }
      }
      close(at: .max)
    }
    return moving
  }
}

extension Stay {
  /// Chooses a longest increasing run; of several, one with the most rows whose move would lead to where they were.
  ///
  /// O(k log k) for k rows, by a tree of prefix maxima (Fenwick 1994).
  static func longestRun(_ rows: [(old: Int, bonus: Bool)]) -> [Bool] {
    var kept = Array(repeating: false, count: rows.count)
    let ranks = Dictionary(uniqueKeysWithValues: rows.map(\.old).sorted().enumerated().map { ($1, $0 + 1) })
    var tree: [(score: Int, row: Int)] = Array(repeating: (0, -1), count: rows.count + 1)
    var previous: [Int] = []
    var best = (score: 0, row: -1)
    for (index, row) in rows.enumerated() {
      let rank = ranks[row.old]!  // Every row was ranked above.
      var found = (score: 0, row: -1)
      var place = rank - 1
      while place > 0 {
        if tree[place].score > found.score { found = tree[place] }
        place -= place & -place
      }
      previous.append(found.row)
      let score = found.score + rows.count + 1 + (row.bonus ? 1 : 0)
      if score > best.score { best = (score, index) }
      place = rank
      while place < tree.count {
        if score > tree[place].score { tree[place] = (score, index) }
        place += place & -place
      }
    }
    var row = best.row
    while row >= 0 {
      kept[row] = true
      row = previous[row]
    }
    return kept
  }
}

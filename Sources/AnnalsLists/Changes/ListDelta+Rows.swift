extension ListDelta {
  /// Returns the changes of rows, section by section.
  ///
  /// - Complexity: O(k log n) for k changed rows of n rows.
  func rows(from old: SectionedList, to new: SectionedList) -> [(section: Int, rows: RowDifference)] {
    var (removed, inserted, kept):
      ([Int: [RowDifference.Unmatched]], [Int: [RowDifference.Unmatched]], [Int: [RowDifference.Match]]) = (
        [:], [:], [:]
      )
    for (before, after) in changes {
      let from = before.flatMap { row in Self.path(of: row, in: old).map { (row: row, path: $0) } }
      let to = after.flatMap { row in Self.path(of: row, in: new).map { (row: row, path: $0) } }
      if let from, let to, from.path.section == to.path.section, ByRow.compare(from.row, to.row) == 0 {
        kept[from.path.section, default: []].append(
          RowDifference.Match(old: from.row, from: from.path.row, new: to.row, to: to.path.row))
        continue
      }
      if let from { removed[from.path.section, default: []].append((from.row, from.path.row)) }
      if let to { inserted[to.path.section, default: []].append((to.row, to.path.row)) }
    }
    return Set(removed.keys).union(inserted.keys).union(kept.keys).sorted().map { section in
      (
        section,
        RowDifference(
          removed: (removed[section] ?? []).sorted { $0.index < $1.index },
          inserted: (inserted[section] ?? []).sorted { $0.index < $1.index }, kept: kept[section] ?? [])
      )
    }
  }
}

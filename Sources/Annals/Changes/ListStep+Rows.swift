extension ListStep {
  /// What happened to rows, section by section.
  ///
  /// - Complexity: O(k log n) for k rows.
  func rows(from old: SectionedList, to new: SectionedList) -> [(section: Int, rows: PairRows)] {
    var (gone, come, staying): ([Int: [PairRows.End]], [Int: [PairRows.End]], [Int: [PairRows.Both]]) = ([:], [:], [:])
    for (before, after) in changes {
      let from = before.flatMap { row in Self.path(of: row, in: old).map { (row: row, path: $0) } }
      let to = after.flatMap { row in Self.path(of: row, in: new).map { (row: row, path: $0) } }
      if let from, let to, from.path.section == to.path.section, ByRow.compare(from.row, to.row) == 0 {
        staying[from.path.section, default: []].append(
          PairRows.Both(old: from.row, from: from.path.row, new: to.row, to: to.path.row))
        continue
      }
      if let from { gone[from.path.section, default: []].append((from.row, from.path.row)) }
      if let to { come[to.path.section, default: []].append((to.row, to.path.row)) }
    }
    return Set(gone.keys).union(come.keys).union(staying.keys).sorted().map { section in
      (
        section,
        PairRows(
          gone: (gone[section] ?? []).sorted { $0.index < $1.index },
          come: (come[section] ?? []).sorted { $0.index < $1.index }, staying: staying[section] ?? [])
      )
    }
  }
}

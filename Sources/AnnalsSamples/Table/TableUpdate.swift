import Annals

/// One batch between an old table and a new one, with their numbers of rows.
struct TableUpdate {
  /// A section of the new table: the old index of its header, and for each row the old path, or nil if the row is
  /// loaded.
  struct SectionLayout {
    let origin: Int?
    let rows: [RowPath?]
  }

  let old: [Int]
  let new: [Int]
  let batch: TableBatch

  /// Where each part of the new table comes from.
  ///
  /// Throws what UITableView would raise.
  func layout() throws(TableException) -> [SectionLayout] {
    try checkBounds()
    try checkTwice()
    try checkSections()
    let (inserted, deleted) = (batch.insertedSections.count, batch.deletedSections.count)
    try require(
      new.count == old.count - deleted + inserted,
      "invalid number of sections: the \(new.count) after the update must be the \(old.count) before it, plus or minus "
        + "those inserted or deleted (\(inserted) inserted, \(deleted) deleted)")
    let leaving = Set(batch.deletedSections).union(batch.movedSections.map(\.from))
    var placed: [Int: Int?] = [:]
    for section in batch.insertedSections { placed[section] = .some(nil) }
    for move in batch.movedSections { placed[move.to] = move.from }
    let origins = Self.fill(new.count, placed, old.indices.filter { !leaving.contains($0) }.map { Optional($0) })
    var layout: [SectionLayout] = []
    for (section, origin) in origins.enumerated() {
      if let origin, !batch.reloadedSections.contains(origin) {
        layout.append(SectionLayout(origin: origin, rows: try rows(of: origin, at: section)))
      } else {
        try require(
          !batch.movedRows.contains { $0.to.section == section },
          "cannot move a row into a newly inserted or reloaded section (\(section))")
        layout.append(SectionLayout(origin: nil, rows: Array(repeating: nil, count: new[section])))
      }
    }
    return layout
  }

  private func rows(of origin: Int, at section: Int) throws(TableException) -> [RowPath?] {
    let deleted = batch.deletedRows.filter { $0.section == origin }.count
    let inserted = batch.insertedRows.filter { $0.section == section }.count
    let out = batch.movedRows.filter { $0.from.section == origin }.count
    let into = batch.movedRows.filter { $0.to.section == section }.count
    try require(
      new[section] == old[origin] - deleted - out + inserted + into,
      "invalid number of rows in section \(section): the \(new[section]) after the update must be the \(old[origin]) "
        + "before it, plus or minus those inserted or deleted (\(inserted) inserted, \(deleted) deleted) and those "
        + "moved in or out (\(into) in, \(out) out)")
    let leaving = Set(batch.deletedRows + batch.movedRows.map(\.from))
    var placed: [Int: RowPath?] = [:]
    for path in batch.insertedRows where path.section == section { placed[path.row] = .some(nil) }
    for move in batch.movedRows where move.to.section == section { placed[move.to.row] = move.from }
    let rest = (0..<old[origin]).map { RowPath(section: origin, row: $0) }.filter { !leaving.contains($0) }
    let reloaded = Set(batch.reloadedRows)
    return Self.fill(new[section], placed, rest.map { Optional($0) }).map { path in
      path.flatMap { reloaded.contains($0) ? nil : $0 }
    }
  }

  /// Puts some values at their indices and the rest, in order, between them.
  ///
  /// The counts were checked before.
  private static func fill<T>(_ count: Int, _ placed: [Int: T], _ rest: [T]) -> [T] {
    var rest = rest[...]
    return (0..<count).compactMap { placed[$0] ?? rest.popFirst() }
  }

  func require(_ holds: Bool, _ reason: @autoclosure () -> String) throws(TableException) {
    if !holds { throw TableException(reason: reason()) }
  }
}

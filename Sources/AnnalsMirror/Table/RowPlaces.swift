import Annals

/// The old and new index paths of a batch's rows.
struct RowPlaces<Row: Annals.Row> {
  typealias Section = MirrorTable<Row>.Section
  typealias Cell = MirrorTable<Row>.Cell

  private let batch: MirrorBatch<Row>
  private let sections: SectionPlaces<Row>
  private var deleted: [RowPath: Row] = [:]
  private var inserted: [RowPath: Row] = [:]
  private var moves: [(row: Row, from: RowPath, to: RowPath)] = []
  private var reloads: [RowPath: (row: Row, newAt: RowPath)] = [:]
  /// The changes of every row by its ID, for the rule that a row has only one change.
  private var kinds: [OrderKey: [String]] = [:]
  /// The old paths of moved rows, by new path.
  private var arrivals: [RowPath: RowPath] = [:]

  init(_ batch: MirrorBatch<Row>, _ sections: SectionPlaces<Row>) {
    self.batch = batch
    self.sections = sections
  }

  mutating func note(_ change: RowChange<Row>) throws {
    switch change {
    case .delete(let row, let at, _):
      try check(at, row, "delete")
      try batch.require(deleted.updateValue(row, forKey: at) == nil, .repeated, "attempt to delete row \(at) twice")
      kinds[OrderKey(row.id), default: []].append("delete")
    case .insert(let row, let at, _):
      try batch.require(
        inserted.updateValue(row, forKey: at) == nil, .repeated, "attempt to insert row \(at) twice")
      kinds[OrderKey(row.id), default: []].append("insert")
    case .move(let row, let from, let to, _):
      try check(from, row, "move")
      moves.append((row, from, to))
      kinds[OrderKey(row.id), default: []].append("move")
    case .update(let row, let at, let newAt):
      try check(at, row, "reload")
      try batch.require(
        reloads.updateValue((row, newAt), forKey: at) == nil, .repeated, "attempt to reload row \(at) twice")
      kinds[OrderKey(row.id), default: []].append("update")
    }
  }

  /// Checks that the source of a change is a row of the old list.
  private func check(_ path: RowPath, _ row: Row, _ what: String) throws {
    let old = batch.old
    try batch.require(
      old.indices.contains(path.section), .bounds,
      "attempt to \(what) row \(path.row) from section \(path.section), but there are only \(old.count) sections "
        + "before the update")
    let count = old[path.section].cells.count
    try batch.require(
      (0..<count).contains(path.row), .bounds,
      "attempt to \(what) row \(path.row) from section \(path.section) which only contains \(count) rows before the "
        + "update")
    guard batch.isStrict else { return }
    let there = old[path.section].cells[path.row]
    try batch.require(
      there.id == OrderKey(row.id), .identity,
      "attempt to \(what) the row with id \(row.id) at \(path), but the row there has id \(there.row.id)")
  }

  /// Checks that no two changes have the same source or the same target.
  mutating func checkTwice() throws {
    var sources: Set<RowPath> = []
    for (_, from, to) in moves {
      try batch.require(
        sources.insert(from).inserted, .sameTarget, "attempt to move row \(from) to two places")
      try batch.require(
        deleted[from] == nil, .sameSource,
        "attempt to perform a delete and a move from the same index path (\(from))")
      try batch.require(
        reloads[from] == nil, .sameSource,
        "attempt to perform a reload and a move from the same index path (\(from))")
      try batch.require(
        inserted[to] == nil, .sameTarget,
        "attempt to perform an insert and a move to the same index path (\(to))")
      try batch.require(
        arrivals.updateValue(from, forKey: to) == nil, .sameTarget,
        "attempt to move more than one row to the same index path (\(to))")
    }
    for path in reloads.keys.sorted() {
      try batch.require(
        deleted[path] == nil, .sameSource, "attempt to delete and reload the same index path (\(path))")
    }
  }

  /// Checks that the changes of rows match the deleted, inserted and moved sections.
  func checkSections() throws {
    for (_, from, to) in moves {
      let isGone = sections.deleted.contains(from.section) || sections.updated[from.section] != nil
      try batch.require(
        !isGone, .acrossSections, "cannot move an item from a deleted section (\(from.section))")
      let origin = sections.origins.indices.contains(to.section) ? sections.origins[to.section] : nil
      let isNew = sections.inserted[to.section] != nil || origin.map { sections.updated[$0] != nil } ?? false
      try batch.require(
        !isNew, .acrossSections, "cannot move a row into a newly inserted section (\(to.section))")
      guard batch.isStrict else { continue }
      try batch.require(
        from != to, .samePlace, "attempt to move the row at \(from) to the index path that the row already has")
      if sections.moved[from.section] != nil || sections.moved.values.contains(to.section) { continue }
      try batch.require(
        sections.destinations[from.section] == from.section, .displacedSection,
        "attempt to move a row out of section \(from.section), whose index changes in the same batch")
      try batch.require(
        origin == to.section, .displacedSection,
        "attempt to move a row into section \(to.section), whose index changes in the same batch")
    }
    guard batch.isStrict else { return }
    for index in sections.deleted.sorted() {
      try batch.require(
        deleted.keys.count { $0.section == index } == batch.old[index].cells.count, .incomplete,
        "the batch deletes section \(index), but doesn't delete all rows of the section")
    }
    for (from, to) in sections.moved.sorted(by: { $0.key < $1.key }) {
      let leaving = Array(deleted.keys) + moves.map(\.from) + Array(reloads.keys)
      let coming = Array(inserted.keys) + moves.map(\.to)
      try batch.require(
        !leaving.contains { $0.section == from } && !coming.contains { $0.section == to }, .insideMovedSection,
        "attempt to insert, delete, move or reload rows of section \(from), which moves to \(to) in the same batch")
    }
  }

  /// Returns the number of rows of every section in the new table, from the data source if it is known.
  func counts() throws -> [Int] {
    let counts = try sections.origins.enumerated().map { index, origin in
      let comes = inserted.keys.count { $0.section == index }
      guard let origin else { return batch.source?[index].cells.count ?? comes }
      let goes = deleted.keys.count { $0.section == origin }
      let (movedIn, out) = (moves.count { $0.to.section == index }, moves.count { $0.from.section == origin })
      let before = batch.old[origin].cells.count
      let count = before - goes - out + comes + movedIn
      let found = batch.source?[index].cells.count ?? count
      try batch.require(
        found == count, .rowCount,
        "Invalid update: invalid number of rows in section \(index). The number of rows contained in an existing "
          + "section after the update (\(found)) must be equal to the number of rows contained in that section before "
          + "the update (\(before)), plus or minus the number of rows inserted or deleted from that section "
          + "(\(comes) inserted, \(goes) deleted) and plus or minus the number of rows moved into or out of that "
          + "section (\(movedIn) moved in, \(out) moved out).")
      return count
    }
    for (path, what) in inserted.keys.map({ ($0, "insert row \($0.row) into") })
      + arrivals.keys.map({ ($0, "move a row to row \($0.row) of") })
    {
      try batch.require(
        counts.indices.contains(path.section), .bounds,
        "attempt to \(what) section \(path.section), but there are only \(counts.count) sections after the update")
      try batch.require(
        (0..<counts[path.section]).contains(path.row), .bounds,
        "attempt to \(what) section \(path.section), but there are only \(counts[path.section]) rows in section "
          + "\(path.section) after the update")
    }
    return counts
  }

  /// Returns the rows of a section of the new table, with their old content.
  func cells(ofNewSection index: Int, count: Int) throws -> [MirrorTable<Row>.Cell] {
    guard let origin = sections.origins[index] else {
      let listed = (0..<count).compactMap { inserted[RowPath(section: index, row: $0)] }.map { Cell($0) }
      // A table view loads the rows that no change lists.
      guard let source = batch.source else { return listed }
      if batch.isStrict {
        try batch.require(
          listed.count == count, .incomplete,
          "the batch inserts section \(index), but doesn't insert all rows of the section")
        return listed
      }
      return source[index].cells
    }
    let leaving = Set(moves.map(\.from).filter { $0.section == origin })
    let old = batch.old[origin].cells
    var rest = old.indices.filter { row in
      let path = RowPath(section: origin, row: row)
      return deleted[path] == nil && !leaving.contains(path)
    }[...]
    return (0..<count).compactMap { row in
      let path = RowPath(section: index, row: row)
      if let row = inserted[path] {
        return batch.isStrict ? Cell(row) : batch.source?[index].cells[path.row] ?? Cell(row)
      }
      if let from = arrivals[path] { return batch.old[from.section].cells[from.row] }
      // There are as many remaining rows as index paths, because the counts were compared.
      return rest.popFirst().map { old[$0] }
    }
  }

  /// Returns the content of the updates, with their final index paths.
  func updates(in new: [Section]) -> [(RowPath, Row)] {
    reloads.sorted { $0.key < $1.key }.compactMap { path, change in
      place(of: path, in: new).map { place in
        (place, batch.isStrict ? change.row : batch.source?[place.section].cells[place.row].row ?? change.row)
      }
    }
  }

  /// Returns the final index path of a reloaded row, or `nil` if its section was deleted.
  private func place(of path: RowPath, in new: [Section]) -> RowPath? {
    guard let section = sections.destinations[path.section] else { return nil }
    let id = batch.old[path.section].cells[path.row].id
    // Usually the row keeps its place.
    if new[section].cells.indices.contains(path.row), new[section].cells[path.row].id == id {
      return RowPath(section: section, row: path.row)
    }
    return new[section].cells.firstIndex { $0.id == id }.map { RowPath(section: section, row: $0) }
  }

  /// Checks that a row has only one change.
  ///
  /// A deletion with an insertion counts as one change.
  func checkOnce() throws {
    for (_, kinds) in kinds where kinds.count > 1 {
      try batch.require(
        kinds.sorted() == ["delete", "insert"], .oneChange,
        "one row has several changes (\(kinds.joined(separator: ", "))), but a row can have only one change, or a "
          + "deletion and an insertion")
    }
  }

  /// Checks that every update has new content, and that its index path is where a table view would look for the row.
  func checkUpdates(_ new: [Section]) throws {
    for (path, change) in reloads.sorted(by: { $0.key < $1.key }) {
      let place = place(of: path, in: new)
      try batch.require(
        place == change.newAt, .identity,
        "attempt to update the row at \(path) with the new index path \(change.newAt), but the row "
          + "\(place.map { "is at \($0)" } ?? "isn't") in the new list")
      let shown = batch.old[path.section].cells[path.row].row
      try batch.require(
        shown != change.row, .needlessUpdate, "needless update of the row at \(path): the row is unchanged")
      try checkAmongMoves(path, change.newAt)
    }
    for (path, row) in inserted.map({ ($0, $1) }) + reloads.values.map({ ($0.newAt, $0.row) }) {
      guard let source = batch.source, let known = MirrorTable<Row>.cell(at: path, of: source) else { continue }
      try batch.require(
        known == Cell(row), .identity,
        "the change contains \(swiftSource(of: row)) for the index path \(path), but the list has "
          + "\(swiftSource(of: known.row)) at this path")
    }
  }

  /// Checks the index path of a reload, which a table view treats as a deletion and an insertion.
  ///
  /// A table view ignores moves when it looks for that index path.
  private func checkAmongMoves(_ path: RowPath, _ newAt: RowPath) throws {
    let goes = deleted.keys.count { $0.section == path.section && $0.row < path.row }
    var row = path.row - goes
    for place in inserted.keys.filter({ $0.section == newAt.section }).map(\.row).sorted() where place <= row {
      row += 1
    }
    try batch.require(
      row == newAt.row, .updateAmongMoves,
      "attempt to reload the row at \(path) in a batch that also moves rows. A table view reads the reloaded row at "
        + "[\(newAt.section), \(row)], but the row's new index path is \(newAt). Reload the row in a separate batch")
  }
}

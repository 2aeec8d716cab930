import Synchronization

/// The changes of rows.
///
/// Values of the row type are created only on demand.
///
/// If a controller has a delegate but no observers, no array of all changes is created, because the array would copy
/// every row.
package struct RowChanges<Row: AnnalsLists.Row>: Sendable {
  let parts: RowChangesParts
  /// The number of changes.
  package var count: Int { parts.count }
  /// The changes as entries, or `nil` if they were given as values.
  private var found: ListDifference? { _read { yield parts.found } }

  init(_ parts: RowChangesParts) { self.parts = parts }

  init(_ found: ListDifference) { parts = RowChangesParts(found) }

  init(_ rows: [RowChange<Row>]) {
    // An event that doesn't affect a list has no changes, so no memory is allocated for changed rows.
    parts = RowChangesParts(rows.isEmpty ? nil : MadeRows(rows), count: rows.count)
  }

  /// All changes: deletions, insertions, moves, and updates, in this order and sorted by path.
  var all: [RowChange<Row>] {
    if count == 0 { return [] }
    if let known = parts.made.withLock({ $0 }) { return rows(of: known) }
    let new = MadeRows((0..<count).map { make($0) })
    return rows(
      of: parts.made.withLock { made in
        if let made { return made }
        made = new
        return new
      })
  }

  /// Returns the changes as values.
  ///
  /// The parts belong to changes of this row type. A checked cast, and an `AtomicLazyReference`, look up four types.
  /// With these look-ups, an observer that counts the changed rows took a sixth of the delivery to a hundred equal
  /// lists.
  private func rows(of made: AnyMadeRows) -> [RowChange<Row>] { unsafeDowncast(made, to: MadeRows<Row>.self).rows }

  /// True if there are changes other than updates.
  package var hasStructure: Bool {
    if let found { return count > found.updates.count }
    return all.contains { if case .update = $0 { false } else { true } }
  }

  /// Calls a closure with all deleted, inserted and moved rows, in that order, until it returns false.
  ///
  /// - Parameter body: A closure that receives the row, its old path (`nil` for an insertion) and its new path (`nil`
  ///   for a deletion).
  package func structure(_ body: (_ row: Row, _ from: RowPath?, _ to: RowPath?) -> Bool) {
    guard let found else {
      for change in all {
        switch change {
        case .delete(let row, let at, _): if !body(row, at, nil) { return }
        case .insert(let row, let at, _): if !body(row, nil, at) { return }
        case .move(let row, let from, let to, _): if !body(row, from, to) { return }
        case .update: break
        }
      }
      return
    }
    // The changes are accessed by index, because copying a change would access both rows to count references.
    for index in found.deletions.indices {
      let path = found.deletions[index].path
      if !Self.withRow(found.deletions[index].row, { body($0, path, nil) }) { return }
    }
    for index in found.insertions.indices {
      let path = found.insertions[index].path
      if !Self.withRow(found.insertions[index].row, { body($0, nil, path) }) { return }
    }
    for index in found.moves.indices {
      let (from, to) = (found.moves[index].from, found.moves[index].to)
      if !Self.withRow(found.moves[index].new, { body($0, from, to) }) { return }
    }
  }

  /// True if some rows moved.
  var hasMoves: Bool {
    if let found { return !found.moves.isEmpty }
    return all.contains { if case .move = $0 { true } else { false } }
  }

  /// True if some rows have new content.
  package var hasContent: Bool {
    if let found { return !found.updates.isEmpty || found.moves.contains { $0.isChanged } }
    return all.contains { $0.newContentPath != nil }
  }

  /// Calls a closure with all rows that have new content, sorted by their new paths, until it returns false.
  package func content(_ body: (_ row: Row, _ path: RowPath) -> Bool) {
    guard let found else {
      let updates = all.compactMap { change in change.newContentPath.map { (row: change.row, path: $0) } }
      for update in updates.sorted(by: { $0.path < $1.path }) where !body(update.row, update.path) { return }
      return
    }
    // Both arrays are sorted by path, so no sorting is needed. Sorting 100,000 updates blocked the main actor for 4
    // ms.
    var (move, update) = (0, 0)
    while true {
      while move < found.moves.count, !found.moves[move].isChanged { move += 1 }
      guard move < found.moves.count || update < found.updates.count else { return }
      let movesNext =
        move < found.moves.count
        && (update == found.updates.count || found.moves[move].to < found.updates[update].to)
      let path = movesNext ? found.moves[move].to : found.updates[update].to
      let row = movesNext ? found.moves[move].new : found.updates[update].new
      if movesNext { move += 1 } else { update += 1 }
      if !Self.withRow(row, { body($0, path) }) { return }
    }
  }

  private func make(_ index: Int) -> RowChange<Row> {
    guard let found else {
      preconditionFailure(
        "expected an array of row changes, or a difference computed from two lists, found neither; please report this")
    }
    var index = index
    if index < found.deletions.count {
      let end = found.deletions[index]
      return .delete(row: Self.row(end.row), at: end.path, moved: end.isPaired)
    }
    index -= found.deletions.count
    if index < found.insertions.count {
      let end = found.insertions[index]
      return .insert(row: Self.row(end.row), at: end.path, moved: end.isPaired)
    }
    index -= found.insertions.count
    if index < found.moves.count {
      let matched = found.moves[index]
      return .move(row: Self.row(matched.new), from: matched.from, to: matched.to, contentChanged: matched.isChanged)
    }
    let matched = found.updates[index - found.moves.count]
    return .update(row: Self.row(matched.new), at: matched.from, newAt: matched.to)
  }

  /// Calls a closure with a row inside its box.
  ///
  /// A copy of the row would retain each of its strings.
  private static func withRow(_ entry: RowEntry, _ body: (Row) -> Bool) -> Bool { body(Rows<Row>.box(entry).row) }

  private static func row(_ entry: RowEntry) -> Row { Rows<Row>.box(entry).row }
}

extension RowChange {
  /// The row's new path, if its content changed.
  fileprivate var newContentPath: RowPath? {
    switch self {
    case .update(_, _, let path), .move(_, _, let path, true): path
    default: nil
    }
  }
}

/// The storage of row changes, independent of the row type.
///
/// The class is not generic, because the metadata of a generic type would be looked up at run time for every batch. For
/// a list that isn't affected, this lookup took one fourteenth of a delivery.
final class RowChangesParts: Sendable {
  /// The changes as entries, or `nil` if they were given as values.
  let found: ListDifference?
  /// The changes as values of the row type, created on demand.
  let made: Mutex<AnyMadeRows?>
  /// The number of changes.
  let count: Int

  init(_ found: ListDifference) {
    self.found = found
    made = Mutex(nil)
    count = found.deletions.count + found.insertions.count + found.moves.count + found.updates.count
  }

  init(_ given: AnyMadeRows?, count: Int) {
    found = nil
    made = Mutex(given)
    self.count = count
  }
}

/// Row changes as values of any row type.
///
/// `@unchecked Sendable`: the only subclass has a constant array of values.
class AnyMadeRows: @unchecked Sendable {}

/// Row changes as values of the row type.
private final class MadeRows<Row: AnnalsLists.Row>: AnyMadeRows, @unchecked Sendable {
  let rows: [RowChange<Row>]

  init(_ rows: [RowChange<Row>]) { self.rows = rows }
}

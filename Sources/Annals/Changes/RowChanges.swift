import Synchronization

/// What happened to rows: values of the rows' type are made of it when they are asked for.
///
/// A list that nothing but a delegate hears of never makes an array of all of them, which has a copy of each row.
struct RowChanges<Row: Annals.Row>: Sendable {
  let parts: RowChangesParts
  /// The number of changes.
  var count: Int { parts.count }
  /// As entries; nil if the changes were given.
  private var found: ListDifference? { _read { yield parts.found } }

  init(_ parts: RowChangesParts) { self.parts = parts }

  init(_ found: ListDifference) { parts = RowChangesParts(found) }

  init(_ rows: [RowChange<Row>]) {
    // A list that shows nothing of an event has no change, and makes nothing.
    parts = RowChangesParts(rows.isEmpty ? nil : MadeRows(rows: rows), count: rows.count)
  }

  /// Deletions, insertions, moves, updates, each by path.
  var all: [RowChange<Row>] {
    if count == 0 { return [] }
    let found = parts.made.load() ?? parts.made.storeIfNil(MadeRows(rows: (0..<count).map { make($0) }))
    guard let rows = found.rows as? [RowChange<Row>] else { preconditionFailure("row changes of another type of rows") }
    return rows
  }

  /// True if there are other changes than updates.
  var hasStructure: Bool {
    if let found { return count > found.updates.count }
    return all.contains { if case .update = $0 { false } else { true } }
  }

  /// Calls a closure with each row that goes, comes or moves, in that order, until it answers false.
  ///
  /// - Parameter body: Called with the row, where it was, nil if it comes, and where it is, nil if it goes.
  func structure(_ body: (_ row: Row, _ from: RowPath?, _ to: RowPath?) -> Bool) {
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
    // By index: a copy of a change would look at both of its rows to count a reference.
    for index in found.deletions.indices {
      let path = found.deletions[index].path
      if !Self.lend(found.deletions[index].row, { body($0, path, nil) }) { return }
    }
    for index in found.insertions.indices {
      let path = found.insertions[index].path
      if !Self.lend(found.insertions[index].row, { body($0, nil, path) }) { return }
    }
    for index in found.moves.indices {
      let (from, to) = (found.moves[index].from, found.moves[index].to)
      if !Self.lend(found.moves[index].new, { body($0, from, to) }) { return }
    }
  }

  /// True if some rows move.
  var hasMoves: Bool {
    if let found { return !found.moves.isEmpty }
    return all.contains { if case .move = $0 { true } else { false } }
  }

  /// True if some rows have a new content.
  var hasContent: Bool {
    if let found { return !found.updates.isEmpty || found.moves.contains { $0.isChanged } }
    return all.contains { $0.newContentPath != nil }
  }

  /// Calls a closure with each row that has a new content, by where it is now, until it answers false.
  func content(_ body: (_ row: Row, _ path: RowPath) -> Bool) {
    guard let found else {
      let updates = all.compactMap { change in change.newContentPath.map { (row: change.row, path: $0) } }
      for update in updates.sorted(by: { $0.path < $1.path }) where !body(update.row, update.path) { return }
      return
    }
    // Both are by path, so that nothing is sorted: one of 100,000 updates held the main actor for 4 ms.
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
      if !Self.lend(row, { body($0, path) }) { return }
    }
  }

  private func make(_ index: Int) -> RowChange<Row> {
    guard let found else { preconditionFailure("changes that were given are there") }
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

  /// Calls a closure with a row as it lies in its box: a copy counts a reference for each of its strings.
  private static func lend(_ entry: RowEntry, _ body: (Row) -> Bool) -> Bool { body(Rows<Row>.box(entry).row) }

  private static func row(_ entry: RowEntry) -> Row { Rows<Row>.box(entry).row }
}

extension RowChange {
  /// Where the row is now, if it has a new content.
  fileprivate var newContentPath: RowPath? {
    switch self {
    case .update(_, _, let path), .move(_, _, let path, true): path
    default: nil
    }
  }
}

/// The parts of row changes, the same whatever the rows are.
///
/// It is not generic: a generic type would be looked up at run time whenever a batch is made and freed, which was a
/// fourteenth of a delivery to a list that shows nothing of it.
final class RowChangesParts: Sendable {
  /// As entries; nil if the changes were given.
  let found: ListDifference?
  /// As values of the rows' type, once they were asked for.
  let made = AtomicLazyReference<MadeRows>()
  /// The number of changes.
  let count: Int

  init(_ found: ListDifference) {
    self.found = found
    count = found.deletions.count + found.insertions.count + found.moves.count + found.updates.count
  }

  init(_ given: MadeRows?, count: Int) {
    (found, self.count) = (nil, count)
    if let given { _ = made.storeIfNil(given) }
  }
}

/// Row changes as values of the rows' type.
final class MadeRows: Sendable {
  let rows: any Sendable

  init(rows: any Sendable) { self.rows = rows }
}

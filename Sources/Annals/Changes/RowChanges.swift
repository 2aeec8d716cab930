import Synchronization

/// What happened to rows: values of the rows' type are made of it when they are asked for.
///
/// A list that nothing but a delegate hears of never makes an array of all of them, which has a copy of each row.
final class RowChanges<Row: Annals.Row>: Sendable {
  private final class Made: Sendable {
    let rows: [RowChange<Row>]

    init(_ rows: [RowChange<Row>]) { self.rows = rows }
  }

  /// As entries; nil if the changes were given.
  private let found: ListDifference?
  private let made = AtomicLazyReference<Made>()
  /// The number of changes.
  let count: Int

  init(_ found: ListDifference) {
    self.found = found
    count = found.deletions.count + found.insertions.count + found.moves.count + found.updates.count
  }

  init(_ rows: [RowChange<Row>]) {
    (found, count) = (nil, rows.count)
    _ = made.storeIfNil(Made(rows))
  }

  /// Deletions, insertions, moves, updates, each by path.
  var all: [RowChange<Row>] {
    if let made = made.load() { return made.rows }
    return made.storeIfNil(Made((0..<count).map { make($0) })).rows
  }

  /// The row of a change by its index, 0 or more and less than the number of changes.
  func row(_ index: Int) -> Row {
    guard let found else { return all[index].row }
    let start = count - found.updates.count
    if index >= start { return Self.row(found.updates[index - start].new) }
    let moves = start - found.moves.count
    return index >= moves ? Self.row(found.moves[index - moves].new) : make(index).row
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
    for end in found.deletions where !body(Self.row(end.row), end.path, nil) { return }
    for end in found.insertions where !body(Self.row(end.row), nil, end.path) { return }
    for matched in found.moves where !body(Self.row(matched.new), matched.from, matched.to) { return }
  }

  /// True if some rows move.
  var hasMoves: Bool {
    if let found { return !found.moves.isEmpty }
    return all.contains { if case .move = $0 { true } else { false } }
  }

  /// The changes that give rows a new content, by their index and where the row is now, in that order.
  var updates: [(path: RowPath, index: Int)] {
    var updates: [(path: RowPath, index: Int)] = []
    if let found {
      let start = found.deletions.count + found.insertions.count
      for (index, move) in found.moves.enumerated() where move.isChanged { updates.append((move.to, start + index)) }
      for (index, update) in found.updates.enumerated() {
        updates.append((update.to, start + found.moves.count + index))
      }
    } else {
      for (index, change) in all.enumerated() {
        switch change {
        case .update(_, _, let path), .move(_, _, let path, true): updates.append((path, index))
        default: break
        }
      }
    }
    if updates.count > 1 { updates.sort { $0.path < $1.path } }
    return updates
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

  private static func row(_ entry: RowEntry) -> Row { Rows<Row>.box(entry).row }
}

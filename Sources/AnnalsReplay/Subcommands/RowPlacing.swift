import Annals
import AnnalsLog

/// The place of a row in a list, and the event that brought the row there.
struct RowPlacing {
  /// The row's path.
  let path: RowPath
  /// The end of the transaction since which the row is at its path.
  let since: Position
  /// The effect of the event, in words.
  let reason: String
  /// The event, or `nil` if the row was already there at the end of compacted history.
  let event: EventCause?
  /// The rows before and after the row in its section.
  let neighbors: (before: Record?, after: Record?)
}

extension Session {
  /// Finds the place of a row, and the event that brought the row there.
  ///
  /// The last transaction that changed the row's path contains the event. It is the transaction's last event that
  /// changed both the row and its path. If no event did both, it is the last event that changed the path.
  ///
  /// The search moves forward, because a step forward folds only one transaction. It begins with the last 4,096 events.
  /// If the row was at its place before, the search covers the older events. In 1,000,000 events, the rows at the
  /// beginning of the search took 681 MB with kept states of the past, and take 142 MB without them.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - own: The positions of the events that changed the row.
  ///   - reader: The list.
  ///   - log: The log.
  ///   - end: The position of the list.
  /// - Returns: The place, or `nil` if the list at the position doesn't contain the row.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func placing(
    of id: String, setAt own: Set<Position>, _ reader: any ListReader, _ log: LogExtent, at end: Position
  ) throws -> RowPlacing? {
    let bottom = min(log.compacted.horizon, end)
    let recent = Position(max(0, end.rawValue - 4_096))
    // Which rows a limit shows also depends on the numbers of rows in other sections.
    let index = arguments.has("--limit") ? nil : reader.index
    let start =
      if let index, index.end >= bottom { min(index.end, end) } else if recent > bottom {
        max(bottom, try log.startOfTransaction(at: recent).before)
      } else { bottom }
    _ = try saying(through: end.rawValue) { try reader.path(of: id, at: start) }
    var move = try lastMove(of: id, setAt: own, reader, log, after: start, through: end)
    guard let path = reader.list.path(of: id) else { return nil }
    let neighbors = try neighbors(of: path, in: reader, at: end)
    if move == nil, start > bottom, let index {
      move = try lastMove(of: id, setAt: own, reader, log, index, after: bottom, through: start)
    } else if move == nil, start > bottom {
      move = try lastMove(of: id, setAt: own, reader, log, after: bottom, through: start)
    }
    guard let move else {
      return RowPlacing(
        path: path, since: bottom, reason: "the history before was compacted", event: nil, neighbors: neighbors)
    }
    var event = catalog.cause(move.event)
    event.command = try CommandNames(log.store).command(of: event)
    return RowPlacing(path: path, since: move.end, reason: move.reason, event: event, neighbors: neighbors)
  }

  /// Finds the last transaction of a range that changed the path of a row, and the event that is the reason.
  ///
  /// - Returns: The event and the transaction's end, or `nil` if no transaction changed the path.
  private func lastMove(
    of id: String, setAt own: Set<Position>, _ reader: any ListReader, _ log: LogExtent, after start: Position,
    through end: Position
  ) throws -> (event: StoredEvent, end: Position, reason: String)? {
    let progress = Progress(console)
    defer { progress.end() }
    var (last, path) = (start, try reader.path(of: id, at: start))
    var found: (event: StoredEvent, end: Position, reason: String)?
    func look(at position: Position) throws {
      progress.step(position.rawValue - start.rawValue, of: end.rawValue - start.rawValue, "events")
      let next = try reader.path(of: id, at: position)
      if next != path {
        // The reader has kept the state before this step.
        _ = try reader.path(of: id, at: last)
        let cause = try cause(of: id, setAt: own, reader, log, after: last, through: position)
        found = cause.map { ($0.event, position, $0.reason) }
      }
      (last, path) = (position, next)
    }
    var event: (position: Int, transaction: Int)?
    // An event's numbers are read without the event, which saves a second in 1,000,000 events.
    try forEachBatch(of: log.store, after: start, through: end) { batch in
      for index in 0..<batch.count {
        let next = batch.numbers(at: index)
        if let event, event.transaction != next.transaction { try look(at: Position(event.position)) }
        event = next
      }
    }
    if let event { try look(at: Position(event.position)) }
    return found
  }

  /// Does the same by an index, which names the events that may have changed the path.
  private func lastMove(
    of id: String, setAt own: Set<Position>, _ reader: any ListReader, _ log: LogExtent, _ index: ListIndex,
    after start: Position, through end: Position
  ) throws -> (event: StoredEvent, end: Position, reason: String)? {
    var end = end
    while end > start {
      guard let moves = index.moves(ofHash: OrderKey(id).fingerprint, at: end) else {
        return try lastMove(of: id, setAt: own, reader, log, after: start, through: end)
      }
      for position in moves where position <= end && position > start {
        let last = min(end, try log.endOfTransaction(at: position))
        let before = max(start, try log.startOfTransaction(at: position).before)
        let path = try reader.path(of: id, at: before)
        if try reader.path(of: id, at: last) != path {
          _ = try reader.path(of: id, at: before)
          return try cause(of: id, setAt: own, reader, log, after: before, through: last).map {
            ($0.event, last, $0.reason)
          }
        }
        end = before
      }
      if moves.last.map({ $0 <= start }) ?? true { return nil }
    }
    return nil
  }

  /// Finds the event of a transaction that is the reason for the path of a row.
  private func cause(
    of id: String, setAt own: Set<Position>, _ reader: any ListReader, _ log: LogExtent, after start: Position,
    through end: Position
  ) throws -> (event: StoredEvent, reason: String)? {
    var found: (event: StoredEvent, isOwn: Bool, reason: String)?
    let fields = try listOptions().orderFields
    try forEachEvent(of: log.store, after: start, through: end) { event in
      let before = reader.list
      let step = PathStep(id: id, before: before, batch: try reader.go(to: event.position), after: reader.list)
      guard step.changesPath else { return }
      let isOwn = own.contains(event.position) && step.new != nil
      if isOwn || !(found?.isOwn ?? false) { found = (event, isOwn, step.reason(isOwn: isOwn, fields)) }
    }
    return found.map { ($0.event, $0.reason) }
  }

  private func neighbors(
    of path: RowPath, in reader: any ListReader, at end: Position
  ) throws -> (before: Record?, after: Record?) {
    let list = reader.list
    let paths = [-1, 1].map { RowPath(section: path.section, row: path.row + $0) }
    let shown = paths.map { path in
      (0..<list.section(path.section).count).contains(path.row) ? list.record(at: path) : nil
    }
    guard reader.isPartial else { return (shown[0], shown[1]) }
    // Only the two neighbors are read with all of their fields.
    let ids = shown.compactMap { $0?.id }
    var whole = try reader.histories(of: ids, through: end) { _ in }.map { $0.last?.new }[...]
    let records = shown.map { $0 == nil ? nil : whole.popFirst() ?? nil }
    return (records[0], records[1])
  }
}

/// The effect of one event on the path of a row.
private struct PathStep {
  let id: String
  let before: any ShownList
  let batch: ListBatch
  let after: any ShownList
  let old: RowPath?
  let new: RowPath?

  init(id: String, before: any ShownList, batch: ListBatch, after: any ShownList) {
    (self.id, self.before, self.batch, self.after) = (id, before, batch, after)
    (old, new) = (before.path(of: id), after.path(of: id))
  }

  var changesPath: Bool { old != new }

  /// The reason for the new path, in words.
  ///
  /// The paths in the two lists decide and not the batch: if a row moves past another row, a batch may report either
  /// of them as moved.
  ///
  /// - Parameters:
  ///   - isOwn: True if the event changed the row itself.
  ///   - fields: The fields that order the rows.
  /// - Returns: The reason.
  func reason(isOwn: Bool, _ fields: [FieldPath]) -> String {
    func changes(of id: String) -> String {
      guard let step = batch.rows.first(where: { ExactString($0.change.row.id) == ExactString(id) }) else { return "" }
      return fields.map { field in
        let (old, new) = (step.old.map { field.value(in: $0) } ?? .null, field.value(in: step.change.row))
        return old == new ? "" : " by \(field.text): \(TextLines.value(new)) (was \(TextLines.value(old)))"
      }.joined()
    }
    if isOwn { return old == nil ? "it came in" : "it moved" + changes(of: id) }
    for step in batch.rows {
      let other = step.change.row.id
      if ExactString(other) == ExactString(id) { continue }
      let (from, to) = (before.path(of: other), after.path(of: other))
      // If the limit cut the row off, the deletion of a row before it inserts the row.
      let wasBefore = from.map { from in old.map { Self.precedes(from, $0) } ?? true } ?? false
      let isBefore = to.flatMap { to in new.map { Self.precedes(to, $0) } } ?? false
      if isBefore, !wasBefore {
        return from == nil ? "\(other) came in before it" : "\(other) moved before it" + changes(of: other)
      }
      if wasBefore, !isBefore {
        return to == nil ? "\(other), before it, went" : "\(other), before it, moved away" + changes(of: other)
      }
      if let to, let new, to.section < new.section, isInserted(to.section) {
        return "\(other) began a section before it"
      }
      if let from, let old, from.section < old.section, isDeleted(from.section) {
        return "\(other), the last row of a section before it, \(to == nil ? "went" : "moved away")"
      }
    }
    return batch.sections.isEmpty ? "its neighbours changed" : "sections changed"
  }

  private static func precedes(_ path: RowPath, _ other: RowPath) -> Bool {
    path.section == other.section && path.row < other.row
  }

  private func isInserted(_ section: Int) -> Bool {
    batch.sections.contains { if case .insert(section, _, _) = $0 { true } else { false } }
  }

  private func isDeleted(_ section: Int) -> Bool {
    batch.sections.contains { if case .delete(section, _) = $0 { true } else { false } }
  }
}

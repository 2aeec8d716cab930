import Foundation

/// What is known of an actor's steps: the last of them, as far as the log was read.
struct UndoWindow: Sendable {
  /// What the events of the actor's steps have in common.
  let tag: EventTag
  /// So many steps are wanted.
  let levels: Int
  private(set) var fold = UndoFold(mayBeCut: false)
  private(set) var revision: LogRevision?
  /// The log's end when it was read.
  private(set) var position: Position = 0
  private var last: (position: Position, id: EventID)?
  /// True if the fold has all steps that the log has.
  private(set) var isAll = false
  /// So many events are read at once.
  private static let batch = 512

  var query: EventQuery { .tagged(tag) }

  init(of actor: String, levels: Int) {
    tag = Metadata.undoTag(of: actor)
    self.levels = levels
  }

  /// Reads what came since the last time; all that is needed if the log is another one than it was.
  ///
  /// - Complexity: O(k log n) for the k events that came.
  mutating func update(_ log: some EventLog) throws {
    (revision, position) = (try goOn(log), try log.head())
  }

  private mutating func goOn(_ log: some EventLog) throws -> LogRevision {
    let found = try log.revision()
    guard found == revision, let known = last else {
      try begin(log, found.compacted.horizon)
      return found
    }
    // The event that was the last is read again: in a draft that was decided again it is another one.
    var (after, isKnown) = (Position(known.position.rawValue - 1), false)
    while true {
      var events = try log.events(query, after: after, through: nil, limit: Self.batch)[...]
      let count = events.count
      if !isKnown {
        guard let first = events.popFirst(), first.id == known.id, first.position == known.position else {
          try begin(log, found.compacted.horizon)
          return found
        }
        isKnown = true
      }
      for event in events { add(event) }
      guard count == Self.batch, let end = events.last else { break }
      after = end.position
    }
    // Older steps come to light when newer ones are undone.
    if !isAll, fold.undo.count < levels { try begin(log, found.compacted.horizon) } else { trim() }
    return found
  }

  /// Reads backwards until there are enough steps to undo and all to redo, or until the log's beginning.
  private mutating func begin(_ log: some EventLog, _ horizon: Position) throws {
    last = nil
    var limit = max(8 * levels, 16)
    while true {
      let events = try log.eventsBackwards(query, after: horizon, through: nil, limit: limit)
      isAll = events.count < limit
      fold = UndoFold(mayBeCut: !isAll || horizon > 0)
      // Of the oldest transaction there may be a part alone.
      let oldest = isAll ? nil : events.last?.transaction
      for event in events.reversed() where event.transaction != oldest { add(event) }
      if isAll || (fold.hasCleared && fold.undo.count >= 2 * levels) { break }
      limit *= 4
    }
    trim()
  }

  /// Folds what was committed, as if it had been read; the times of the steps are not known then.
  ///
  /// What is brought up to date afterwards is read from the start.
  ///
  /// - Parameters:
  ///   - entries: All events of a transaction, the first one after `position` that may have steps of the actor.
  ///   - receipt: Where they went.
  mutating func add(_ entries: [Append.Entry], at receipt: Receipt) {
    guard let positions = receipt.events, receipt.count == entries.count else { return revision = nil }
    for (index, entry) in entries.enumerated() where entry.event.tags.contains(tag) {
      let id = entry.event.id ?? EventID(source: "", id: "\(index)")
      let position = Position(positions.lowerBound.rawValue + index)
      fold.fold(entry.event.metadata, entry.stream, id, at: position, .distantPast)
    }
    (position, last) = (receipt.position, nil)
    trim()
  }

  private mutating func trim() { if fold.keep(4 * levels) { isAll = false } }

  private mutating func add(_ event: StoredEvent) {
    fold.fold(event)
    last = (event.position, event.id)
  }
}

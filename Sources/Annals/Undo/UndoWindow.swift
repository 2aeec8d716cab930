import AnnalsLog
import Foundation

/// The latest steps of an author, in the part of the log that was read.
struct UndoWindow: Sendable {
  /// The tag of all events of the author's steps.
  let tag: EventTag
  /// The minimum number of steps to read, if the log contains them.
  let levels: Int
  private(set) var fold = UndoFold(mayBeCut: false)
  private(set) var revision: LogRevision?
  /// The log's end at the time of the last read.
  private(set) var position: Position = 0
  private var last: (position: Position, id: EventID)?
  /// True if the fold contains all steps of the log.
  private(set) var isAll = false
  /// The number of events in one read.
  private static let batch = 512

  var query: EventQuery { .tagged(tag) }

  init(of author: String, levels: Int) {
    tag = Metadata.undoTag(of: author)
    self.levels = levels
  }

  /// Reads the new events, or all required events if the log's history has changed.
  ///
  /// - Complexity: O(k log n) for the k new events.
  mutating func update(_ log: some EventLog) throws {
    (revision, position) = (try resume(in: log), try log.head())
  }

  private mutating func resume(in log: some EventLog) throws -> LogRevision {
    let found = try log.revision()
    guard found == revision, let known = last else {
      try begin(log, found.compacted.horizon)
      return found
    }
    // Reread the last known event, because in a re-decided draft it is a different event.
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
    // Older steps become visible when newer steps are undone.
    if !isAll, fold.undo.count < levels { try begin(log, found.compacted.horizon) } else { trim() }
    return found
  }

  /// Reads backwards until enough steps to undo and all steps to redo are known, or until the log's beginning.
  private mutating func begin(_ log: some EventLog, _ horizon: Position) throws {
    last = nil
    var limit = max(8 * levels, 16)
    while true {
      let events = try log.eventsBackwards(query, after: horizon, through: nil, limit: limit)
      isAll = events.count < limit
      fold = UndoFold(mayBeCut: !isAll || horizon > 0)
      // The oldest transaction may have been read only partially.
      let oldest = isAll ? nil : events.last?.transaction
      for event in events.reversed() where event.transaction != oldest { add(event) }
      if isAll || (fold.hasCleared && fold.undo.count >= 2 * levels) { break }
      limit *= 4
    }
    trim()
  }

  /// Folds committed events as if they had been read, but without the times of the steps.
  ///
  /// The next update rereads all required events from the log, instead of only the new events.
  ///
  /// - Parameters:
  ///   - entries: All events of a transaction, which is the first transaction after `position` that may contain steps
  ///     of the author.
  ///   - receipt: The receipt of the transaction.
  mutating func add(_ entries: [Append.Entry], at receipt: Receipt) {
    guard let positions = receipt.events, receipt.count == entries.count else { return revision = nil }
    for (index, entry) in entries.enumerated() where entry.event.tags.contains(tag) {
      let id = entry.event.id ?? EventID(source: "", id: "\(index)")
      let position = Position(positions.lowerBound.rawValue + index)
      fold.fold(entry.event.metadata, entry.stream, id, at: position, .distantPast)
    }
    position = receipt.position
    last = nil
    trim()
  }

  private mutating func trim() { if fold.keep(4 * levels) { isAll = false } }

  private mutating func add(_ event: StoredEvent) {
    fold.fold(event)
    last = (event.position, event.id)
  }
}

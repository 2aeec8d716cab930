/// Where a fold finds its events.
enum EventSource: Sendable {
  /// A log that stands still.
  case still(any EventLog)
  /// A log that goes on. Each batch is of its own moment, and must be of the revision that the fold began with;
  /// otherwise the error `rewritten` is thrown. A long fold keeps no transaction open this way.
  case moving(any EventLog, LogRevision)
  /// Events that are in memory already: those after a position, all of one revision.
  case tail(LogTail)
}

/// Reads one batch after the other.
struct BatchReader: Sendable {
  private let source: EventSource
  private var after: Position
  private let through: Position
  private let batchSize: Int

  init(_ source: EventSource, after: Position, through: Position, batchSize: Int) {
    (self.source, self.after, self.through, self.batchSize) = (source, after, through, batchSize)
  }

  /// The next batch, and the indices of the events in it that are wanted; nil at the end.
  mutating func next() throws -> (batch: EventBatch, indices: Range<Int>)? {
    guard after < through else { return nil }
    let batch: EventBatch
    switch source {
    case .still(let log): batch = try log.batch(after: after, through: through, limit: batchSize)
    case .moving(let log, let revision):
      let tail = try log.tail(after: after, through: through, limit: batchSize)
      guard tail.revision == revision else { throw EventStoreError.rewritten }
      batch = tail.batch
    case .tail(let tail):
      let indices = tail.batch.firstIndex(after: after)..<tail.batch.firstIndex(after: through)
      after = through
      return indices.isEmpty ? nil : (tail.batch, indices)
    }
    guard let last = batch.last else { return nil }
    after = last
    return (batch, 0..<batch.count)
  }
}

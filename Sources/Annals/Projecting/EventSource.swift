import AnnalsLog

/// The source of the events for a fold.
enum EventSource: Sendable {
  /// A log that doesn't change.
  case still(any EventLog)
  /// A log that may change.
  ///
  /// A long fold keeps no transaction open, because batches are read separately. If a batch has another revision than
  /// the fold's first batch, the error `rewritten` is thrown.
  case moving(any EventLog, LogRevision)
  /// Events in memory after a position, all with the same revision.
  case tail(LogTail)
}

/// A reader of batches, in order.
struct BatchReader: Sendable {
  private let source: EventSource
  private var after: Position
  private let through: Position
  private let batchSize: Int
  /// The requested types, although batches may contain other types too.
  private let types: EventTypeFilter

  init(_ source: EventSource, of types: EventTypeFilter, after: Position, through: Position, batchSize: Int) {
    self.source = source
    self.types = types
    self.batchSize = batchSize
    self.after = after
    self.through = through
  }

  /// Returns the next batch and the indices of its requested events, or `nil` at the end.
  mutating func next() throws -> (batch: EventBatch, indices: Range<Int>)? {
    guard after < through else { return nil }
    let batch: EventBatch
    switch source {
    case .still(let log): batch = try log.batch(of: types, after: after, through: through, limit: batchSize)
    case .moving(let log, let revision):
      batch = try log.moment { log in
        guard try log.revision() == revision else { throw EventStoreError.rewritten }
        return try log.batch(of: types, after: after, through: through, limit: batchSize)
      }
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

extension EventSource {
  /// Returns the position of the last event of any type before a transaction.
  ///
  /// - Parameters:
  ///   - position: The position of an event of the transaction.
  ///   - transaction: The transaction.
  ///   - last: The position of an event of an earlier transaction, or 0.
  /// - Returns: The position of the last event before the transaction.
  /// - Throws: ``EventStoreError`` if the log can't be read.
  /// - Complexity: O(log n) reads for n positions in the searched range.
  func end(before position: Int, of transaction: Int, after last: Int) throws -> Int {
    var (low, high) = (last, position)
    while high - low > 1 {
      let middle = (low + high) / 2
      guard let found = try first(after: middle - 1, through: high - 1) else {
        // Compaction removed the events there.
        high = middle
        continue
      }
      if found.transaction == transaction { high = found.position } else { low = found.position }
    }
    return low
  }

  /// Returns the end of a transaction at which a range of about the given length can end.
  ///
  /// - Parameters:
  ///   - start: The position before the range, at the end of a transaction.
  ///   - count: The desired number of positions. The range is shorter at the log's end, and longer for a long
  ///     transaction.
  ///   - head: The log's last position.
  /// - Returns: The position of the last event of a transaction, of any type.
  /// - Throws: ``EventStoreError`` if the log can't be read.
  /// - Complexity: O(log n) reads for n positions in the searched range.
  func wholeEnd(after start: Position, of count: Int, through head: Position) throws -> Position {
    let (start, head) = (start.rawValue, head.rawValue)
    guard start + count < head, let next = try first(after: start + count, through: head) else { return Position(head) }
    let end = try end(before: next.position, of: next.transaction, after: start)
    if end > start { return Position(end) }
    // One transaction extends from the start to this point.
    var (low, high) = (next.position, head + 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if let found = try first(after: middle - 1, through: head), found.transaction == next.transaction {
        low = found.position
      } else {
        high = middle
      }
    }
    return Position(low)
  }

  /// Returns the position and transaction of the first event after a position.
  private func first(after: Int, through: Int) throws -> (position: Int, transaction: Int)? {
    let (after, through) = (Position(after), Position(through))
    switch self {
    case .still(let log), .moving(let log, _):
      let batch = try log.batch(after: after, through: through, limit: 1)
      return batch.count == 0 ? nil : batch.numbers(at: 0)
    case .tail(let tail):
      let index = tail.batch.firstIndex(after: after)
      return index < tail.batch.firstIndex(after: through) ? tail.batch.numbers(at: index) : nil
    }
  }
}

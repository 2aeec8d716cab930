/// The events of a log from a position on: those that are there, then those that come, without gap and without repeat.
///
///     for try await batch in store.subscription(to: .types("BookSold"), after: checkpoint) {
///       for event in batch.events { … }
///       checkpoint = batch.position
///     }
///
/// Commits by other processes are seen too. The sequence ends when its task is cancelled; each iteration begins at the
/// subscription's position.
public struct EventSubscription: AsyncSequence, Sendable {
  /// Some events, in the order of their positions.
  public struct Batch: Sendable {
    /// The events that the subscription's query matches; never none.
    public let events: [StoredEvent]
    /// The position up to which everything has been seen: where to go on after a restart.
    public let position: Position
    /// False while the log is ahead of the batch, so that code with side effects can tell a replay from what is new.
    ///
    /// A batch that ends at the log's end, as it was when the batch was read, is live.
    public let isLive: Bool
  }

  /// Waits for the next batch.
  public struct Iterator: AsyncIteratorProtocol {
    private var cursor: EventCursor
    private let wake: CommitWake
    private var wakes: AsyncStream<Void>.Iterator

    fileprivate init(_ cursor: EventCursor) {
      self.cursor = cursor
      wake = CommitWake(cursor.store)
      wakes = wake.stream.makeAsyncIterator()
    }

    /// The next batch, waiting for it where there is none yet.
    ///
    /// - Returns: The batch; nil once the task is cancelled.
    /// - Throws: ``EventStoreError``.
    public mutating func next() async throws -> Batch? {
      try await next(isolation: nil)
    }

    /// The next batch, read in the caller's isolation.
    ///
    /// - Parameter actor: The isolation.
    /// - Returns: The batch; nil once the task is cancelled.
    /// - Throws: ``EventStoreError``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Batch? {
      while !Task.isCancelled {
        if let batch = try cursor.next() { return batch }
        guard await wakes.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }
  }

  fileprivate let start: EventCursor

  /// Begins to read at the subscription's position.
  public func makeAsyncIterator() -> Iterator { Iterator(start) }
}

/// Goes through a log, a batch at a time, to an end that moves.
package struct EventCursor: Sendable {
  let store: any EventStore
  private let query: EventQuery
  /// The types that are wanted, if the query is for all events.
  private let types: EventTypeChoice?
  private let batchSize: Int
  /// Up to where everything has been seen.
  package private(set) var position: Position
  /// The compaction up to whose horizon the cursor may read on; nil before it has read.
  private var known: CompactedHistory?
  /// The revision that the events before the position were read from; nil before the cursor has read.
  private var revision: LogRevision?
  /// True if a checkpoint keeps from being compacted what was not seen.
  private let isGuarded: Bool

  package init(
    _ store: any EventStore, _ query: EventQuery, of types: EventTypeChoice? = nil, after position: Position,
    batchSize: Int, isGuarded: Bool = false
  ) {
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    (self.store, self.query, self.position, self.batchSize) = (store, query, position, batchSize)
    self.isGuarded = isGuarded
    self.types = query.alternatives == nil ? types : nil
  }

  /// The next batch; nil if there is nothing new.
  package mutating func next() throws -> EventSubscription.Batch? {
    while true {
      let start = position
      var found: (events: [StoredEvent], position: Position) = ([], start)
      let (head, now, unchanged) = try store.read { log in
        let (head, now) = (try log.head(), try log.revision())
        if start < head { found = try events(in: log, after: start, through: head) }
        // Of what was erased or compacted the events that are left are still the ones that were read.
        let isDecidedAgain = revision.map { $0.rebases != now.rebases } ?? false
        return (head, now, isDecidedAgain ? try revision.map(log.unchanged(since:)) ?? start : start)
      }
      guard unchanged >= start else {
        throw EventStoreError(
          .rewritten,
          "expected the events after position \(start), found that those after \(unchanged) were replaced: the "
            + "commands of the branch were decided again; begin again at position \(unchanged)")
      }
      let compacted = now.compacted
      revision = now
      if head < position {
        throw EventStoreError(
          .replaced,
          "expected a log that goes on after position \(position), found one that ends at \(head): another log stands "
            + "in its place; open it again and begin at a position that it has")
      }
      if head == position { return nil }
      guard isGuarded || compacted.shows(position) || compacted == known else {
        throw EventStoreError.compacted(
          through: compacted.horizon,
          "expected the events after position \(position), found that the history up to \(compacted.horizon) was "
            + "compacted, and what is left of it may repeat what was seen; begin again at 0, or at a position from "
            + "\(compacted.horizon) on")
      }
      known = compacted
      position = found.position
      if !found.events.isEmpty { return .init(events: found.events, position: position, isLive: position == head) }
    }
  }

  /// The next events, and up to where there are no others.
  private func events(
    in log: any EventLog, after start: Position, through head: Position
  ) throws -> (events: [StoredEvent], position: Position) {
    guard let types else {
      let events = try log.events(query, after: start, through: head, limit: batchSize)
      return (events, events.count == batchSize ? events.last?.position ?? head : head)
    }
    var (events, last) = ([StoredEvent](), start)
    while events.count < batchSize {
      // A store may answer events of all types: the last few that are missing are not asked for one by one.
      let batch = try log.batch(of: types, after: last, through: head, limit: batchSize)
      guard let end = batch.last else { return (events, head) }
      for index in 0..<batch.count where types.contains(batch.type(at: index)) {
        events.append(batch.event(at: index))
        if events.count == batchSize { return (events, batch.event(at: index).position) }
      }
      last = end
    }
    return (events, last)
  }
}

/// Hears of commits, also of other processes', for as long as it is held.
package final class CommitWake: Sendable {
  /// Answers after a commit; several that no one waited for are one.
  let stream: AsyncStream<Void>
  private let tokens: [CommitSignal.Token?]

  init(_ store: any EventStore) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.stream = stream
    tokens = [store.signal.watchCommits { continuation.yield() }, store.otherWriters?.announce()]
  }
}

extension EventStore {
  /// The events from a position on: those that are there, then those that come.
  ///
  /// If the log is compacted beyond the position that was reached, what is left may repeat what was seen: the sequence
  /// then ends with the error `compacted`. So it does if it is to begin after a position other than 0 that lies before
  /// the horizon.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - position: The position after which to begin; 0 for the first event.
  ///   - batchSize: The largest number of events of a batch, 1 or more.
  /// - Returns: The batches, without end.
  public func subscription(
    to query: EventQuery = .all, after position: Position, batchSize: Int = 512
  ) -> EventSubscription { subscription(to: query, of: nil, after: position, batchSize: batchSize) }

  /// The events of a query; of a query for all events those of some types alone.
  func subscription(
    to query: EventQuery, of types: EventTypeChoice?, after position: Position, batchSize: Int
  ) -> EventSubscription {
    EventSubscription(start: EventCursor(self, query, of: types, after: position, batchSize: batchSize))
  }

  /// Waits until the log has reached a position, by appends of any process.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Throws: `CancellationError` if the task is cancelled; ``EventStoreError``.
  public func wait(for position: Position, isolation: isolated (any Actor)? = #isolation) async throws {
    let wake = CommitWake(self)
    var wakes = wake.stream.makeAsyncIterator()
    while try head() < position {
      guard await wakes.next(isolation: isolation) != nil else { throw CancellationError() }
    }
  }
}

/// An asynchronous sequence of a log's events after a position: first the existing events, then new events.
///
/// It delivers every event exactly once.
///
///     for try await batch in store.subscription(to: .types("BookSold"), after: checkpoint) {
///       for event in batch.events { … }
///       checkpoint = batch.position
///     }
///
/// The sequence also delivers events that other processes commit. It ends when its task is cancelled. If you iterate
/// over the sequence several times, every iteration starts at the position with which you created the subscription.
public struct EventSubscription: AsyncSequence, Sendable {
  /// A batch of events, in the order of their positions.
  public struct Batch: Sendable {
    /// The events of the batch, which match the subscription's query.
    ///
    /// The array contains at least one event.
    public let events: [StoredEvent]
    /// The position through which all events have been read.
    ///
    /// Save this position to resume after it when your program restarts.
    public let position: Position
    /// True if the batch's position was the log's last position when the batch was read.
    ///
    /// Code with side effects can use this property to distinguish new events from a replay of older events.
    public let isLive: Bool

    package init(events: [StoredEvent], position: Position, isLive: Bool) {
      self.events = events
      self.position = position
      self.isLive = isLive
    }
  }

  private struct Iterator: AsyncIteratorProtocol {
    var cursor: EventCursor
    let wake: CommitWake
    var wakes: AsyncStream<Void>.Iterator

    mutating func next() async throws -> Batch? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Batch? {
      while !Task.isCancelled {
        if let batch = try cursor.next() { return batch }
        guard await wakes.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }
  }

  fileprivate let start: EventCursor

  /// Creates an iterator that starts at the position with which you created the subscription.
  ///
  /// - Returns: An iterator that returns the next batch of events, or waits for new events. It returns `nil` if the
  ///   task is cancelled, and throws ``EventStoreError``. Each batch is read in the caller's isolation.
  public func makeAsyncIterator() -> some AsyncIteratorProtocol<Batch, any Error> {
    let wake = CommitWake(start.store)
    return Iterator(cursor: start, wake: wake, wakes: wake.stream.makeAsyncIterator())
  }
}

/// A cursor that reads a growing log in batches.
package struct EventCursor: Sendable {
  let store: any EventStore
  private let query: EventQuery
  /// The requested types, if the query selects all events.
  private let types: EventTypeFilter?
  private let batchSize: Int
  /// The position through which all events have been seen.
  package private(set) var position: Position
  /// The extent of the log's compaction at the last read, or `nil` before the first read.
  ///
  /// If the extent is unchanged, the cursor can read events before the compaction's `CompactedHistory.horizon`.
  private var known: CompactedHistory?
  /// The revision of the events before the position, or `nil` before the first read.
  private var revision: LogRevision?
  /// True if a checkpoint prevents the compaction of unseen events.
  private let isGuarded: Bool

  package init(
    _ store: any EventStore, _ query: EventQuery, of types: EventTypeFilter? = nil, after position: Position,
    batchSize: Int, isGuarded: Bool = false
  ) {
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    self.store = store
    self.query = query
    self.position = position
    self.batchSize = batchSize
    self.isGuarded = isGuarded
    self.types = query.alternatives == nil ? types : nil
  }

  /// Returns the next batch, or `nil` if the log has no new events.
  package mutating func next() throws -> EventSubscription.Batch? {
    while true {
      let start = position
      var found: (events: [StoredEvent], position: Position) = ([], start)
      let (head, now, unchanged) = try store.read { log in
        let (head, now) = (try log.head(), try log.revision())
        if start < head { found = try events(in: log, after: start, through: head) }
        // Only a re-decision or the replacement of all events matters here. After an erasure or a compaction, the
        // remaining events are the same as before.
        let isDecidedAgain = revision.map { $0.rebases != now.rebases } ?? false
        return (head, now, isDecidedAgain ? try revision.map(log.unchanged(since:)) ?? start : start)
      }
      guard unchanged >= start else {
        if try store.stableEnd() == nil {
          throw EventStoreError(
            .replaced,
            "the subscription is at position \(start), but Replica.reclone replaced all events of the log. Start a new "
              + "subscription, at most at the position that Replica.common(since:) returns")
        }
        throw EventStoreError(
          .rewritten,
          "the subscription is at position \(start), but the branch re-decided its commands, and replaced the events "
            + "after position \(unchanged). Restart at position \(unchanged)")
      }
      let compacted = now.compacted
      revision = now
      if head < position {
        throw EventStoreError(
          .replaced,
          "the log must end at position \(position) or later, but ends at position \(head), so another log has "
            + "replaced the original log; reopen the log, and restart at a position up to \(head)")
      }
      if head == position { return nil }
      guard isGuarded || compacted.shows(position) || compacted == known else {
        throw EventStoreError.compacted(
          through: compacted.horizon,
          "the subscription is at position \(position), but the log was compacted up to position "
            + "\(compacted.horizon). The next events might include changes that the subscription already delivered, so "
            + "restart at position 0, or at position \(compacted.horizon) or later")
      }
      known = compacted
      position = found.position
      if !found.events.isEmpty { return .init(events: found.events, position: position, isLive: position == head) }
    }
  }

  /// Returns the next matching events, and the position through which the result contains all matching events.
  private func events(
    in log: any EventLog, after start: Position, through head: Position
  ) throws -> (events: [StoredEvent], position: Position) {
    guard let types else {
      let events = try log.events(query, after: start, through: head, limit: batchSize)
      return (events, events.count == batchSize ? events.last?.position ?? head : head)
    }
    var (events, last) = ([StoredEvent](), start)
    while events.count < batchSize {
      // The limit is always the full batch size. A store can return events of all types, so a lower limit would read
      // the last few missing events one by one.
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

/// An object that reports commits, including commits by other processes, until it is released.
package final class CommitWake: Sendable {
  /// A stream that yields after a commit.
  ///
  /// Several commits before the next wait cause only one element.
  let stream: AsyncStream<Void>
  private let tokens: [StoreRuntime.Token?]

  init(_ store: any EventStore) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.stream = stream
    tokens = [store.runtime.watchCommits { continuation.yield() }, store.externalWriters?.announce()]
  }
}

extension EventStore {
  /// Returns an asynchronous sequence of the log's events after a position: first the existing events, then new events.
  ///
  /// If the log is compacted beyond the sequence's current position, the sequence throws ``EventStoreError``
  /// (`.compacted`). A compaction can replace several events with fewer equivalent events, so the sequence's next event
  /// might repeat changes that you already received. The sequence also throws this error if you start at a compacted
  /// position, which is any position greater than 0 and less than the log's `CompactedHistory.horizon`.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - position: The position after which to start, or 0 to include the log's first event.
  ///   - batchSize: The maximum number of events per batch, at least 1.
  /// - Returns: A sequence of event batches, which waits for new events when it reaches the log's end.
  public func subscription(
    to query: EventQuery = .all, after position: Position, batchSize: Int = 512
  ) -> EventSubscription { subscription(to: query, of: nil, after: position, batchSize: batchSize) }

  /// Returns the events of a query, limited to some types if the query selects all events.
  func subscription(
    to query: EventQuery, of types: EventTypeFilter?, after position: Position, batchSize: Int
  ) -> EventSubscription {
    EventSubscription(start: EventCursor(self, query, of: types, after: position, batchSize: batchSize))
  }

  /// Waits until the log reaches a position.
  ///
  /// The method also notices events that another process appends.
  ///
  /// - Parameters:
  ///   - position: The position to wait for.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Throws: `CancellationError` if the task is cancelled, or ``EventStoreError``.
  public func wait(for position: Position, isolation: isolated (any Actor)? = #isolation) async throws {
    let wake = CommitWake(self)
    var wakes = wake.stream.makeAsyncIterator()
    while try head() < position {
      guard await wakes.next(isolation: isolation) != nil else { throw CancellationError() }
    }
  }
}

public import Foundation

/// The read operations of a log of events.
///
/// A log is either growing or fixed. An ``EventStore`` is a growing log, so every call reads the log's current state.
/// The log that ``EventStore/read(_:)`` passes to its closure is fixed, so all calls inside the closure read the same
/// snapshot.
///
///     let (head, open) = try store.read { log in
///       (try log.head(), try log.events(.tagged("open"), after: 0, through: nil, limit: 100))
///     }
///
/// A custom log implements ``head()``, ``version(of:)``, ``position(of:)`` and ``events(_:after:through:limit:)``. The
/// other methods have default implementations. Implement them, too, if your log has faster ways to read.
public protocol EventLog: Sendable {
  /// Returns the position of the log's last event, or 0 for an empty log.
  ///
  /// - Returns: The last position.
  /// - Throws: ``EventStoreError``.
  func head() throws -> Position

  /// Returns the revision of the log's history, which changes with every erasure and every compaction.
  ///
  /// The default implementation always returns `LogRevision.original`.
  ///
  /// - Returns: The current revision.
  /// - Throws: ``EventStoreError``.
  func revision() throws -> LogRevision

  /// Returns the position through which the log's events haven't changed since an earlier revision.
  ///
  /// Values that you derived from the events through this position are still correct. If you pass the current revision,
  /// the default implementation returns the log's last position. For any other revision, it returns 0, because all
  /// events might have changed.
  ///
  /// - Parameter earlier: A former revision of the log, or the current revision.
  /// - Returns: The last position before the first changed event, or the log's last position if no event has changed.
  /// - Throws: ``EventStoreError``.
  func unchanged(since earlier: LogRevision) throws -> Position

  /// Returns the position after which a `Branch` can replace events, or `nil` if events are never replaced.
  ///
  /// A branch re-decides a command by calling `decide` with a newer state, and then replaces the command's events.
  /// Lists save their state at the returned position, and resume from that state when the later events are replaced.
  /// The default implementation returns `nil`, for a log that isn't a branch.
  ///
  /// - Returns: The last position whose event is never replaced, or `nil` if no events are replaced.
  /// - Throws: ``EventStoreError``.
  func stableEnd() throws -> Position?

  /// Returns a stream's version: the number of events that were ever appended to it, or 0 for a missing stream.
  ///
  /// - Parameter stream: The stream's name.
  /// - Returns: The stream's version.
  /// - Throws: ``EventStoreError``.
  func version(of stream: StreamName) throws -> Int

  /// Returns the position of the event with the given identity.
  ///
  /// - Parameter id: The event's identity.
  /// - Returns: The event's position, even if a compaction has removed the event, or `nil` if the log never contained
  ///   the event.
  /// - Throws: ``EventStoreError``.
  func position(of id: EventID) throws -> Position?

  /// Returns the position at which the log ended at a point in time.
  ///
  /// To find this position, the method searches for the first event whose time is later than the given time. The result
  /// is the end of the last transaction before this event's transaction. Times don't always increase with positions,
  /// because imported events keep their times and clocks get adjusted. So transactions after the result can contain
  /// events whose times are earlier than the given time.
  ///
  /// If the given time is the present or in the future, the result is the log's last position. The store's clock,
  /// ``StoreEnvironment/now``, defines the present. An event with a time in the future was recorded with a wrong clock.
  /// The event is treated as if it had the time of the next event whose time isn't in the future. If no such event
  /// exists, the event is treated as if it had the present time.
  ///
  /// - Parameter time: The point in time, exact to the microsecond.
  /// - Returns: The position, or 0 if the log's first transaction already contains an event with a later time.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n) for the n events up to the position, because any of them could have a later time. The events'
  ///   payloads aren't read. The stores of this package remember the times, so every later call is O(log n + k) for k
  ///   new events.
  func position(at time: Date) throws -> Position

  /// Reads the events that match a query, in the order of their positions.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - after: The position after which to start, or 0 to include the log's first event.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The events. If the result contains fewer than `limit` events, the range has no more matching events.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  /// - Complexity: O(log n + m) for m events read in a log of n events, if an index supports the query.
  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent]

  /// Reads the events that match a query, newest first.
  ///
  /// The default implementation reads all matching events between the two positions, even if `limit` is lower than
  /// their number.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - after: The position after which the range begins, or 0 to include the log's first event.
  ///   - through: The last position of the range, at which reading starts, or `nil` for the log's end.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The events. If the result contains fewer than `limit` events, the range has no more matching events.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  func eventsBackwards(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent]

  /// Reads events of all types as a batch.
  ///
  /// A batch contains its events either as values or as bytes.
  ///
  /// The default implementation creates the batch from the values that ``events(_:after:through:limit:)`` returns. A
  /// store that can read database columns as bytes creates the batch with an `EventBatchBuilder`. A batch of bytes is
  /// faster, because for most events, rebuilding a list needs the payload but not the other columns.
  ///
  /// - Parameters:
  ///   - after: The position after which to start, or 0 to include the log's first event.
  ///   - through: The last position to read.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The batch. If the events are large, it can contain fewer than `limit` events, although the range has
  ///   more events. The batch is empty only if the range has no more events.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch

  /// Reads the events of the requested types as a batch.
  ///
  /// A projection reads its events with this method. The default implementation returns events of all types. A store
  /// with an index by type can skip events of other types without reading them.
  ///
  /// - Parameters:
  ///   - types: The requested event types.
  ///   - after: The position after which to start, or 0 to include the log's first event.
  ///   - through: The last position to read.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: A batch with all events of the requested types between `after` and the batch's last event, and possibly
  ///   events of other types. The batch is empty only if the range has no more events of the requested types.
  /// - Throws: ``EventStoreError``, for example if an event of the requested types is damaged.
  func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch

  /// Reads the events after a position, together with the log's last position and revision, from one snapshot.
  ///
  /// This is the only call that a controller makes after a commit. The default implementation reads the events, the
  /// last position and the revision in three separate reads, not from one snapshot.
  ///
  /// - Parameters:
  ///   - after: The position after which to start, or 0 to include the log's first event.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The events, the log's last position, and its revision.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  func tail(after: Position, through: Position?, limit: Int) throws -> LogTail

  /// Reads the events of a stream after a position, together with the stream's version and the log's revision.
  ///
  /// The events, the version and the revision belong to one snapshot. This is the only call that a store makes before
  /// it calls a decider with a command. The default implementation makes three separate reads, not from one snapshot.
  ///
  /// - Parameters:
  ///   - stream: The stream's name.
  ///   - after: The position after which to start, or 0 to include the stream's first event.
  /// - Returns: All events of the stream after the position, the stream's version, and the log's revision.
  /// - Throws: ``EventStoreError``, for example if one of these events is damaged.
  /// - Complexity: O(m) for m returned events.
  func tail(of stream: StreamName, after: Position) throws -> StreamTail

  /// Reads the events of a stream after the caller's last event, together with the stream's version and the log's
  /// revision.
  ///
  /// The events, the version and the revision belong to one snapshot. If a decider's state is in memory, this is the
  /// only call that a store makes before it calls the decider with a command. Usually the stream has no new events. So
  /// a store that remembers the stream's current version can return without searching for events. The default
  /// implementation calls ``tail(of:after:)``.
  ///
  /// - Parameters:
  ///   - stream: The stream's name.
  ///   - after: The position of the last event that the caller knows, or 0.
  ///   - version: The stream's version at that event, or 0.
  /// - Returns: All events of the stream after the position, the stream's version, and the log's revision.
  /// - Throws: ``EventStoreError``, for example if one of these events is damaged.
  /// - Complexity: O(log n + m) for m returned events in a log of n events.
  func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail

  /// Returns the receipt of the command that was committed under an id.
  ///
  /// The default implementation throws. It is meant for a store that doesn't support command ids, and therefore refuses
  /// commands with an id.
  ///
  /// - Parameter commandID: The command's id.
  /// - Returns: The receipt, or `nil` if no such command was committed.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't support command ids.
  func receipt(ofCommand commandID: String) throws -> Receipt?
}

/// A log's events after a position, with the log's last position and revision, all from one snapshot.
///
/// ``EventLog/tail(after:through:limit:)`` returns it.
public struct LogTail: Sendable {
  /// The log's last position.
  public let head: Position
  /// The log's revision.
  public let revision: LogRevision
  /// The requested position, after which the batch starts.
  public let after: Position
  /// The events after the position ``after``.
  ///
  /// If the events are large, or if their number exceeds the requested limit, the batch contains only the events at the
  /// start of the range.
  public let batch: EventBatch

  /// Creates the result of ``EventLog/tail(after:through:limit:)`` for a custom log.
  ///
  /// - Parameters:
  ///   - head: The log's last position.
  ///   - revision: The log's revision.
  ///   - after: The requested position, after which the batch starts.
  ///   - batch: The events after that position. If the events are large, or if their number exceeds the requested
  ///     limit, the batch contains only the events at the start of the range.
  public init(head: Position, revision: LogRevision, after: Position, batch: EventBatch) {
    self.head = head
    self.revision = revision
    self.after = after
    self.batch = batch
  }
}

/// A stream's events after a position, with the stream's version and the log's revision, all from one snapshot.
///
/// ``EventLog/tail(of:after:)`` returns it.
public struct StreamTail: Sendable {
  /// The stream's version, which is the number of events that were ever appended to the stream.
  public let version: Int
  /// The log's revision.
  public let revision: LogRevision
  /// All events of the stream after the requested position, in batches.
  public let batches: [EventBatch]

  /// All events of the stream after the requested position.
  ///
  /// - Complexity: O(m) for m events.
  public var events: [StoredEvent] { batches.flatMap(\.events) }

  /// Creates the result of ``EventLog/tail(of:after:)`` for a custom log that reads events as values.
  ///
  /// - Parameters:
  ///   - version: The stream's version, which is the number of events that were ever appended to the stream.
  ///   - revision: The log's revision.
  ///   - events: All events of the stream after the requested position, in the order of their positions.
  public init(version: Int, revision: LogRevision, events: [StoredEvent]) {
    self.init(version: version, revision: revision, batches: events.isEmpty ? [] : [EventBatch(events)])
  }

  /// Creates the result of ``EventLog/tail(of:after:)`` for a custom log that reads events in batches.
  ///
  /// - Parameters:
  ///   - version: The stream's version, which is the number of events that were ever appended to the stream.
  ///   - revision: The log's revision.
  ///   - batches: All events of the stream after the requested position, in the order of their positions.
  public init(version: Int, revision: LogRevision, batches: [EventBatch]) {
    self.version = version
    self.revision = revision
    self.batches = batches.filter { $0.count > 0 }
  }

  /// The number of events in the tail.
  package var count: Int { batches.reduce(0) { $0 + $1.count } }

  /// The version of the tail's first event, or `nil` for an empty tail.
  package var firstVersion: Int? { batches.first.map { $0.values?[0].version ?? $0.rows[0].version } }

  /// The position of the tail's last event, or `nil` for an empty tail.
  package var lastPosition: Position? { batches.last?.last }
}

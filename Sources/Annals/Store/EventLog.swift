public import Foundation

/// The read operations of a log of events.
///
/// A log is either growing or fixed. An ``EventStore`` is a growing log: every call returns the current state. The log
/// that ``EventStore/read(_:)`` passes to its closure is fixed: all its results belong to one snapshot.
///
///     let (head, open) = try store.read { log in
///       (try log.head(), try log.events(.tagged("open"), after: 0, through: nil, limit: 100))
///     }
///
/// A custom log implements ``head()``, ``version(of:)``, ``position(of:)`` and ``events(_:after:through:limit:)``. The
/// other members have default implementations. Implement a member yourself if your store has a faster implementation.
public protocol EventLog: Sendable {
  /// Returns the position of the last event, or 0 for an empty log.
  ///
  /// - Returns: The position.
  /// - Throws: ``EventStoreError``.
  func head() throws -> Position

  /// Returns the revision of the log's history, which changes with every erasure and every compaction.
  ///
  /// The default implementation always returns the original revision.
  ///
  /// - Returns: The revision.
  /// - Throws: ``EventStoreError``.
  func revision() throws -> LogRevision

  /// Returns the position through which the log's events haven't changed since an earlier revision.
  ///
  /// Values that you derived from the events through this position are still correct. The default implementation
  /// returns the log's end for the current revision, and 0 for any other revision, because all events might have
  /// changed.
  ///
  /// - Parameter earlier: A former revision of the log.
  /// - Returns: The position.
  /// - Throws: ``EventStoreError``.
  func unchanged(since earlier: LogRevision) throws -> Position

  /// Returns the last position whose event stays the same when a ``Branch`` re-decides its commands, or `nil` if all
  /// events stay the same.
  ///
  /// A branch re-decides a command by calling `decide` with a newer state, and then replaces the command's events.
  /// Lists save their state at the returned position, and resume from that state when the events after it are replaced.
  /// The default is `nil`, for a log that isn't a branch.
  ///
  /// - Returns: The position, or `nil`.
  /// - Throws: ``EventStoreError``.
  func stableEnd() throws -> Position?

  /// Returns the number of events ever appended to a stream, or 0 for a missing stream.
  ///
  /// - Parameter stream: The stream.
  /// - Returns: The version.
  /// - Throws: ``EventStoreError``.
  func version(of stream: StreamName) throws -> Int

  /// Returns the position of the event with the given identity.
  ///
  /// - Parameter id: The identity.
  /// - Returns: The position, even of an event that a compaction removed, or `nil` if the log never contained the
  ///   event.
  /// - Throws: ``EventStoreError``.
  func position(of id: EventID) throws -> Position?

  /// Returns the position of the log's end at a point in time: the end of the last transaction before the first event
  /// with a later time.
  ///
  /// Times don't always increase with positions, because imported events keep their times and clocks get adjusted. The
  /// first event with a later time excludes its whole transaction and all transactions after it, even if their events
  /// have earlier times.
  ///
  /// For a time that is now or in the future, the result is the log's end. Now is the time of the store's clock,
  /// ``StoreEnvironment/now``. An event with a time in the future results from a wrong clock. Such an event is treated
  /// as if it had the time of the next event that isn't in the future, or the current time if no such event exists.
  ///
  /// - Parameter time: The time, exact to the microsecond.
  /// - Returns: The position, or 0 if the first transaction already contains an event with a later time.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n) for the n events up to the position, because any of them could have a later time. Their
  ///   payloads aren't read. The stores of this package remember the times, so every later call is O(log n + k) for k
  ///   new events.
  func position(at time: Date) throws -> Position

  /// Reads the events that match a query, in the order of their positions.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The events. If there are fewer than `limit`, no more exist.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  /// - Complexity: O(log n + m) for m events read, if an index supports the query.
  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent]

  /// Reads the events that match a query, newest first.
  ///
  /// The default implementation reads all matching events between the two positions.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - after: The position before the last event to return, or 0 to include the first event of the log.
  ///   - through: The position at which to start, or `nil` for the log's end.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The events. If there are fewer than `limit`, no more exist.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  func eventsBackwards(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent]

  /// Reads events of all types as a batch, which can contain the events as bytes.
  ///
  /// By default, the batch contains the events of ``events(_:after:through:limit:)``. A store that can read database
  /// columns as bytes creates the batch with an ``EventBatchBuilder``. Such a batch is faster, because a list that is
  /// rebuilt needs only the payload of most events.
  ///
  /// - Parameters:
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - through: The last position to read.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The batch. It can have fewer than `limit` events if they are large. An empty batch means that no more
  ///   events exist.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch

  /// Reads the events of the requested types as a batch.
  ///
  /// A projection reads its events with this method. By default, the batch contains events of all types. A store with
  /// an index by type can skip events of other types without reading them.
  ///
  /// - Parameters:
  ///   - types: The requested types.
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - through: The last position to read.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: A batch with all events of the requested types from `after` to the batch's last event, and possibly
  ///   events of other types. An empty batch means that no more events of these types exist.
  /// - Throws: ``EventStoreError``, for example if an event of these types is damaged.
  func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch

  /// Reads the events after a position, together with the log's end and revision, in one snapshot.
  ///
  /// This is the only call that a controller makes after a commit. The default implementation reads the three parts in
  /// separate reads, not in one snapshot.
  ///
  /// - Parameters:
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The tail.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  func tail(after: Position, through: Position?, limit: Int) throws -> LogTail

  /// Reads the events of a stream after a position, together with the stream's version and the log's revision.
  ///
  /// All parts belong to one snapshot. This is the only call that a store makes before it decides a command. The
  /// default implementation reads the parts in separate reads, not in one snapshot.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - after: The position after which to start, or 0 to include the stream's first event.
  /// - Returns: All events of the stream after the position, the stream's version, and the log's revision.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  /// - Complexity: O(m) for m events.
  func tail(of stream: StreamName, after: Position) throws -> StreamTail

  /// Reads the events of a stream after the last event that the caller knows, together with the stream's version and
  /// the log's revision.
  ///
  /// If a decider's state is in memory, this is the only call that a store makes before it decides a command. Usually
  /// the stream has no new events, so a store that remembers the stream's current version can return without a search.
  /// The default implementation calls ``tail(of:after:)``. All parts belong to one snapshot.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - after: The position of the last event that the caller knows, or 0.
  ///   - version: The stream's version at that event.
  /// - Returns: All events of the stream after the position, the stream's version, and the log's revision.
  /// - Throws: ``EventStoreError``, for example if an event in the range is damaged.
  /// - Complexity: O(log n + m) for m events in a log of n.
  func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail

  /// Returns the receipt of the command that was committed under an id.
  ///
  /// The default implementation throws, because a store without support for command ids refuses commands with an id.
  ///
  /// - Parameter commandID: The command's id.
  /// - Returns: The receipt, or `nil` if no such command was committed.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't support command ids.
  func receipt(ofCommand commandID: String) throws -> Receipt?
}

/// The events of a log after a position, with the log's end and revision, read from one snapshot.
public struct LogTail: Sendable {
  /// The log's last position.
  public let head: Position
  /// The log's revision.
  public let revision: LogRevision
  /// The position after which the batch starts.
  public let after: Position
  /// The events after that position.
  ///
  /// If these events are large, or if more than the call's limit exist, the batch contains only the first of these
  /// events.
  public let batch: EventBatch

  /// Creates a tail from parts that a log has read.
  ///
  /// - Parameters:
  ///   - head: The log's last position.
  ///   - revision: The log's revision.
  ///   - after: The position after which the batch starts.
  ///   - batch: The events after that position. If these events are large, or if more than the call's limit exist, the
  ///     batch contains only the first of these events.
  public init(head: Position, revision: LogRevision, after: Position, batch: EventBatch) {
    (self.head, self.revision, self.after, self.batch) = (head, revision, after, batch)
  }
}

/// The events of a stream after a position, with the stream's version and the log's revision, read from one snapshot.
public struct StreamTail: Sendable {
  /// The number of events ever appended to the stream.
  public let version: Int
  /// The log's revision.
  public let revision: LogRevision
  /// All events of the stream after the position, in batches.
  public let batches: [EventBatch]

  /// All events of the stream after the position.
  ///
  /// - Complexity: O(m) for m events.
  public var events: [StoredEvent] { batches.flatMap(\.events) }

  /// Creates a tail from events that were read as values.
  ///
  /// - Parameters:
  ///   - version: The number of events ever appended to the stream.
  ///   - revision: The log's revision.
  ///   - events: All events of the stream after the position.
  public init(version: Int, revision: LogRevision, events: [StoredEvent]) {
    self.init(version: version, revision: revision, batches: events.isEmpty ? [] : [EventBatch(events)])
  }

  /// Creates a tail from parts that a log has read.
  ///
  /// - Parameters:
  ///   - version: The number of events ever appended to the stream.
  ///   - revision: The log's revision.
  ///   - batches: All events of the stream after the position, in the order of their positions.
  public init(version: Int, revision: LogRevision, batches: [EventBatch]) {
    (self.version, self.revision, self.batches) = (version, revision, batches.filter { $0.count > 0 })
  }

  /// The number of events in the tail.
  var count: Int { batches.reduce(0) { $0 + $1.count } }

  /// The version of the tail's first event, or `nil` for an empty tail.
  var firstVersion: Int? { batches.first.map { $0.values?[0].version ?? $0.rows[0].version } }

  /// The position of the tail's last event, or `nil` for an empty tail.
  var lastPosition: Position? { batches.last?.last }
}

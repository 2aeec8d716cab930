public import Foundation

/// What can be read of a log of events.
///
/// There are two kinds of it. An ``EventStore`` is a log that grows: each call answers what is there at the time of
/// the call. The log that ``EventStore/read(_:)`` hands over stands still: all its answers are of one moment.
///
///     let (head, open) = try store.read { log in
///       (try log.head(), try log.events(.tagged("open"), after: 0, through: nil, limit: 100))
///     }
///
/// A log of your own needs ``head()``, ``version(of:)``, ``position(of:)`` and ``events(_:after:through:limit:)``. All
/// else comes with the protocol. You can make it quicker where your store knows a shorter way.
public protocol EventLog: Sendable {
  /// The position of the last event, 0 in an empty log.
  ///
  /// - Returns: The position.
  /// - Throws: ``EventStoreError``.
  func head() throws -> Position

  /// Which of its histories the log has: it changes with each erasure and each compaction.
  ///
  /// By default the original one, for ever.
  ///
  /// - Returns: The revision.
  /// - Throws: ``EventStoreError``.
  func revision() throws -> LogRevision

  /// The position up to which the log still has the events that it had in an earlier revision.
  ///
  /// What you derived from the events up to there is right. By default that is the log's end in the same revision, and
  /// 0 in another one: everything may have changed.
  ///
  /// - Parameter earlier: A revision that the log had.
  /// - Returns: The position.
  /// - Throws: ``EventStoreError``.
  func unchanged(since earlier: LogRevision) throws -> Position

  /// The last position that no decision of a branch changes; nil, as by default, if that is so of all positions.
  ///
  /// Lists keep what they are there, to go on from it when later events were replaced.
  ///
  /// - Returns: The position.
  /// - Throws: ``EventStoreError``.
  func stableEnd() throws -> Position?

  /// The number of events that were appended to a stream, 0 if there is no such stream.
  ///
  /// - Parameter stream: The stream.
  /// - Returns: The version.
  /// - Throws: ``EventStoreError``.
  func version(of stream: StreamName) throws -> Int

  /// The position of the event with an identity.
  ///
  /// - Parameter id: The identity.
  /// - Returns: The position, even of an event that a compaction cut; nil if the log never had such an event.
  /// - Throws: ``EventStoreError``.
  func position(of id: EventID) throws -> Position?

  /// The position up to which the log was known at a time: the end of the last transaction such that no event up to it
  /// has a later time.
  ///
  /// Times need not grow with positions: imports bring times of their own, and clocks go back. The first event with a
  /// later time ends what was known, with its whole transaction, whatever comes after it.
  ///
  /// A time from the reader's present on is the log's end. If an event has a time after the reader's present, a clock
  /// was wrong. Such an event takes the time of the next event that has none, or the present if no such event follows.
  /// The reader's clock is ``StoreEnvironment/now`` of the store.
  ///
  /// - Parameter time: The time, exact to the microsecond.
  /// - Returns: The position; 0 if the first transaction has a later time already.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n) for the n events up to there, whose payloads need not be read: any of them could be later.
  ///   Stores of this package remember what they looked at, and take O(log n + k) from the second time on, for k events
  ///   that have come since.
  func position(at time: Date) throws -> Position

  /// Reads some events in the order of their positions.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position after which to start; 0 for the first event.
  ///   - through: The last position to read; nil for the log's end.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The events. Fewer than `limit` means that there are no more.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  /// - Complexity: O(log n + m) for m events read, where the query can be answered from an index.
  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent]

  /// Reads some events backwards: the last ones, the newest first.
  ///
  /// By default they are found by reading all that come before them.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position at which to end, which is not read; 0 to read the first event too.
  ///   - through: The position at which to begin; nil for the log's end.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The events. Fewer than `limit` means that there are no more.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  func eventsBackwards(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent]

  /// Reads all kinds of events as a batch, which a store may keep as bytes.
  ///
  /// By default the batch is made of what ``events(_:after:through:limit:)`` answers. A store that can read columns as
  /// bytes makes a batch with an ``EventBatchBuilder``: a rebuild asks most events for nothing but their payload.
  ///
  /// - Parameters:
  ///   - after: The position after which to start; 0 for the first event.
  ///   - through: The last position to read.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The batch. It may have fewer events than `limit` where they are large; one without events means that
  ///   there are no more.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch

  /// Reads events of some types as a batch.
  ///
  /// A projection reads its events with it. By default the batch has all kinds of events. A store that knows where the
  /// events of a type are can leave the others out, and need not read them.
  ///
  /// - Parameters:
  ///   - types: Which types are wanted.
  ///   - after: The position after which to start; 0 for the first event.
  ///   - through: The last position to read.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The batch: of the events after the position up to the batch's last one, all of the wanted types, and
  ///   perhaps others. One without events means that there are no more of these types.
  /// - Throws: ``EventStoreError``, also when an event of these types is damaged.
  func batch(of types: EventTypeChoice, after: Position, through: Position, limit: Int) throws -> EventBatch

  /// Reads what comes after a position, with the log's end and revision, all of one moment.
  ///
  /// This is the one call that a controller makes after a commit. By default it asks for the three one after the other.
  ///
  /// - Parameters:
  ///   - after: The position after which to start; 0 for the first event.
  ///   - through: The last position to read; nil for the log's end.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The tail.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  func tail(after: Position, through: Position?, limit: Int) throws -> LogTail

  /// Reads the events of a stream after a position, with the stream's version and the log's revision.
  ///
  /// All of this is of one moment. It is the one call that a command makes before it is decided. By default it asks for
  /// the parts one after the other.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - after: The position after which to start; 0 for the stream's first event.
  /// - Returns: The tail, with all events to the stream's end.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  /// - Complexity: O(m) for m events.
  func tail(of stream: StreamName, after: Position) throws -> StreamTail

  /// Reads the events of a stream after one that the reader knows, with the stream's version and the log's revision.
  ///
  /// It is the one call that a command makes whose decider's state is in memory: mostly there are none, and a store
  /// that knows the stream's version need not look. By default it is ``tail(of:after:)``. All of this is of one moment.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - after: The position of the event that the reader knows; 0 for none.
  ///   - version: The stream's version when the reader read it.
  /// - Returns: The tail, with all events to the stream's end.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  /// - Complexity: O(log n + m) for m events in a log of n.
  func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail

  /// The receipt of a command that was committed under an id.
  ///
  /// By default it throws: a store that keeps no command ids refuses commands that have one.
  ///
  /// - Parameter commandID: The command's id.
  /// - Returns: The receipt, or nil if no such command was committed.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no command ids.
  func receipt(ofCommand commandID: String) throws -> Receipt?
}

/// What a log has after a position, at one moment.
public struct LogTail: Sendable {
  /// The log's last position.
  public let head: Position
  /// The log's revision.
  public let revision: LogRevision
  /// The position after which the batch begins.
  public let after: Position
  /// The events after that position, or the first of them.
  public let batch: EventBatch

  /// Creates a tail, as a log does.
  ///
  /// - Parameters:
  ///   - head: The log's last position.
  ///   - revision: The log's revision.
  ///   - after: The position after which the batch begins.
  ///   - batch: The events after that position, or the first of them.
  public init(head: Position, revision: LogRevision, after: Position, batch: EventBatch) {
    (self.head, self.revision, self.after, self.batch) = (head, revision, after, batch)
  }
}

/// What a stream has after a position, at one moment.
public struct StreamTail: Sendable {
  /// The number of events that were appended to the stream.
  public let version: Int
  /// The log's revision.
  public let revision: LogRevision
  /// The events after the position, up to the stream's end, some at a time.
  public let batches: [EventBatch]

  /// The events after the position, up to the stream's end.
  ///
  /// - Complexity: O(m) for m events.
  public var events: [StoredEvent] { batches.flatMap(\.events) }

  /// Creates a tail of events that were read as values.
  ///
  /// - Parameters:
  ///   - version: The number of events that were appended to the stream.
  ///   - revision: The log's revision.
  ///   - events: The events after the position, up to the stream's end.
  public init(version: Int, revision: LogRevision, events: [StoredEvent]) {
    self.init(version: version, revision: revision, batches: events.isEmpty ? [] : [EventBatch(events)])
  }

  /// Creates a tail, as a log does.
  ///
  /// - Parameters:
  ///   - version: The number of events that were appended to the stream.
  ///   - revision: The log's revision.
  ///   - batches: The events after the position, up to the stream's end, in the order of their positions.
  public init(version: Int, revision: LogRevision, batches: [EventBatch]) {
    (self.version, self.revision, self.batches) = (version, revision, batches.filter { $0.count > 0 })
  }

  /// The number of events.
  var count: Int { batches.reduce(0) { $0 + $1.count } }

  /// The version of the first event; nil if there is none.
  var firstVersion: Int? { batches.first.map { $0.values?[0].version ?? $0.rows[0].version } }

  /// The position of the last event; nil if there is none.
  var lastPosition: Position? { batches.last?.last }
}

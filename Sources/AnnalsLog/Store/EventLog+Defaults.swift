extension EventLog {
  /// Returns `LogRevision.original`, because this log never erases or compacts events.
  public func revision() -> LogRevision { .original }

  /// Returns the position through which the log's events haven't changed since an earlier revision.
  ///
  /// If the given revision is the current revision, this is the log's last position. For any other revision, it is 0,
  /// because all events might have changed.
  public func unchanged(since earlier: LogRevision) throws -> Position {
    try revision() == earlier ? head() : 0
  }

  /// Returns `nil`, because this log isn't a `Branch`.
  ///
  /// Only a branch can call `decide` for its commands with a newer state, and then replace the commands' events. In
  /// other logs, every decision is final.
  public func stableEnd() -> Position? { nil }

  /// Reads the events that match a query, and returns the newest events first.
  ///
  /// This implementation reads all matching events between the two positions, from the oldest to the newest, even if
  /// `limit` is lower than their number.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    var last: [StoredEvent] = []
    try forEachEvent(query, after: after, through: through) { event in
      last.append(event)
      if last.count / 2 >= limit { last.removeFirst(last.count - limit) }
    }
    return last.suffix(limit).reversed()
  }

  /// Returns the event at a position.
  ///
  /// - Parameter position: The event's position.
  /// - Returns: The event, or `nil` if the position is after the log's end, or if a compaction removed the event.
  /// - Throws: ``EventStoreError`` if the log can't be read.
  /// - Complexity: O(log n) for n events.
  public func event(at position: Position) throws -> StoredEvent? {
    position > 0 ? try events(.all, after: position.advanced(by: -1), through: position, limit: 1).first : nil
  }

  /// Reads events of all types with ``events(_:after:through:limit:)``, and returns them as a batch of values.
  public func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    EventBatch(try events(.all, after: after, through: through, limit: limit))
  }

  /// Ignores the requested types, and reads a batch with events of all types.
  ///
  /// A caller that needs only the requested types must skip the other events in the batch.
  public func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try batch(after: after, through: through, limit: limit)
  }

  /// Reads the log's last position, the revision and the events in three separate reads, not in one snapshot.
  public func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    let head = try head()
    let end = min(through ?? head, head)
    return LogTail(
      head: head, revision: try revision(), after: after,
      batch: after < end ? try batch(after: after, through: end, limit: limit) : EventBatch([]))
  }

  /// Reads the stream's version, the revision and the events in three separate reads, not in one snapshot.
  public func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    let limit = 512
    var found = try events(.stream(stream), after: after, through: nil, limit: limit)
    var count = found.count
    while count == limit, let last = found.last {
      let more = try events(.stream(stream), after: last.position, through: nil, limit: limit)
      found += more
      count = more.count
    }
    return StreamTail(version: try version(of: stream), revision: try revision(), events: found)
  }

  /// Calls ``tail(of:after:)``, without using the version.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    try tail(of: stream, after: after)
  }

  /// Throws ``EventStoreError`` (`.unsupported`), because the store doesn't support command ids.
  public func receipt(ofCommand commandID: String) throws -> Receipt? {
    throw EventStoreError.unsupported("command ids", by: Self.self)
  }
}

extension EventLog {
  /// Calls a closure for every event that matches a query, and reads the events in batches.
  ///
  /// On a store, every batch is a separate read, so a slow closure doesn't block other callers. If the log is compacted
  /// or data is erased from the log between two batches, the call throws ``EventStoreError`` (`.rewritten`). Inside
  /// ``EventStore/read(_:)``, this error can't occur.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - after: The position after which to start, or 0 to include the log's first event.
  ///   - through: The last position to read, or `nil` for the log's end at the time of the call.
  ///   - batchSize: The maximum number of events per batch, at least 1. Batches of large events are smaller.
  ///   - body: The closure to call with every event.
  /// - Throws: ``EventStoreError``, or the error of `body`.
  public func forEachEvent(
    _ query: EventQuery = .all, after: Position = 0, through: Position? = nil, batchSize: Int = 512,
    _ body: (StoredEvent) throws -> Void
  ) throws {
    try forEachBatch(query, after: after, through: through, batchSize: batchSize) { batch in
      // Creates one value at a time, immediately before its use.
      for index in 0..<batch.count { try body(batch.event(at: index)) }
    }
  }

  /// Calls a closure with batches of events, in the order of their positions.
  ///
  /// Use it if you need only the bytes of most events, because an event's value is created on demand.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - after: The position after which to start.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - batchSize: The maximum number of events per batch.
  ///   - body: The closure to call with every batch. If the closure throws, the call ends with that error.
  /// - Throws: The errors of ``forEachEvent(_:after:through:batchSize:_:)``.
  package func forEachBatch(
    _ query: EventQuery = .all, after: Position = 0, through: Position? = nil, batchSize: Int = 512,
    _ body: (EventBatch) throws -> Void
  ) throws {
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    var steps = EventSteps(query, after: after, through: through, batchSize: batchSize)
    while let batch = try moment({ try steps.next(in: $0) }) { try body(batch) }
  }

  /// Runs a body with a consistent view of the log: a snapshot if the log is a store, or otherwise the log itself.
  package func moment<T>(_ body: (any EventLog) throws -> T) throws -> T {
    if let store = self as? any EventStore { return try store.read(body) }
    return try body(self)
  }
}

/// A reader that reads a query in batches, and verifies that all batches belong to one history.
struct EventSteps {
  private let query: EventQuery
  /// The requested types, if the query selects all events.
  private let types: EventTypeFilter?
  private let batchSize: Int
  private var last: Position
  private var end: Position?
  private var revision: LogRevision?
  /// The maximum number of events in the next batch, adapted to the size of the previous events.
  private var limit: Int
  private var isDone = false
  /// The number of payload bytes in a batch above which the next batches are smaller.
  private static var manyBytes: Int { 4_194_304 }

  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - types: The requested types if the query selects all events, or `nil` for all types. A batch can contain other
  ///     types.
  ///   - after: The position after which to start.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - batchSize: The maximum number of events per batch.
  init(
    _ query: EventQuery, of types: EventTypeFilter? = nil, after: Position, through: Position?, batchSize: Int
  ) {
    self.query = query
    self.types = types
    self.batchSize = batchSize
    last = after
    end = through
    limit = min(batchSize, 32)
  }

  /// Returns the next events, or `nil` at the end.
  mutating func next(in log: any EventLog) throws -> EventBatch? {
    if isDone || end.map({ last >= $0 }) ?? false { return nil }
    let found = try log.revision()
    if let revision, revision != found { throw EventStoreError.rewritten }
    revision = found
    let end = try self.end ?? log.head()
    self.end = end
    guard last < end else { return nil }
    let isAll = query.alternatives == nil
    let batch =
      isAll
      ? try types.map { try log.batch(of: $0, after: last, through: end, limit: limit) }
        ?? log.batch(after: last, through: end, limit: limit)
      : EventBatch(try log.events(query, after: last, through: end, limit: limit))
    // A short batch ends a query with alternatives. A batch of all events can also be short because its events are
    // large.
    isDone = !isAll && batch.count < limit
    guard let final = batch.last else { return nil }
    last = final
    guard let values = batch.values else {
      // Batches of bytes limit their own size.
      limit = batchSize
      return batch
    }
    let bytes = values.reduce(0) { $0 + ($1.payload?.utf8.count ?? 0) }
    limit = bytes > Self.manyBytes ? max(1, limit / 4) : min(batchSize, limit < 1 << 40 ? limit * 4 : limit)
    return batch
  }
}

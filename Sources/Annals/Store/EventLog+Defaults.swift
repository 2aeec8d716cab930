extension EventLog {
  /// The original revision: nothing is ever erased or compacted.
  public func revision() -> LogRevision { .original }

  /// The log's end if the revision is the present one, otherwise 0.
  public func unchanged(since earlier: LogRevision) throws -> Position {
    try revision() == earlier ? head() : 0
  }

  /// None: what the log has is not decided again.
  public func stableEnd() -> Position? { nil }

  /// Reads some events backwards, by reading all that come before them.
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

  /// Makes a batch of events that were read as values.
  public func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    EventBatch(try events(.all, after: after, through: through, limit: limit))
  }

  /// Makes a batch of all kinds of events.
  public func batch(of types: EventTypeChoice, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try batch(after: after, through: through, limit: limit)
  }

  /// Asks for the end, the revision and the events one after the other.
  public func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    let head = try head()
    let end = min(through ?? head, head)
    return LogTail(
      head: head, revision: try revision(), after: after,
      batch: after < end ? try batch(after: after, through: end, limit: limit) : EventBatch([]))
  }

  /// Asks for the version, the revision and the events one after the other.
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

  /// Reads what comes after the position.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    try tail(of: stream, after: after)
  }

  /// Refuses: the store keeps no command ids.
  public func receipt(ofCommand commandID: String) throws -> Receipt? {
    throw EventStoreError.unsupported("command ids", by: Self.self)
  }
}

extension EventLog {
  /// Reads events one after the other, some at a time.
  ///
  /// On a store, each of the reads is of its own moment, so that a slow reader holds up no one. They are still of one
  /// history: if the log is compacted, or something is erased from it, between two of them, the error `rewritten` is
  /// thrown. Inside ``EventStore/read(_:)`` that cannot happen.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position after which to start.
  ///   - through: The last position to read; nil for the log's end as it is at the call.
  ///   - batchSize: How many events to read at once at most, 1 or more; fewer are read where events are large.
  ///   - body: Called with each event.
  /// - Throws: ``EventStoreError``, and what the body throws.
  public func forEachEvent(
    _ query: EventQuery = .all, after: Position = 0, through: Position? = nil, batchSize: Int = 512,
    _ body: (StoredEvent) throws -> Void
  ) throws {
    try forEachBatch(query, after: after, through: through, batchSize: batchSize) { batch in
      // Of each event a value is made when its turn comes.
      for index in 0..<batch.count { try body(batch.event(at: index)) }
    }
  }

  /// Calls a closure with events in the order of their positions, some at a time.
  ///
  /// It is for those who look at most events' bytes alone: values are made of those that they ask for.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position after which to begin.
  ///   - through: The last position; nil for the head.
  ///   - batchSize: How many events are read at once at most.
  ///   - body: Called with each batch; what it throws ends the work.
  /// - Throws: As ``forEachEvent(_:after:through:batchSize:_:)``.
  package func forEachBatch(
    _ query: EventQuery = .all, after: Position = 0, through: Position? = nil, batchSize: Int = 512,
    _ body: (EventBatch) throws -> Void
  ) throws {
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    var steps = EventSteps(query, after: after, through: through, batchSize: batchSize)
    while let batch = try moment({ try steps.next(in: $0) }) { try body(batch) }
  }

  /// Runs a body with a log that stands still: this one, or a moment of the store that it is.
  func moment<T>(_ body: (any EventLog) throws -> T) throws -> T {
    if let store = self as? any EventStore { return try store.read(body) }
    return try body(self)
  }
}

/// Goes through the events of a query, some at a time, and sees to it that all are of one history.
struct EventSteps {
  private let query: EventQuery
  /// The types that are wanted, if the query is for all events.
  private let types: EventTypeChoice?
  private let batchSize: Int
  private var last: Position
  private var end: Position?
  private var revision: LogRevision?
  /// How many events are read at once: events may be large, so that it depends on how large those before them were.
  private var limit: Int
  private var isDone = false
  /// The number of bytes after which fewer events are read at once.
  private static var manyBytes: Int { 4_194_304 }

  /// - Parameters:
  ///   - query: Which events.
  ///   - types: The types that are wanted of all events; a batch may have others too. Nil for all.
  ///   - after: The position after which to begin.
  ///   - through: The last position; nil for the head.
  ///   - batchSize: How many events are read at once at most.
  init(
    _ query: EventQuery, of types: EventTypeChoice? = nil, after: Position, through: Position?, batchSize: Int
  ) {
    (self.query, self.types, self.batchSize, last, end) = (query, types, batchSize, after, through)
    limit = min(batchSize, 32)
  }

  /// The next events; nil at the end.
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
    // A batch of all events may be short because they are large.
    isDone = !isAll && batch.count < limit
    guard let final = batch.last else { return nil }
    last = final
    guard let values = batch.values else {
      // Batches of bytes end early by themselves.
      limit = batchSize
      return batch
    }
    let bytes = values.reduce(0) { $0 + ($1.payload?.utf8.count ?? 0) }
    limit = bytes > Self.manyBytes ? max(1, limit / 4) : min(batchSize, limit < 1 << 40 ? limit * 4 : limit)
    return batch
  }
}

public import Foundation

extension EventLog {
  /// Returns the log's events of a type, with the positions, times and other data that the log recorded for them.
  ///
  ///     let cards = try store.events(of: CardEvent.self)
  ///     let last = try store.events(of: CardEvent.self, .case(CardEvent.renamed), order: .reverse, limit: 10)
  ///
  /// All events are read from one snapshot of the log. Events of other types are ignored. In the query, use the current
  /// names of event types. The query then also finds events that are stored under former names, and events that an
  /// ``Upcaster`` converts to a requested type. If an upcaster splits a stored event into several events, the result
  /// contains all of them in order, with the stored event's position.
  ///
  /// - Parameters:
  ///   - events: The event type.
  ///   - query: The query that selects the events. By default, it selects all events.
  ///   - after: The position after which to start, or 0 to include the log's first event.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - order: The direction in which to read. By default, the oldest event is the first event. With `.reverse`, the
  ///     result has exactly the reverse order.
  ///   - limit: The maximum number of stored events of the type to read, at least 1, or `nil` for all events. If an
  ///     ``Upcaster`` splits a stored event, the event counts once, and the result contains all of its parts. So if
  ///     you later pass the position of the last returned event as `after`, you don't miss an event.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  /// - Returns: The matching events, in the requested direction.
  /// - Throws: ``EventStoreError``, or ``EventCodingError`` if an event can't be decoded.
  /// - Complexity: O(log n + m) for m events read in a log of n events, if the query contains streams, cases or tags.
  ///   The complexity is the same for other queries if you read forwards and the store has an index by type. Otherwise,
  ///   it is linear in the number of events between `after` and `through`.
  public func events<E: Event>(
    of events: E.Type, _ query: EventQuery = .all, after: Position = 0, through: Position? = nil,
    order: SortOrder = .forward, limit: Int? = nil, unknownEvents: UnknownEventPolicy = .stop,
    newerEvents: NewerEventPolicy = .stop
  ) throws -> [Recorded<E>] {
    precondition(limit ?? 1 > 0, "`limit` must be at least 1 (was \(limit ?? 1))")
    try (self as? any EventStore)?.runtime.names.use(E.self)
    var reader = try RecordedReader<E>(query, ReadingPolicy(unknown: unknownEvents, newer: newerEvents))
    return try moment { log in
      var (found, rest) = ([Recorded<E>](), limit ?? .max)
      func add(_ events: [Recorded<E>]) -> Bool {
        found += events
        if !events.isEmpty { rest -= 1 }
        return rest > 0
      }
      switch order {
      case .forward:
        var steps = EventSteps(reader.query, of: reader.types, after: after, through: through, batchSize: 512)
        while let batch = try steps.next(in: log) {
          for index in 0..<batch.count where try !add(reader.read(batch, index)) { return found }
        }
      case .reverse:
        var steps = BackwardSteps(reader.query, after: after, through: through)
        while let page = try steps.next(in: log) {
          for event in page where try !add(reader.read(event).reversed()) { return found }
        }
      }
      return found
    }
  }

  /// Calls a closure for every event of a type.
  ///
  /// The method reads the events in batches, so that they don't all need to fit into memory.
  ///
  /// On a store, every batch is a separate read, so a slow closure doesn't block other callers. If the log is compacted
  /// or data is erased from the log between two batches, the call throws ``EventStoreError`` (`.rewritten`). Inside
  /// ``EventStore/read(_:)``, this error can't occur.
  ///
  /// - Parameters:
  ///   - events: The event type.
  ///   - query: The query that selects the events. By default, it selects all events.
  ///   - after: The position after which to start, or 0 to include the log's first event.
  ///   - through: The last position to read, or `nil` for the log's end at the time of the call.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  ///   - body: The closure to call with every event.
  /// - Throws: ``EventStoreError``, ``EventCodingError`` if an event can't be decoded, or the error of `body`.
  public func forEachEvent<E: Event>(
    of events: E.Type, _ query: EventQuery = .all, after: Position = 0, through: Position? = nil,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    _ body: (Recorded<E>) throws -> Void
  ) throws {
    try (self as? any EventStore)?.runtime.names.use(E.self)
    var reader = try RecordedReader<E>(query, ReadingPolicy(unknown: unknownEvents, newer: newerEvents))
    var steps = EventSteps(reader.query, of: reader.types, after: after, through: through, batchSize: 512)
    while let batch = try moment({ try steps.next(in: $0) }) {
      for index in 0..<batch.count { try reader.read(batch, index).forEach(body) }
    }
  }
}

extension EventStore {
  /// Returns the log's events of a type, which the store reads and decodes on its own threads.
  ///
  /// Your actor stays free while the store reads. In all other respects, the call works like the synchronous overload,
  /// which is a method of every ``EventLog``.
  ///
  /// - Parameters:
  ///   - events: The event type.
  ///   - query: The query that selects the events. By default, it selects all events.
  ///   - after: The position after which to start, or 0 to include the log's first event.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - order: The direction in which to read. By default, the oldest event is the first event.
  ///   - limit: The maximum number of stored events of the type to read, at least 1, or `nil` for all events.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: The matching events, in the requested direction.
  /// - Throws: ``EventStoreError``, ``EventCodingError`` if an event can't be decoded, or `CancellationError` if the
  ///   task is cancelled before the store begins to read.
  /// - Complexity: The same as the synchronous overload.
  public func events<E: Event>(
    of events: E.Type, _ query: EventQuery = .all, after: Position = 0, through: Position? = nil,
    order: SortOrder = .forward, limit: Int? = nil, unknownEvents: UnknownEventPolicy = .stop,
    newerEvents: NewerEventPolicy = .stop, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Recorded<E>] {
    try await runtime.lanes.run { _ in
      try self.events(
        of: events, query, after: after, through: through, order: order, limit: limit, unknownEvents: unknownEvents,
        newerEvents: newerEvents)
    }
  }
}

/// A reader that reads the events of a query in batches, newest first.
private struct BackwardSteps {
  private let query: EventQuery
  private let after: Position
  private var through: Position?
  private var isDone = false
  /// The batch size.
  ///
  /// It increases after every batch, because a log might have to read all earlier events for every batch.
  private var limit = 32

  init(_ query: EventQuery, after: Position, through: Position?) {
    self.query = query
    self.after = after
    self.through = through
  }

  /// Returns the next events, newest first, or `nil` at the end.
  mutating func next(in log: any EventLog) throws -> [StoredEvent]? {
    if isDone || through.map({ $0 <= after }) ?? false { return nil }
    let events = try log.eventsBackwards(query, after: after, through: through, limit: limit)
    isDone = events.count < limit
    guard let last = events.last else { return nil }
    through = Position(last.position.rawValue - 1)
    limit = min(limit * 4, 8_192)
    return events
  }
}

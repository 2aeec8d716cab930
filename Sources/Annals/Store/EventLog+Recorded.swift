/// The direction in which events are read.
public enum EventOrder: Hashable, Sendable {
  /// The order of the events' positions, oldest first.
  case forwards
  /// The reverse order, newest first.
  case backwards
}

extension EventLog {
  /// Returns the events of a type with their metadata in the log.
  ///
  ///     let cards = try store.events(of: CardEvent.self)
  ///     let last = try store.events(of: CardEvent.self, .case(CardEvent.renamed), order: .backwards, limit: 10)
  ///
  /// All events belong to one snapshot. Events of other types are ignored. The query uses the current names of types.
  /// It also finds events that are stored under former names, and events that upcasters convert to a requested type.
  /// If an upcaster splits an event into several, the result contains all of them in order, with the stored event's
  /// position.
  ///
  /// - Parameters:
  ///   - events: The type of the events.
  ///   - query: The query that selects the events. By default, it selects all events.
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - order: The direction. With `.backwards`, the result is in exactly the reverse order.
  ///   - limit: The maximum number of stored events of the type to read, at least 1, or `nil` for all events. A split
  ///     event is returned completely, so you can continue after the last returned position.
  ///   - unknownEvents: The policy for events whose type name starts with this type's prefix but matches none of its
  ///     cases.
  ///   - newerEvents: The policy for events whose schema is newer than the type's.
  /// - Returns: The matching events.
  /// - Throws: ``EventStoreError``, or ``EventCodingError`` with the unreadable event.
  /// - Complexity: O(log n + m) for m events read in a log of n events, if the query contains streams, cases or tags.
  ///   This also holds if you read forwards and the store has an index by type. In any other case, the complexity is
  ///   linear in the number of events between the positions.
  public func events<E: Event>(
    of events: E.Type, _ query: EventQuery = .all, after: Position = 0, through: Position? = nil,
    order: EventOrder = .forwards, limit: Int? = nil, unknownEvents: UnknownEventPolicy = .stop,
    newerEvents: NewerEventPolicy = .stop
  ) throws -> [Recorded<E>] {
    precondition(limit ?? 1 > 0, "`limit` must be at least 1 (was \(limit ?? 1))")
    try (self as? any EventStore)?.signal.names.use(E.self)
    var reader = try RecordedReader<E>(query, ReadingPolicy(unknown: unknownEvents, newer: newerEvents))
    return try moment { log in
      var (found, rest) = ([Recorded<E>](), limit ?? .max)
      func add(_ events: [Recorded<E>]) -> Bool {
        found += events
        if !events.isEmpty { rest -= 1 }
        return rest > 0
      }
      switch order {
      case .forwards:
        var steps = EventSteps(reader.query, of: reader.types, after: after, through: through, batchSize: 512)
        while let batch = try steps.next(in: log) {
          for index in 0..<batch.count where try !add(reader.read(batch, index)) { return found }
        }
      case .backwards:
        var steps = BackwardSteps(reader.query, after: after, through: through)
        while let page = try steps.next(in: log) {
          for event in page where try !add(reader.read(event).reversed()) { return found }
        }
      }
      return found
    }
  }

  /// Calls a closure for every event of a type, and reads the events in batches, so that they don't need to fit into
  /// memory.
  ///
  /// On a store, every batch is a separate read, so a slow closure doesn't block other callers. If the log is
  /// compacted, or data are erased from it, between two batches, the call throws ``EventStoreError`` (`.rewritten`).
  /// Inside ``EventStore/read(_:)``, no such error can occur.
  ///
  /// - Parameters:
  ///   - events: The type of the events.
  ///   - query: The query that selects the events. By default, it selects all events.
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - through: The last position to read, or `nil` for the log's end at the time of the call.
  ///   - unknownEvents: The policy for events whose type name starts with this type's prefix but matches none of its
  ///     cases.
  ///   - newerEvents: The policy for events whose schema is newer than the type's.
  ///   - body: The closure to call with every event.
  /// - Throws: ``EventStoreError``, ``EventCodingError`` with the unreadable event, or the error of `body`.
  public func forEachEvent<E: Event>(
    of events: E.Type, _ query: EventQuery = .all, after: Position = 0, through: Position? = nil,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    _ body: (Recorded<E>) throws -> Void
  ) throws {
    try (self as? any EventStore)?.signal.names.use(E.self)
    var reader = try RecordedReader<E>(query, ReadingPolicy(unknown: unknownEvents, newer: newerEvents))
    var steps = EventSteps(reader.query, of: reader.types, after: after, through: through, batchSize: 512)
    while let batch = try moment({ try steps.next(in: $0) }) {
      for index in 0..<batch.count { try reader.read(batch, index).forEach(body) }
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
  /// It increases, because a log might have to read all earlier events to find a batch.
  private var limit = 32

  init(_ query: EventQuery, after: Position, through: Position?) {
    (self.query, self.after, self.through) = (query, after, through)
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

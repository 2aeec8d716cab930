/// The direction in which events are read.
public enum EventOrder: Hashable, Sendable {
  /// As they were appended, the oldest first.
  case forwards
  /// The newest first.
  case backwards
}

extension EventLog {
  /// The events of a type, with what the log says of each.
  ///
  ///     let cards = try store.events(of: CardEvent.self)
  ///     let last = try store.events(of: CardEvent.self, .case(CardEvent.renamed), order: .backwards, limit: 10)
  ///
  /// All are of one moment. Events of other types pass by. The query names types as they are called today: events that
  /// are stored under former names are found too, and so are those that upcasters turn into what is asked for. If an
  /// upcaster splits an event into several, you get them one after the other, each with the stored event's position.
  ///
  /// - Parameters:
  ///   - events: The type of events.
  ///   - query: Which of them; all by default.
  ///   - after: The position after which to start; 0 for the first event.
  ///   - through: The last position to read; nil for the log's end.
  ///   - order: The direction. Backwards you get exactly the reverse.
  ///   - limit: The largest number of stored events of the type to read, 1 or more; nil for all. What one of them was
  ///     split into comes whole, so that you can go on after the last position.
  ///   - unknownEvents: What happens at an event with the type's prefix and none of its cases.
  ///   - newerEvents: What happens at an event whose schema is newer than the type's.
  /// - Returns: The events.
  /// - Throws: ``EventStoreError``; ``EventCodingError``, which names the event that cannot be read.
  /// - Complexity: O(log n + m) for the m events read, where a query names streams, cases or tags, or the store finds
  ///   events by their type; O(n) for the n events between the positions else, as backwards.
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

  /// Reads the events of a type one after the other, some at a time, for logs that are too long for an array.
  ///
  /// On a store, each of the reads is of its own moment, so that a slow reader holds up no one. They are still of one
  /// history: if the log is compacted, or something is erased from it, between two of them, the error `rewritten` is
  /// thrown. Inside ``EventStore/read(_:)`` that cannot happen.
  ///
  /// - Parameters:
  ///   - events: The type of events.
  ///   - query: Which of them; all by default.
  ///   - after: The position after which to start; 0 for the first event.
  ///   - through: The last position to read; nil for the log's end as it is at the call.
  ///   - unknownEvents: What happens at an event with the type's prefix and none of its cases.
  ///   - newerEvents: What happens at an event whose schema is newer than the type's.
  ///   - body: Called with each event.
  /// - Throws: ``EventStoreError``; ``EventCodingError``, which names the event that cannot be read; what the body
  ///   throws.
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

/// Goes through the events of a query from the newest on, some at a time.
private struct BackwardSteps {
  private let query: EventQuery
  private let after: Position
  private var through: Position?
  private var isDone = false
  /// How many events are read at once: more and more, because a log may have to find them by reading all before them.
  private var limit = 32

  init(_ query: EventQuery, after: Position, through: Position?) {
    (self.query, self.after, self.through) = (query, after, through)
  }

  /// The next events, the newest first; nil at the end.
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

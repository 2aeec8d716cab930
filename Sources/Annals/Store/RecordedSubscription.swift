/// The events of a type from a position on: those that are there, then those that come, without gap and without repeat.
///
///     for try await batch in try store.subscription(of: OrderEvent.self, after: checkpoint) {
///       for recorded in batch.events { show(recorded.event, at: recorded.time) }
///       checkpoint = batch.position
///     }
///
/// It is an ``EventSubscription`` whose events are read as a type. Commits by other processes are seen too. The
/// sequence ends when its task is cancelled, and at an event that cannot be read, with an error that names it; what
/// comes before that event is given first.
public struct RecordedSubscription<Event: Annals.Event>: AsyncSequence, Sendable {
  /// Some events of the type, in the order of their positions.
  public struct Batch: Sendable {
    /// The events, at least one; what an upcaster split an event into is together.
    public let events: [Recorded<Event>]
    /// The position up to which everything has been seen: where to go on after a restart.
    public let position: Position
    /// False while the log is ahead of the batch, so that code with side effects can tell a replay from what is new.
    ///
    /// A batch that ends at the log's end, as it was when the batch was read, is live.
    public let isLive: Bool
  }

  /// Waits for the next batch.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: EventSubscription.Iterator
    private let query: EventQuery
    private let policy: ReadingPolicy
    /// Nil before the first batch.
    private var reader: RecordedReader<Event>?
    /// What ends the sequence after the batch that was given last.
    private var failure: (any Error)?
    private var isDone = false

    fileprivate init(_ subscription: RecordedSubscription) {
      base = subscription.base.makeAsyncIterator()
      (query, policy) = (subscription.query, subscription.policy)
    }

    /// The next batch, waiting for it where there is none yet.
    ///
    /// - Returns: The batch; nil once the task is cancelled, or after an error.
    /// - Throws: ``EventStoreError``; ``EventCodingError``, which names the event that cannot be read.
    public mutating func next() async throws -> Batch? {
      try await next(isolation: nil)
    }

    /// The next batch, read in the caller's isolation.
    ///
    /// - Parameter actor: The isolation.
    /// - Returns: The batch; nil once the task is cancelled, or after an error.
    /// - Throws: ``EventStoreError``; ``EventCodingError``, which names the event that cannot be read.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Batch? {
      if isDone { return nil }
      do {
        if let failure { throw failure }
        while let batch = try await base.next(isolation: actor) {
          if let own = try read(batch) { return own }
        }
        return nil
      } catch {
        isDone = true
        throw error
      }
    }

    /// The events of a batch as the type's; nil if none is.
    private mutating func read(_ batch: EventSubscription.Batch) throws -> Batch? {
      var reader = try self.reader ?? RecordedReader(query, policy)
      defer { self.reader = reader }
      var found: [Recorded<Event>] = []
      for stored in batch.events {
        do {
          found += try reader.read(stored)
        } catch {
          guard !found.isEmpty else { throw error }
          failure = error
          return Batch(events: found, position: Position(stored.position.rawValue - 1), isLive: false)
        }
      }
      return found.isEmpty ? nil : Batch(events: found, position: batch.position, isLive: batch.isLive)
    }
  }

  private let base: EventSubscription
  private let query: EventQuery
  private let policy: ReadingPolicy

  fileprivate init(_ base: EventSubscription, _ query: EventQuery, _ policy: ReadingPolicy) {
    (self.base, self.query, self.policy) = (base, query, policy)
  }

  /// Begins to read at the subscription's position.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension EventStore {
  /// The events of a type from a position on: those that are there, then those that come.
  ///
  /// Which events these are, and what becomes of those that are stored under former names or in older schemas, is as in
  /// ``EventLog/events(of:_:after:through:order:limit:unknownEvents:newerEvents:)``. If the log is compacted, the
  /// sequence ends as ``subscription(to:after:batchSize:)`` does.
  ///
  /// - Parameters:
  ///   - events: The type of events.
  ///   - query: Which of them; all by default.
  ///   - position: The position after which to begin; 0 for the first event.
  ///   - batchSize: The largest number of stored events that are read at once, 1 or more.
  ///   - unknownEvents: What happens at an event with the type's prefix and none of its cases.
  ///   - newerEvents: What happens at an event whose schema is newer than the type's.
  /// - Returns: The batches, without end.
  /// - Throws: ``EventCodingError`` if the type cannot be stored as an event.
  public func subscription<E: Event>(
    of events: E.Type, to query: EventQuery = .all, after position: Position, batchSize: Int = 512,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop
  ) throws -> RecordedSubscription<E> {
    let policy = ReadingPolicy(unknown: unknownEvents, newer: newerEvents)
    try signal.names.use(E.self)
    let reader = try RecordedReader<E>(query, policy)
    return RecordedSubscription(
      subscription(to: reader.query, of: reader.types, after: position, batchSize: batchSize), query, policy)
  }
}

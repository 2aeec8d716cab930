/// A sequence of the events of one Swift type after a given position, including future events, without gaps or
/// repetitions.
///
///     for try await batch in try store.subscription(of: OrderEvent.self, after: checkpoint) {
///       for recorded in batch.events { show(recorded.event, at: recorded.time) }
///       checkpoint = batch.position
///     }
///
/// The sequence corresponds to an ``EventSubscription``, but its events are decoded. It includes events that other
/// processes append. The sequence ends when its task is cancelled. It also ends at an unreadable event, with an error
/// that names the event. The events before the unreadable event are delivered first.
public struct RecordedSubscription<Event: AnnalsLog.Event>: AsyncSequence, Sendable {
  /// A batch of decoded events, in the order of their positions.
  public struct Batch: Sendable {
    /// The events, at least one.
    ///
    /// If an ``Upcaster`` splits a stored event into several events, all of these are in the same batch.
    public let events: [Recorded<Event>]
    /// The position through which all events have been read.
    ///
    /// To resume after a restart, create a subscription after this position.
    public let position: Position
    /// True if the batch's position was the log's last position when the batch was read.
    ///
    /// Code with side effects can use this property to distinguish new events from a replay of older events.
    public let isLive: Bool
  }

  /// An iterator that waits for the next batch.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: EventSubscription.AsyncIterator
    private let query: EventQuery
    private let policy: ReadingPolicy
    /// The reader of the events, or `nil` before the first batch.
    private var reader: RecordedReader<Event>?
    /// The error that ends the sequence after the last batch.
    private var failure: (any Error)?
    private var isDone = false

    fileprivate init(_ subscription: RecordedSubscription) {
      base = subscription.base.makeAsyncIterator()
      query = subscription.query
      policy = subscription.policy
    }

    /// Waits for the next batch if necessary, and returns it.
    ///
    /// - Returns: The batch, or `nil` if the task was cancelled or an earlier call threw an error.
    /// - Throws: ``EventStoreError``, or an ``EventCodingError`` that names the unreadable event.
    public mutating func next() async throws -> Batch? {
      try await next(isolation: nil)
    }

    /// Waits for the next batch if necessary, reads the batch in the caller's isolation, and returns it.
    ///
    /// - Parameter actor: The caller's isolation.
    /// - Returns: The batch, or `nil` if the task was cancelled or an earlier call threw an error.
    /// - Throws: ``EventStoreError``, or an ``EventCodingError`` that names the unreadable event.
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

    /// Decodes the events of the type in a batch, or returns `nil` if the batch has none.
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
    self.base = base
    self.query = query
    self.policy = policy
  }

  /// Creates an iterator that starts at the subscription's position.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension EventStore {
  /// Returns a sequence of the events of a type after a position, including future events.
  ///
  /// The events are selected and decoded as in
  /// ``EventLog/events(of:_:after:through:order:limit:unknownEvents:newerEvents:)``, including events with former names
  /// or older schemas. After a compaction, the sequence can end with an error, as ``subscription(to:after:batchSize:)``
  /// describes.
  ///
  /// - Parameters:
  ///   - events: The type of the events.
  ///   - query: The query that selects the events. By default, it selects all events of the type.
  ///   - position: The position after which to start, or 0 to include the log's first event.
  ///   - batchSize: The maximum number of stored events per read, at least 1.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  /// - Returns: A sequence of batches. At the log's end, the sequence waits for new events.
  /// - Throws: ``EventCodingError`` if the type can't be stored as an event.
  public func subscription<E: Event>(
    of events: E.Type, to query: EventQuery = .all, after position: Position, batchSize: Int = 512,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop
  ) throws -> RecordedSubscription<E> {
    let policy = ReadingPolicy(unknown: unknownEvents, newer: newerEvents)
    try runtime.names.use(E.self)
    let reader = try RecordedReader<E>(query, policy)
    return RecordedSubscription(
      subscription(to: reader.query, of: reader.types, after: position, batchSize: batchSize), query, policy)
  }
}

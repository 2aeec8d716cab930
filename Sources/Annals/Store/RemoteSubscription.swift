/// The events of a remote log from a position on: those that are there, then those that come, without gap and repeat.
///
///     for try await batch in store.subscription(to: .types("BookSold"), after: checkpoint) {
///       for event in batch.events { … }
///       checkpoint = batch.position
///     }
///
/// The sequence ends when its task is cancelled; each iteration begins at the subscription's position.
public struct RemoteSubscription: AsyncSequence, Sendable {
  /// Waits for the next batch.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: any RemoteEventStore
    private let query: EventQuery
    private let batchSize: Int
    private var position: Position
    private var history = RemoteHistory()
    private let wake: RemoteWake
    private var wakes: AsyncStream<Void>.Iterator

    fileprivate init(_ subscription: RemoteSubscription) {
      (store, query, batchSize) = (subscription.store, subscription.query, subscription.batchSize)
      position = subscription.position
      wake = RemoteWake(store)
      wakes = wake.stream.makeAsyncIterator()
    }

    /// The next batch, waiting for it where there is none yet.
    ///
    /// - Returns: The batch; nil once the task is cancelled.
    /// - Throws: ``EventStoreError``: `replaced` if the log ends before what was seen or has fewer erasures than it
    ///   had, `compacted` if it was compacted meanwhile beyond what was seen. An erasure does not end it: later
    ///   events come without the values.
    public mutating func next() async throws -> EventSubscription.Batch? {
      while !Task.isCancelled {
        if let batch = try await read() { return batch }
        guard await wakes.next(isolation: nil) != nil else { return nil }
      }
      return nil
    }

    private mutating func read() async throws -> EventSubscription.Batch? {
      let question = LogQuestion.events(query, after: position, through: nil, limit: batchSize)
      let reading = try await store.ask([question])
      guard case .events(let events)? = reading.answers.first else { return nil }
      try history.take(reading, at: position)
      position = events.count == batchSize ? events[batchSize - 1].position : reading.head
      return events.isEmpty ? nil : .init(events: events, position: position, isLive: position == reading.head)
    }
  }

  fileprivate let store: any RemoteEventStore
  fileprivate let query: EventQuery
  fileprivate let position: Position
  fileprivate let batchSize: Int

  /// Begins to read at the subscription's position.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// Hears of commits on this side and of the store's news, for as long as it is held.
final class RemoteWake: Sendable {
  /// Answers after a commit; several that no one waited for are one.
  let stream: AsyncStream<Void>
  private let token: CommitSignal.Token
  private let task: Task<Void, Never>

  init(_ store: any RemoteEventStore) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.stream = stream
    token = store.commands.signal.watchCommits { continuation.yield() }
    let news = store.news()
    task = Task { for await _ in news { continuation.yield() } }
  }

  deinit { task.cancel() }
}

extension RemoteEventStore {
  /// The events from a position on: those that are there, then those that come.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - position: The position after which to begin; 0 for the first event.
  ///   - batchSize: The largest number of events of a batch, 1 or more.
  /// - Returns: The batches, without end.
  public func subscription(
    to query: EventQuery = .all, after position: Position, batchSize: Int = 512
  ) -> RemoteSubscription {
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    return RemoteSubscription(store: self, query: query, position: position, batchSize: batchSize)
  }

  /// Waits until the log has reached a position, by appends of any process.
  ///
  /// - Parameter position: The position.
  /// - Throws: `CancellationError` if the task is cancelled; ``EventStoreError``.
  public func wait(for position: Position) async throws {
    let wake = RemoteWake(self)
    var wakes = wake.stream.makeAsyncIterator()
    while try await head() < position {
      guard await wakes.next(isolation: nil) != nil else { throw CancellationError() }
    }
  }
}

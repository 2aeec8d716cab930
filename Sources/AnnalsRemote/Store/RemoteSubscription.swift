public import AnnalsLog

/// A sequence of a remote log's events after a given position, including future events, without gaps or repetitions.
///
///     for try await batch in store.subscription(to: .types("BookSold"), after: checkpoint) {
///       for event in batch.events { … }
///       checkpoint = batch.position
///     }
///
/// The sequence ends when its task is cancelled. Every loop over the sequence starts at the position with which the
/// subscription was created.
public struct RemoteSubscription: AsyncSequence, Sendable {
  /// An iterator that waits for the next batch.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: any RemoteEventStore
    private let query: EventQuery
    private let batchSize: Int
    private var position: Position
    private var history = RemoteHistory()
    private let wake: RemoteWake
    private var wakes: AsyncStream<Void>.Iterator

    fileprivate init(_ subscription: RemoteSubscription) {
      store = subscription.store
      query = subscription.query
      batchSize = subscription.batchSize
      position = subscription.position
      wake = RemoteWake(store)
      wakes = wake.stream.makeAsyncIterator()
    }

    /// Waits for the next batch if necessary, and returns it.
    ///
    /// An erasure doesn't end the sequence. Batches that are read after the erasure don't contain the erased values.
    ///
    /// - Returns: The batch, or `nil` after the task is cancelled.
    /// - Throws: `EventStoreError`. The code is `.replaced` if another log or an older backup has replaced the server's
    ///   log. The iterator detects this if the log ends before the iterator's position, or has fewer erasures or
    ///   compactions than at the previous read. The iterator also detects it if the log has the same number of erasures
    ///   and compactions, but the last of them is a different one. The code is `.compacted` if the log was compacted
    ///   since the previous read, and the iterator's position is greater than 0 and less than the compaction's horizon.
    public mutating func next() async throws -> EventSubscription.Batch? {
      while !Task.isCancelled {
        if let batch = try await read() { return batch }
        guard await wakes.next(isolation: nil) != nil else { return nil }
      }
      return nil
    }

    private mutating func read() async throws -> EventSubscription.Batch? {
      let question = LogQuery.events(query, after: position, through: nil, limit: batchSize)
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

  /// Creates an iterator that starts at the position with which the subscription was created.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// An object that reports local commits and the store's ``RemoteEventStore/news()``, until it is released.
package final class RemoteWake: Sendable {
  /// A stream that yields after a commit.
  ///
  /// Several commits before the next wait cause only one element.
  package let stream: AsyncStream<Void>
  private let token: StoreRuntime.Token
  private let task: Task<Void, Never>

  package init(_ store: any RemoteEventStore) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.stream = stream
    token = store.commands.runtime.watchCommits { continuation.yield() }
    let news = store.news()
    task = Task { for await _ in news { continuation.yield() } }
  }

  deinit { task.cancel() }
}

extension RemoteEventStore {
  /// Returns a sequence of the log's events after a position, including future events.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - position: The position after which to start, or 0 for the first event.
  ///   - batchSize: The maximum number of events per batch, at least 1.
  /// - Returns: A sequence of batches. At the log's end, the sequence waits for new events.
  public func subscription(
    to query: EventQuery = .all, after position: Position, batchSize: Int = 512
  ) -> RemoteSubscription {
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    return RemoteSubscription(store: self, query: query, position: position, batchSize: batchSize)
  }

  /// Waits until the log's last position is at least a given position, no matter which process appends the events.
  ///
  /// - Parameter position: The position to wait for.
  /// - Throws: `CancellationError` if the task is cancelled, or `EventStoreError`.
  public func wait(for position: Position) async throws {
    let wake = RemoteWake(self)
    var wakes = wake.stream.makeAsyncIterator()
    while try await head() < position {
      guard await wakes.next(isolation: nil) != nil else { throw CancellationError() }
    }
  }
}

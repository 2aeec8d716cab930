/// The events of a log from a position on: those that are there, then those that come, without gap and without repeat.
///
///     for try await page in store.subscription(to: .types("BookSold"), after: checkpoint) {
///       for event in page.events { … }
///       checkpoint = page.position
///     }
///
/// Commits by other processes are seen too. The sequence ends when its task is cancelled; each iteration begins at the
/// subscription's position.
public struct EventSubscription: AsyncSequence, Sendable {
  /// Some events, in the order of their positions.
  public struct Page: Sendable {
    /// The events that the subscription's query matches; never none.
    public let events: [StoredEvent]
    /// The position up to which everything has been seen: where to go on after a restart.
    public let position: Position
    /// False while the log is ahead of the page, so that code with side effects can tell a replay from what is new.
    ///
    /// A page that ends at the log's end, as it was when the page was read, is live.
    public let isLive: Bool
  }

  /// Waits for the next page.
  public struct Iterator: AsyncIteratorProtocol {
    private var cursor: EventCursor
    private let wake: CommitWake
    private var wakes: AsyncStream<Void>.Iterator

    fileprivate init(_ cursor: EventCursor) {
      self.cursor = cursor
      wake = CommitWake(cursor.store)
      wakes = wake.stream.makeAsyncIterator()
    }

    /// The next page, waiting for it where there is none yet.
    ///
    /// - Returns: The page; nil once the task is cancelled.
    /// - Throws: ``EventStoreError``.
    public mutating func next() async throws -> Page? {
      try await next(isolation: nil)
    }

    /// The next page, read in the caller's isolation.
    ///
    /// - Parameter actor: The isolation.
    /// - Returns: The page; nil once the task is cancelled.
    /// - Throws: ``EventStoreError``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Page? {
      while !Task.isCancelled {
        if let page = try cursor.next() { return page }
        guard await wakes.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }
  }

  fileprivate let start: EventCursor

  /// Begins to read at the subscription's position.
  public func makeAsyncIterator() -> Iterator { Iterator(start) }
}

/// Goes through a log, a page at a time, to an end that moves.
package struct EventCursor: Sendable {
  let store: any EventStore
  private let query: EventQuery
  private let pageSize: Int
  /// Up to where everything has been seen.
  package private(set) var position: Position
  /// The compaction up to whose horizon the cursor may read on; nil before it has read.
  private var known: CompactedHistory?
  /// True if somebody else sees to it that nothing is compacted that was not seen.
  private let isGuarded: Bool

  package init(
    _ store: any EventStore, _ query: EventQuery, after position: Position, pageSize: Int, isGuarded: Bool = false
  ) {
    precondition(pageSize > 0, "a page has room for at least one event, a size of \(pageSize) does not")
    (self.store, self.query, self.position, self.pageSize) = (store, query, position, pageSize)
    self.isGuarded = isGuarded
  }

  /// The next page; nil if there is nothing new.
  package mutating func next() throws -> EventSubscription.Page? {
    while true {
      // The head is asked first: what is committed after it is the next page's.
      let head = try store.head()
      if head < position {
        throw EventStoreError(
          .replaced,
          "expected a log that goes on after position \(position), found one that ends at \(head): another log stands in "
            + "its place; open it anew and begin at a position that it has")
      }
      if head == position { return nil }
      let before = try store.compacted()
      let events = try store.events(query, after: position, through: head, limit: pageSize)
      let after = try store.compacted()
      if before != after { continue }
      guard isGuarded || after.shows(position) || after == known else {
        throw EventStoreError.compacted(
          through: after.horizon,
          "expected the events after position \(position), found that the history up to \(after.horizon) was compacted, and "
            + "what is left of it may repeat what was seen; begin again at 0, or at a position from \(after.horizon) on"
        )
      }
      known = after
      position = events.count == pageSize ? events.last?.position ?? head : head
      if !events.isEmpty { return .init(events: events, position: position, isLive: position == head) }
    }
  }
}

/// Hears of commits, also of other processes', for as long as it is held.
package final class CommitWake: Sendable {
  /// Answers after a commit; several that nobody waited for are one.
  let stream: AsyncStream<Void>
  private let tokens: [CommitSignal.Token?]

  init(_ store: any EventStore) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.stream = stream
    tokens = [store.signal.watch { _ in continuation.yield() }, store.announceOthers()]
  }
}

extension EventStore {
  /// The events from a position on: those that are there, then those that come.
  ///
  /// If the log is compacted beyond the position that was reached, what is left may repeat what was seen: the sequence then ends with the
  /// error `compacted`. So it does if it is to begin after a position other than 0 that lies before the horizon.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - position: The position after which to begin; 0 for the first event.
  ///   - pageSize: The largest number of events of a page, 1 or more.
  /// - Returns: The pages, without end.
  public func subscription(
    to query: EventQuery = .all, after position: Position, pageSize: Int = 512
  ) -> EventSubscription {
    EventSubscription(start: EventCursor(self, query, after: position, pageSize: pageSize))
  }

  /// Waits until the log has reached a position, by whomever.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Throws: `CancellationError` if the task is cancelled; ``EventStoreError``.
  public func wait(for position: Position, isolation: isolated (any Actor)? = #isolation) async throws {
    let wake = CommitWake(self)
    var wakes = wake.stream.makeAsyncIterator()
    while try head() < position {
      guard await wakes.next(isolation: isolation) != nil else { throw CancellationError() }
    }
  }
}

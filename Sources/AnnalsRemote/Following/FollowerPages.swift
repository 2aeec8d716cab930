import AnnalsLog
import Synchronization

/// A reader of a remote log's pages.
///
/// If several partitions of a worker need the same page, it is read only once.
final class FollowerPages: Sendable {
  /// Some consecutive events, and the position through which the page is complete.
  struct Page: Sendable {
    let events: [StoredEvent]
    let position: Position
    let head: Position
  }

  private struct State {
    var pages: [(after: Position, task: Task<Page, any Error>)] = []
    var history = RemoteHistory()
  }

  private let store: any RemoteEventStore
  private let size: Int
  private let state = Mutex(State())

  init(_ store: any RemoteEventStore, size: Int) {
    self.store = store
    self.size = size
  }

  /// Returns the events after a position.
  ///
  /// If the log has no events after the position, the page's position is the given position.
  func page(after position: Position) async throws -> Page {
    let known = state.withLock { state in state.pages.first { $0.after == position }?.task }
    // A page that was read for another partition might be outdated, or the read might have failed. Then reread it.
    if let known, let page = try? await known.value, page.position > position { return page }
    let task = Task { try await read(after: position) }
    state.withLock { state in
      state.pages.removeAll { $0.after == position }
      state.pages.append((position, task))
      if state.pages.count > 4 { state.pages.removeFirst() }
    }
    return try await task.value
  }

  private func read(after position: Position) async throws -> Page {
    let question = LogQuery.events(.all, after: position, through: nil, limit: size)
    var reading = try await store.ask([question])
    // A read that overlaps with another partition's read can return an older revision. The next read can't, unless the
    // log's history went back.
    for _ in 0..<16 where state.withLock({ $0.history.isAhead(of: reading) }) {
      reading = try await store.ask([question])
    }
    try state.withLock { state in
      // Pages that were read before an erasure might still contain the erased values.
      if state.history.isOlder(than: reading) { state.pages = [] }
      try state.history.take(reading, at: position)
    }
    guard case .events(let events)? = reading.answers.first else {
      throw EventStoreError(
        .corrupt, "\(type(of: store)) returned a response that doesn't match the query. Correct the store's `ask(_:)`")
    }
    let end = events.count == size ? events[size - 1].position : reading.head
    return Page(events: events, position: end, head: reading.head)
  }
}

import Synchronization

/// Reads a remote log page by page, once for all partitions of a worker that stand at the same place.
final class FollowerPages: Sendable {
  /// Some events, and up to where there are no others.
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

  init(_ store: any RemoteEventStore, size: Int) { (self.store, self.size) = (store, size) }

  /// The events after a position; a page that ends where it begins says that there are no more.
  func page(after position: Position) async throws -> Page {
    let known = state.withLock { state in state.pages.first { $0.after == position }?.task }
    // What was read for another partition may be old, or have failed: then it is read again.
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
    let question = LogQuestion.events(.all, after: position, through: nil, limit: size)
    var reading = try await store.ask([question])
    // One that was under way when another partition's came may be older; the next one is not, unless the log went back.
    for _ in 0..<16 where state.withLock({ $0.history.isAhead(of: reading) }) {
      reading = try await store.ask([question])
    }
    try state.withLock { state in
      // What was read before an erasure may still have the values.
      if state.history.isOlder(than: reading) { state.pages = [] }
      try state.history.take(reading, at: position)
    }
    guard case .events(let events)? = reading.answers.first else {
      throw EventStoreError(
        .corrupt, "\(type(of: store)) answered another question than it was asked; correct its ask(_:)")
    }
    let end = events.count == size ? events[size - 1].position : reading.head
    return Page(events: events, position: end, head: reading.head)
  }
}

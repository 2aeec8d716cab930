import Annals
import LendingDomain
import Synchronization

/// The latest versions of the list, which any task can read, and the changes between them.
///
/// The changes of a version are encoded once for all readers. The log has no personal values, so the list changes only
/// with new events, and a position determines the list.
final class ListFeed: Sendable {
  struct Version: Sendable {
    let list: Results<Thing>
    let position: Position
    /// The message with the changes since the previous version.
    let message: String
  }

  /// The next message for a reader that knows the list at a position.
  enum Next {
    case message(String, Position)
    case heartbeat(Int)
    case nothing
    /// The service shuts down, or the reader was slower than the feed's memory is long. Clients reconnect.
    case end
  }

  private struct State {
    var versions: [Version] = []
    var failure: (any Error)?
    var heartbeats = 0
    var isClosed = false
    var wakers: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastWaker = 0

    func index(at position: Position) -> Int? { versions.lastIndex { $0.position == position } }
  }

  private let state = Mutex(State())
  private let capacity: Int

  /// Creates a feed that remembers at least so many versions of the list, which share their equal rows.
  init(capacity: Int = 1_000) { self.capacity = capacity }

  var latest: Version? { state.withLock { $0.versions.last } }
  /// The position up to which the list shows all events.
  var position: Position { state.withLock { $0.versions.last?.position ?? 0 } }
  /// The error that stopped the list, for example an event of a type that only a newer program knows.
  var failure: (any Error)? { state.withLock { $0.failure } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Returns the list at a position that the feed remembers.
  func list(at position: Position) -> Results<Thing>? {
    state.withLock { state in state.index(at: position).map { state.versions[$0].list } }
  }

  /// Returns the message for a reader that knows the list at a position.
  func next(after position: Position, heartbeats: Int) -> Next {
    state.withLock { state in
      guard !state.isClosed, let index = state.index(at: position) else { return .end }
      let news = state.versions[(index + 1)...]
      if let last = news.last { return .message(news.map(\.message).joined(), last.position) }
      return state.heartbeats > heartbeats ? .heartbeat(state.heartbeats) : .nothing
    }
  }

  func begin(with list: Results<Thing>) {
    change { $0.versions = [Version(list: list, position: list.position, message: "")] }
  }

  func add(_ changes: Changes<Thing>) {
    add(Version(list: changes.new, position: changes.to, message: ListChanges(changes, at: changes.to).message))
  }

  /// Notes that the list shows all events up to a position, although it didn't change, or that it can't be updated.
  func reach(_ position: Position, failure: (any Error)?) {
    state.withLock { $0.failure = failure }
    guard let latest, position > latest.position else { return }
    let message = ListChanges(Changes(from: latest.list, to: latest.list), at: position).message
    add(Version(list: latest.list, position: position, message: message))
  }

  private func add(_ version: Version) {
    change { state in
      state.versions.append(version)
      if state.versions.count >= 2 * capacity { state.versions.removeFirst(capacity) }
    }
  }

  /// Makes every reader send a comment, so that the server notices readers that have left.
  func beat() { change { $0.heartbeats += 1 } }

  /// Ends all streams of changes.
  func close() { change { $0.isClosed = true } }

  /// Returns a sequence that yields after every change, until its reader ends.
  func wakes() -> AsyncStream<Void> {
    let (stream, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastWaker += 1
      state.wakers[state.lastWaker] = waker
      return state.lastWaker
    }
    waker.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.wakers.removeValue(forKey: number) } }
    return stream
  }

  /// Waits until the list shows all events up to a position.
  ///
  /// - Returns: False if the time limit was reached, or the service shuts down.
  func wait(for position: Position, limit: Duration) async -> Bool {
    if self.position >= position { return true }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        var wakes = self.wakes().makeAsyncIterator()
        while self.position < position, !self.isClosed { if await wakes.next() == nil { break } }
        return self.position >= position
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let wakers = state.withLock { state in
      body(&state)
      return Array(state.wakers.values)
    }
    for waker in wakers { waker.yield() }
  }
}

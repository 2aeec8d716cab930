import Annals
import Dispatch
import Synchronization

/// Announces what other connections commit to a log, as long as there are listeners.
///
/// A ``LogWatch`` does the looking, from the first listener until the last.
final class OtherProcesses: OtherWriters {
  private struct State {
    var listeners = 0
    var watch: LogWatch?
    var isClosed = false
  }

  private let place: LogPlace
  private let pool: ConnectionPool
  private let signal: CommitSignal
  private let ownEnd: @Sendable () -> Position
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "Annals.OtherProcesses")
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  /// - Parameters:
  ///   - place: The log.
  ///   - pool: Gives a connection to look with.
  ///   - signal: The store's.
  ///   - ownEnd: Answers the last position that the store itself has committed.
  init(
    _ place: LogPlace, pool: ConnectionPool, signal: CommitSignal, ownEnd: @escaping @Sendable () -> Position
  ) {
    (self.place, self.pool, self.signal, self.ownEnd) = (place, pool, signal, ownEnd)
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  /// Begins to announce, for as long as a returned token is held.
  func announce() -> CommitSignal.Token {
    state.withLock { state in
      state.listeners += 1
      guard state.watch == nil, !state.isClosed else { return }
      let watch = LogWatch(place, pool, signal, on: queue, ownEnd: ownEnd)
      state.watch = watch
      watch.begin()
    }
    return CommitSignal.Token { [weak self] in self?.leave() }
  }

  private func leave() {
    let last = state.withLock { state in
      state.listeners -= 1
      guard state.listeners == 0 else { return nil as LogWatch? }
      defer { state.watch = nil }
      return state.watch
    }
    guard let last else { return }
    // A listener that is notified may be the last one, and let go of the store too, which then closes there.
    if isOnQueue {
      last.end()
    } else {
      queue.async { last.end() }
    }
  }

  /// Ends the announcements, and waits until none of them has the log open.
  func close() {
    let last = state.withLock { state in
      state.isClosed = true
      defer { state.watch = nil }
      return state.watch
    }
    // The last owner of the store may release it when it is notified of a commit: then the queue closes its own store.
    if isOnQueue {
      last?.end()
    } else {
      queue.sync { last?.end() }
    }
  }

  /// True on the queue of the watch.
  private var isOnQueue: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }
}

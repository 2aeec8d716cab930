import AnnalsLog
import Dispatch
import Synchronization

/// An observer that announces other connections' commits to a log, as long as it has listeners.
///
/// A ``LogWatch`` checks the log while there is at least one listener.
final class OtherProcesses: ExternalWriters {
  private struct State {
    enum Phase { case active, suspended, closed }

    var phase = Phase.active
    var listeners = 0
    /// The observer, which exists in the active phase while there are listeners.
    var watch: LogWatch?

    mutating func takeWatch() -> LogWatch? {
      defer { watch = nil }
      return watch
    }
  }

  private let place: LogLocation
  private let pool: ConnectionPool
  private let runtime: StoreRuntime
  private let ownEnd: (@Sendable () -> OwnEnd)?
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "Annals.OtherProcesses")
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - place: The log to observe.
  ///   - pool: The pool that provides a connection for the checks.
  ///   - runtime: The runtime of the store.
  ///   - ownEnd: A closure that returns the last position that the observer's own store has committed, or `nil` for a
  ///     store that only reads.
  init(
    _ place: LogLocation, pool: ConnectionPool, runtime: StoreRuntime, ownEnd: (@Sendable () -> OwnEnd)? = nil
  ) {
    self.place = place
    self.pool = pool
    self.runtime = runtime
    self.ownEnd = ownEnd
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  /// Adds a listener, for which commits are announced until the returned token is deallocated.
  func announce() -> StoreRuntime.Token {
    state.withLock { state in
      state.listeners += 1
      begin(&state)
    }
    return StoreRuntime.Token { [weak self] in self?.leave() }
  }

  private func begin(_ state: inout State) {
    guard state.phase == .active, state.listeners > 0, state.watch == nil else { return }
    let watch = LogWatch(place, pool, runtime, on: queue, ownEnd: ownEnd)
    state.watch = watch
    watch.begin()
  }

  private func leave() {
    let last = state.withLock { state in
      state.listeners -= 1
      return state.listeners == 0 ? state.takeWatch() : nil
    }
    guard let last, !last.endIfNew() else { return }
    // The last listener might leave while it is notified on this queue. It might also release the store, which then
    // closes on this queue.
    if isOnQueue {
      last.end()
    } else {
      queue.async { last.end() }
    }
  }

  /// Stops the announcements until ``resume()``, and waits until the observer no longer has the log open.
  func suspend() { end(.suspended) }

  func resume() {
    state.withLock { state in
      if state.phase == .suspended { state.phase = .active }
      begin(&state)
    }
  }

  /// Ends the announcements, and waits until the observer no longer has the log open.
  func close() { end(.closed) }

  private func end(_ phase: State.Phase) {
    let last = state.withLock { state in
      if state.phase != .closed { state.phase = phase }
      return state.takeWatch()
    }
    // The last owner of the store might release the store when the owner is notified of a commit. In that case, the
    // store is closed on the queue that notifies the owner.
    if isOnQueue {
      last?.end()
    } else {
      // A closure that returns an optional would use a generic method, whose types are made at its first use.
      queue.sync { if let last { last.end() } }
    }
  }

  /// True on the queue on which the log is checked.
  private var isOnQueue: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }
}

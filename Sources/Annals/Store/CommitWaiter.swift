import Dispatch

/// Waits on a thread of its own for commits, also of other processes.
package final class CommitWaiter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let tokens: [CommitSignal.Token?]

  package init(_ store: any EventStore) {
    let semaphore = semaphore
    tokens = [store.signal.watchCommits { semaphore.signal() }, store.otherWriters?.announce()]
  }

  /// Waits until something may have been committed since the last wait, or until the time is over.
  package func wait(_ limit: Duration) {
    let (seconds, attoseconds) = limit.components
    _ = semaphore.wait(timeout: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000)))
    // Several commits are one.
    while semaphore.wait(timeout: .now()) == .success {}
  }
}

extension EventStore {
  /// Waits on the caller's thread until the log has reached a position, by whomever.
  ///
  /// Not for a thread that others wait for, such as an app's main thread: there, await ``wait(for:isolation:)``.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - timeout: For how long to wait.
  /// - Returns: True if the log has reached the position, false if the time was over before.
  /// - Throws: ``EventStoreError``.
  public func wait(for position: Position, timeout: Duration) throws -> Bool {
    let waiter = CommitWaiter(self)
    let end = ContinuousClock.now + timeout
    while try head() < position {
      let rest = end - .now
      if rest <= .zero { return false }
      waiter.wait(rest)
    }
    return true
  }
}

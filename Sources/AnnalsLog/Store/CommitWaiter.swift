import Dispatch

/// An object on which a thread can wait for commits, including commits by other processes.
package final class CommitWaiter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let tokens: [StoreRuntime.Token?]

  package init(_ store: any EventStore) {
    let semaphore = semaphore
    tokens = [store.runtime.watchCommits { semaphore.signal() }, store.externalWriters?.announce()]
  }

  /// Blocks the thread until a commit might have occurred since the last wait, or until the time limit has passed.
  package func wait(_ limit: Duration) {
    let (seconds, attoseconds) = limit.components
    _ = semaphore.wait(timeout: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000)))
    // Several commits count as one.
    while semaphore.wait(timeout: .now()) == .success {}
  }
}

extension EventStore {
  /// Blocks the caller's thread until the log reaches a position.
  ///
  /// The method also notices events that another process appends.
  ///
  /// On a thread that must not block, such as an app's main thread, await ``wait(for:isolation:)`` instead.
  ///
  /// - Parameters:
  ///   - position: The position to wait for.
  ///   - timeout: The maximum time to wait.
  /// - Returns: True if the log reached the position, or false if the timeout ended first.
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

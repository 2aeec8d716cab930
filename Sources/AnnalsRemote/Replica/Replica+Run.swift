public import AnnalsLog

extension Replica {
  /// The current activity of a running replica.
  public enum Status: Sendable {
    /// The replica is copying existing events.
    case catchingUp(LogProgress)
    /// The copy contains all events of the remote log, up to the given position, and the replica is waiting for new
    /// events.
    case current(Position)
    /// An attempt to copy events failed with the given error, and the replica retries after the given delay.
    case waiting(Duration, after: any Error)
  }
}

extension Replica {
  /// Copies existing and new events until the task is cancelled.
  ///
  /// The remote store notifies the replica of new events through ``RemoteEventStore/news()``. If the server is
  /// unreachable, the replica retries after increasing delays of at most 30 seconds. If retrying can't fix an error,
  /// the call throws the error.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - report: A closure that is called with a new ``Status`` as the replica copies events, when the copy contains
  ///     all events, and when an attempt fails. It is called in the caller's isolation.
  /// - Throws: `EventStoreError` as in ``catchUp(isolation:progress:)``, if the replica can't continue. The call
  ///   doesn't throw an error when the task is cancelled.
  public func run(
    isolation: isolated (any Actor)? = #isolation, report: (Status) -> Void = { _ in }
  ) async throws {
    let retries = FollowerRetries.retrying(
      attempts: .max, firstDelay: .milliseconds(100), largestDelay: .seconds(30))
    let wake = RemoteWake(remote)
    var wakes = wake.stream.makeAsyncIterator()
    var failures = 0
    while !Task.isCancelled {
      do {
        let position = try await catchUp(isolation: isolation) { progress in
          failures = 0
          report(.catchingUp(progress))
        }
        failures = 0
        report(.current(position))
        if await wakes.next(isolation: nil) == nil { return }
      } catch {
        if Task.isCancelled { return }
        if let error = error as? EventStoreError, error.isLasting { throw error }
        failures += 1
        let delay = retries.delay(after: failures) ?? retries.largestDelay
        report(.waiting(delay, after: error))
        // If the task is cancelled, the sleep ends and so does the loop.
        try? await remote.environment.sleep(delay)
      }
    }
  }
}

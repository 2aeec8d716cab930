/// What a replica that runs does at the moment.
public enum ReplicaStatus: Sendable {
  /// It copies what is there.
  case catchingUp(LogProgress)
  /// It has everything that the remote log had, up to a position, and waits for more.
  case current(Position)
  /// It could not go on, and tries again after a time.
  case waiting(Duration, after: any Error)
}

extension Replica {
  /// Copies what is there and what comes, until the task is cancelled.
  ///
  /// It is woken by the remote store's news, and looks by itself now and then. If the server is away it tries again,
  /// after delays that grow to half a minute. What trying again cannot mend ends it.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - report: Called in the caller's isolation with what it does.
  /// - Throws: ``EventStoreError`` as ``catchUp(isolation:progress:)``, if it cannot go on at all. It returns when the
  ///   task is cancelled.
  public func run(
    isolation: isolated (any Actor)? = #isolation, report: (ReplicaStatus) -> Void = { _ in }
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
        // A task that is cancelled ends here, and leaves the loop.
        try? await remote.environment.sleep(delay)
      }
    }
  }
}

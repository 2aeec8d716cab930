public import AnnalsLog
import Synchronization

extension Replica {
  /// The state of a replica at one moment.
  public struct Status: Sendable {
    /// The activity of a replica.
    public enum Activity: Sendable {
      /// The replica hasn't copied events yet, and hasn't compared the copy with the remote log.
      case starting
      /// The replica is copying existing events.
      case catchingUp
      /// The copy contained all events of the remote log at the time of the last response (``Status/lastContact``).
      case current
      /// An attempt to copy events failed with the given error, and the replica retries after the given delay.
      case waiting(Duration, after: any Error)
      /// ``Replica/run(isolation:report:)`` has ended with the given error, which is a `CancellationError` if the task
      /// was cancelled. Or ``Replica/catchUp(isolation:progress:)`` failed with an error that a retry can't fix.
      case stopped(any Error)
    }

    /// The activity of the replica.
    public internal(set) var activity = Activity.starting
    /// The position of the copy, and the last position of the remote log in its last response.
    ///
    /// The property is `nil` until the replica has compared the copy with the remote log for the first time.
    public internal(set) var progress: LogProgress?
    /// The time of the remote log's last response to the replica, or `nil` before the first response.
    ///
    /// While `run` is executing and the server responds, the time is at most as old as the interval at which
    /// ``RemoteEventStore/news()`` yields. This is a second by default, and `pollInterval` in PostgreSQL.
    public internal(set) var lastContact: ContinuousClock.Instant?
  }

  /// The current state of the replica.
  ///
  /// Any task can read the property without waiting, for example a request that checks whether a service is ready. The
  /// state changes with every call that copies events, for example ``run(isolation:report:)`` and
  /// ``wait(for:isolation:)``.
  public var status: Status { current.withLock { $0 } }
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
  ///   - report: A closure that is called with the replica's ``status`` as the replica copies events, when the copy
  ///     contains all events, and when an attempt fails. It is called in the caller's isolation.
  /// - Throws: `EventStoreError` as in ``catchUp(isolation:progress:)``, if the replica can't continue. The call
  ///   doesn't throw an error when the task is cancelled.
  public func run(
    isolation: isolated (any Actor)? = #isolation, report: (Status) -> Void = { _ in }
  ) async throws {
    var end: any Error = CancellationError()
    defer { current.withLock { $0.activity = .stopped(end) } }
    let retries = FollowerRetries.retrying(
      attempts: .max, firstDelay: .milliseconds(100), largestDelay: .seconds(30))
    let wake = RemoteWake(remote)
    var wakes = wake.stream.makeAsyncIterator()
    var failures = 0
    while !Task.isCancelled {
      do {
        try await catchUp(isolation: isolation) { progress in
          failures = 0
          let status = status
          // The status of a current copy is reported after the lists have changed.
          if case .catchingUp = status.activity { report(status) }
        }
        failures = 0
        report(status)
        if await wakes.next(isolation: nil) == nil { return }
      } catch {
        if Task.isCancelled { return }
        if let error = error as? EventStoreError, error.isLasting {
          end = error
          throw error
        }
        failures += 1
        let delay = retries.delay(after: failures) ?? retries.largestDelay
        report(
          current.withLock { status in
            status.activity = .waiting(delay, after: error)
            return status
          })
        // If the task is cancelled, the sleep ends and so does the loop.
        try? await remote.environment.sleep(delay)
      }
    }
  }
}

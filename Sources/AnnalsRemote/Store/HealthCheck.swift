public import AnnalsLog
import Synchronization

/// The check of a remote store's server, which concurrent calls share.
///
/// A check can't be interrupted. So while the server doesn't respond, a service that is checked every second has only
/// one unfinished check.
package final class HealthCheck: Sendable {
  private let running = Mutex<Task<Position, any Error>?>(nil)

  /// Returns the result of the running check, or of a new check, within a time limit.
  ///
  /// - Parameters:
  ///   - limit: The time limit.
  ///   - sleep: The function that waits for the limit.
  ///   - late: The error to throw at the limit.
  ///   - body: The check.
  /// - Returns: The check's result.
  /// - Throws: The check's error, `late`, or `CancellationError`.
  package func result(
    within limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void, late: EventStoreError,
    _ body: @escaping @Sendable () async throws -> Position
  ) async throws -> Position {
    let check = running.withLock { running in
      if let running { return running }
      let check = Task {
        defer { self.running.withLock { $0 = nil } }
        return try await body()
      }
      running = check
      return check
    }
    let (results, first) = AsyncStream.makeStream(of: Result<Position, any Error>.self)
    Task { first.yield(await check.result) }
    let timer = Task {
      try await sleep(limit)
      first.yield(.failure(late))
    }
    defer { timer.cancel() }
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}

extension RemoteEventStore {
  /// Checks within a second that the log accepts appends.
  ///
  /// - Returns: The position of the last event.
  /// - Throws: The errors of ``health(within:)``.
  public func health() async throws -> Position { try await health(within: .seconds(1)) }

  /// Checks that the log accepts appends, by an append without events.
  ///
  /// If the append takes longer than the limit, the call throws `EventStoreError` (`.busy`).
  public func health(within limit: Duration) async throws -> Position {
    let late = EventStoreError(.busy, "\(Self.self) didn't respond within \(limit.spelled). Retry")
    return try await commands.health.result(within: limit, sleep: environment.sleep, late: late) { [self] in
      try await append(Append()).position
    }
  }
}

extension RemoteFollower {
  /// Handles the events that are there and those that come, as one of the follower's workers, until the task is
  /// cancelled.
  ///
  /// While the server is away it waits, and goes on when it is back. When it ends, its partitions are free for others
  /// at once.
  ///
  /// - Parameter isolation: The caller's isolation; leave it to its default.
  /// - Throws: ``ProjectionError`` at an event that cannot be handled and is not set aside; ``EventStoreError`` that
  ///   trying again does not help. It returns when the task is cancelled.
  public func run(isolation: isolated (any Actor)? = #isolation) async throws {
    precondition(
      FollowerTurn.inside(self) == nil,
      "the code of a follower must not run the follower, because the call would never return")
    try await work(until: nil)
  }

  /// Handles the events that are there, with other workers if there are some.
  ///
  /// It waits until all partitions have come to where the log ends now, also those that others have. Called by the
  /// follower's own code, it does nothing and answers how far the follower is.
  ///
  /// - Parameter isolation: The caller's isolation; leave it to its default.
  /// - Returns: The position up to which all events are done, or wait in quarantine.
  /// - Throws: ``ProjectionError`` at an event that cannot be handled and is not set aside; ``EventStoreError``;
  ///   `CancellationError`.
  @discardableResult
  public func catchUp(isolation: isolated (any Actor)? = #isolation) async throws -> Position {
    if FollowerTurn.inside(self) != nil { return try await position }
    let end = try await settings.store.head()
    try await work(until: end)
    try Task.checkCancellation()
    return try await position
  }

  private func work(until end: Position?) async throws {
    let turn = FollowerTurn(self, failures: nil)
    let worker = FollowerWorker(settings, end: end, turn)
    workers.add(worker.pause)
    defer {
      turn.finish()
      workers.remove(worker.pause)
    }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await worker.run()) } catch { outcome = .failure(error) }
    // Also in a task that was cancelled: others need not wait until the leases are over.
    let (settings, id) = (settings, worker.id)
    await Task { _ = try? await settings.checkpoints.leave(settings.id, worker: id) }.value
    try outcome.get()
  }
}

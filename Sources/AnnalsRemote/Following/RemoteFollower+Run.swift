public import AnnalsLog

extension RemoteFollower {
  /// Handles existing and new events until the task is cancelled.
  ///
  /// The call acts as one of the follower's workers, which share its partitions. While the server is unreachable, the
  /// worker waits, and it resumes when the server is reachable again. After the call returns or throws, other workers
  /// can immediately take over the worker's partitions.
  ///
  /// - Parameter isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Throws: `ProjectionError` for an event that the follower can neither handle nor quarantine, or
  ///   `EventStoreError` if retrying can't fix the error. The call doesn't throw an error when the task is cancelled.
  public func run(isolation: isolated (any Actor)? = #isolation) async throws {
    precondition(
      FollowerTurn.inside(self) == nil,
      "a follower's code must not run the same follower, because the call would never return")
    try await work(until: nil)
  }

  /// Handles all existing events, together with the follower's other workers, if there are any.
  ///
  /// The call waits until all partitions, including the partitions of other workers, have reached the position at which
  /// the log ended when the call began. If the follower's own code calls this method, the call handles no events, and
  /// only returns the follower's position.
  ///
  /// - Parameter isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: The position up to which the follower has handled or quarantined all events.
  /// - Throws: `ProjectionError` for an event that the follower can neither handle nor quarantine,
  ///   `EventStoreError`, or `CancellationError`.
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
    // Leave even in a cancelled task, so that other workers don't have to wait until the leases expire.
    let (settings, id) = (settings, worker.id)
    await Task { _ = try? await settings.checkpoints.leave(settings.id, worker: id) }.value
    try outcome.get()
  }
}

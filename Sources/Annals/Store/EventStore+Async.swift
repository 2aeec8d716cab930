extension EventStore {
  /// Commits an append on the store's own threads, and notifies those who watch the store.
  ///
  /// No thread of Swift's pool waits for the disk, and several calls that wait share one sync. Controllers in the
  /// caller's isolation have delivered before this returns, others are notified by a job in theirs.
  ///
  /// If the task is cancelled before the commit begins, nothing is added. Once it has begun you get the receipt, even
  /// in a cancelled task.
  ///
  /// - Parameters:
  ///   - append: What to commit.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``EventStoreError``, or `CancellationError`, and then nothing was added.
  @discardableResult
  public func append(_ append: Append, isolation: isolated (any Actor)? = #isolation) async throws -> Receipt {
    try await committing(isolation: isolation) { append }
  }

  /// Makes an append and commits it, on the store's threads.
  func committing(
    isolation: isolated (any Actor)?, _ make: @escaping @Sendable () throws -> Append
  ) async throws -> Receipt {
    try await committing(nil, isolation: isolation) { isCancelled in
      let append = try make()
      if isCancelled() { throw CancellationError() }
      let receipt = try self.commit(append)
      return (receipt, receipt.count > 0)
    }
  }

  /// Runs what commits on the store's threads, and announces it: there to others, and to the caller when it is back.
  ///
  /// - Parameters:
  ///   - key: What the body changes; nil if that is not known.
  ///   - isolation: The caller's isolation.
  ///   - body: Commits; answers a result, and whether something was added. It asks whether the task was cancelled.
  /// - Returns: The body's result.
  /// - Throws: What the body throws, or `CancellationError`.
  func committing<T: Sendable>(
    _ key: WorkLanes.Key?, isolation: isolated (any Actor)?,
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> (result: T, hasAdded: Bool)
  ) async throws -> T {
    let (signal, caller) = (signal, isolation)
    let answer = try await signal.lanes.run(key) { isCancelled in
      let answer = try body(isCancelled)
      if answer.hasAdded { signal.announce(.ahead(of: caller)) }
      return answer
    }
    if answer.hasAdded { await signal.announceReturn(isolation: isolation) }
    return answer.result
  }
}

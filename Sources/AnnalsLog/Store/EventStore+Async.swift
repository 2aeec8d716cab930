extension EventStore {
  /// Commits an append on the store's own threads, and notifies the store's watchers, such as controllers.
  ///
  /// The call doesn't block a thread of Swift's concurrency pool, and several waiting calls share one disk sync.
  /// Controllers in the caller's isolation deliver their changes before the call returns. Controllers in other
  /// isolations are notified asynchronously.
  ///
  /// If the task is cancelled before the commit begins, no event is appended. After the commit has begun, the call
  /// returns the receipt even in a cancelled task.
  ///
  /// - Parameters:
  ///   - append: The events to append, with the expected versions of their streams.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventStoreError``, or `CancellationError`. The log is then unchanged.
  @discardableResult
  public func append(_ append: Append, isolation: isolated (any Actor)? = #isolation) async throws -> Receipt {
    try await committing(isolation: isolation) { append }
  }

  /// Creates an append and commits it, on the store's threads.
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

  /// Runs a body on the store's threads, and announces the body's commit twice if events were appended.
  ///
  /// The first announcement is made on the store's thread, as soon as the body returns. The second is made in the
  /// caller's isolation, before the call returns.
  ///
  /// - Parameters:
  ///   - key: The key of the changed data, or `nil` if unknown.
  ///   - isolation: The caller's isolation.
  ///   - body: The closure that commits. It returns a result, and whether events were appended. Its parameter returns
  ///     whether the task was cancelled.
  /// - Returns: The body's result.
  /// - Throws: The error of `body`, or `CancellationError`.
  package func committing<T: Sendable>(
    _ key: WorkLanes.Key?, isolation: isolated (any Actor)?,
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> (result: T, hasAdded: Bool)
  ) async throws -> T {
    let (runtime, caller) = (runtime, isolation)
    let answer = try await runtime.lanes.run(key) { isCancelled in
      let answer = try body(isCancelled)
      if answer.hasAdded { runtime.announce(.ahead(of: caller)) }
      return answer
    }
    if answer.hasAdded { await runtime.announceReturn(isolation: isolation) }
    return answer.result
  }
}

extension EventStore {
  /// Compacts the log after it is proven that what is left says the same, and notifies those who watch the store.
  ///
  ///     var compaction = Compaction()
  ///     compaction.rewrite(AccountEvent.self) { stream, events in
  ///       guard let first = events.first else { return [] }
  ///       return [first.replaced(by: .opened(balance: balance(of: events)))]
  ///     }
  ///     compaction.prove(Balances())
  ///     compaction.prove(Account.self)
  ///     let receipt = try store.compact(compaction)
  ///
  /// Appends wait as long as it takes. This is the call of a function that is not `async`: the caller's thread does the
  /// work. In an `async` function you get the call that is awaited, `try await store.compact(…)`.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - progress: Called as each part of the work begins. What it throws ends the work, except at the last part: the
  ///     log is compacted by then.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: What was done.
  /// - Throws: ``CompactionError``, ``EventStoreError``, and what the compaction's rules and `progress` throw; the log
  ///   is then as it was.
  /// - Complexity: O(n log n) for n events, and memory for the rows of the lists, twice.
  @discardableResult
  public func compact(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation
  ) throws -> CompactionReceipt {
    let receipt = try commitCompaction(compaction, progress: progress)
    if !receipt.isUnchanged { signal.announce(from: isolation) }
    return receipt
  }

  /// Compacts the log on one of the store's own threads, and notifies those who watch the store.
  ///
  /// The caller's actor is free meanwhile; appends wait as long as it takes. Controllers in the caller's isolation have
  /// delivered before this returns.
  ///
  /// If the task is cancelled before the log is compacted, the work ends at its next part and the log is as it was.
  /// After that you get the receipt, even in a cancelled task.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - progress: Called as each part of the work begins, on the thread that does it. What it throws ends the work,
  ///     except at the last part: the log is compacted by then.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: What was done.
  /// - Throws: What the call throws that is not awaited, or `CancellationError`; the log is then as it was.
  /// - Complexity: O(n log n) for n events, and memory for the rows of the lists, twice.
  @discardableResult
  public func compact(
    _ compaction: Compaction, progress: @escaping @Sendable (Compaction.Step) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> CompactionReceipt {
    try await committing(nil, isolation: isolation) { isCancelled in
      let receipt = try self.commitCompaction(compaction) { step in
        // What is thrown at the last part is ignored, because the log is compacted by then.
        if isCancelled() { throw CancellationError() }
        try progress(step)
      }
      return (receipt, !receipt.isUnchanged)
    }
  }

  /// Compacts the log as `compact(_:progress:isolation:)` does, and notifies no one.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - progress: Called as each part of the work begins; what it throws ends the work, except at the last part.
  /// - Returns: What was done.
  /// - Throws: ``CompactionError``, ``EventStoreError``, with the code `unsupported` if the store compacts nothing, and
  ///   what the compaction's rules and `progress` throw; the log is then as it was.
  public func commitCompaction(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in }
  ) throws -> CompactionReceipt {
    guard let compacting else { throw EventStoreError.unsupported("compactions", by: Self.self) }
    return try compacting.commitCompaction(progress: progress) { try compaction.run(in: $0, progress: progress) }
  }
}

extension EventStore {
  /// Compacts the log, if the lists and states that you registered with `prove` stay equal, and notifies the store's
  /// observers.
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
  /// If a list or a state would change, the log stays unchanged, and the call throws. Appends wait until the compaction
  /// ends. This version is for functions that aren't `async`, and blocks the calling thread. In an `async` function,
  /// Swift selects the `async` version, `try await store.compact(…)`.
  ///
  /// - Parameters:
  ///   - compaction: The rules, and the lists and states that must be equal before and after the compaction.
  ///   - progress: A closure that is called at the beginning of every step. If the closure throws, the compaction ends
  ///     with that error. An error in the last step is ignored, because the log is already compacted.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt of the compaction.
  /// - Throws: ``CompactionError``, ``EventStoreError``, and the errors of the compaction's rules and of `progress`. In
  ///   these cases, the log is unchanged.
  /// - Complexity: O(n log n) for n events. The compaction needs memory for two copies of the lists' rows.
  @discardableResult
  public func compact(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation
  ) throws -> CompactionReceipt {
    let receipt = try commitCompaction(compaction, progress: progress)
    if !receipt.isUnchanged { runtime.announce(from: isolation) }
    return receipt
  }

  /// Compacts the log on one of the store's own threads, and notifies the store's observers.
  ///
  /// The caller's actor isn't blocked, but appends wait until the compaction ends. A ``FetchedResultsController`` in
  /// the caller's isolation delivers its changes before this function returns.
  ///
  /// If the task is cancelled before the log is compacted, the work ends at its next step, and the log is unchanged.
  /// Once the log is compacted, you get the receipt, even in a cancelled task.
  ///
  /// - Parameters:
  ///   - compaction: The rules, and the lists and states that must be equal before and after the compaction.
  ///   - progress: A closure that is called at the beginning of every step, on the thread of the compaction. If the
  ///     closure throws, the compaction ends with that error. An error in the last step is ignored, because the log is
  ///     already compacted.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt of the compaction.
  /// - Throws: The errors of the synchronous version, or `CancellationError`. In these cases, the log is unchanged.
  /// - Complexity: O(n log n) for n events. The compaction needs memory for two copies of the lists' rows.
  @discardableResult
  public func compact(
    _ compaction: Compaction, progress: @escaping @Sendable (Compaction.Step) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> CompactionReceipt {
    try await committing(nil, isolation: isolation) { isCancelled in
      let receipt = try self.commitCompaction(compaction) { step in
        // An error in the last step is ignored, because the log is already compacted.
        if isCancelled() { throw CancellationError() }
        try progress(step)
      }
      return (receipt, !receipt.isUnchanged)
    }
  }

  /// Compacts the log, but doesn't notify the store's observers.
  ///
  /// Apart from that, this method behaves like `compact(_:progress:isolation:)`, which you should usually call instead.
  ///
  /// - Parameters:
  ///   - compaction: The rules, and the lists and states that must be equal before and after the compaction.
  ///   - progress: A closure that is called at the beginning of every step. If the closure throws, the compaction ends
  ///     with that error. An error in the last step is ignored, because the log is already compacted.
  /// - Returns: A receipt of the compaction.
  /// - Throws: ``CompactionError``, ``EventStoreError`` (`.unsupported` if the store doesn't support compactions), and
  ///   the errors of the compaction's rules and of `progress`. In these cases, the log is unchanged.
  public func commitCompaction(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in }
  ) throws -> CompactionReceipt {
    // The pages of saved lists are deleted together with a stream, also if the lists are on screen.
    if compaction.removesStreams { runtime.prepareErasure() }
    return try commitCompaction(compaction, progress: progress, approving: { _ in })
  }

  private func commitCompaction(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void,
    approving approve: (CompactionReceipt) throws -> Void
  ) throws -> CompactionReceipt {
    guard let compacting else { throw EventStoreError.unsupported("compactions", by: Self.self) }
    let drafts = try compaction.draftReferences(in: self)
    return try compacting.commitCompaction(progress: progress) { transaction in
      let planned = try compaction.proven(in: transaction, drafts: drafts, progress).receipt
      try approve(planned)
      try planned.checkReferences()
      return planned
    }
  }

  /// Compacts the log if the caller approves the result.
  ///
  /// - Parameters:
  ///   - compaction: The compaction rules, and the lists and states that the compaction must not change.
  ///   - progress: A closure that is called when a step of the work begins.
  ///   - approve: A closure that receives the result before the commit. At that time, all other work is done and
  ///     appends wait. If the closure throws, the log is unchanged.
  /// - Returns: A receipt of the compaction.
  /// - Throws: The errors of the compaction and of `approve`.
  package func compact(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in },
    approving approve: (CompactionReceipt) throws -> Void
  ) throws -> CompactionReceipt {
    let receipt = try commitCompaction(compaction, progress: progress, approving: approve)
    if !receipt.isUnchanged { runtime.announce(from: nil) }
    return receipt
  }

  /// Runs a compaction in a transaction, and then rolls the transaction back, as a dry run.
  ///
  /// If the compaction would remove streams, the receipt contains all references to the streams, also the references
  /// that would prevent the removal. Appends wait during the dry run, as they wait during a compaction, and the calling
  /// thread is blocked.
  ///
  /// - Parameters:
  ///   - compaction: The rules or the streams to remove, and the lists and states to compare.
  ///   - progress: A closure that is called at the beginning of every step. If the closure throws, the dry run ends
  ///     with that error.
  /// - Returns: The receipt that the compaction would return, without information about the store's files.
  /// - Throws: The errors of ``commitCompaction(_:progress:)``, except ``CompactionError/Code/referenced``. The log is
  ///   unchanged in any case.
  /// - Complexity: O(n log n) for n events. The dry run needs memory for two copies of the lists' rows.
  public func rehearse(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in }
  ) throws -> CompactionReceipt {
    do {
      _ = try commitCompaction(compaction, progress: progress) { throw Rehearsed(receipt: $0) }
    } catch let end as Rehearsed {
      return end.receipt
    }
    preconditionFailure(
      "a compaction's dry run throws an error to roll back its transaction, but `commitCompaction` returned without "
        + "this error. The store's `commitCompaction` must call its closure, and rethrow the closure's error")
  }
}

/// An error that is thrown at the end of a dry run, so that its transaction is rolled back.
private struct Rehearsed: Error {
  let receipt: CompactionReceipt
}

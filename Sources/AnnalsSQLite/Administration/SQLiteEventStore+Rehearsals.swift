package import Annals

extension SQLiteEventStore {
  /// Returns the number of a subject's personal values that an erasure would delete.
  package func valueCount(of subject: String) throws -> Int {
    try inOneState { connection in
      guard try PersonalTables(connection).exist else { return 0 }
      let count = try connection.statement("SELECT count(object) FROM personal WHERE subject = ?1")
      try count.bind(1, subject)
      return Int(try count.firstInt() ?? 0)
    }
  }

  /// Runs a compaction in a transaction, and then rolls the transaction back, as a dry run.
  ///
  /// Appends wait during the dry run, as they wait during a compaction.
  ///
  /// - Parameters:
  ///   - compaction: The compaction rules, and the lists and states that the compaction must not change.
  ///   - progress: A closure that is called when a step of the work begins.
  /// - Returns: The receipt that the compaction would return.
  /// - Throws: The errors of the compaction.
  package func rehearse(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in }
  ) throws -> CompactionReceipt {
    guard let writer else {
      throw EventStoreError(
        .readOnly, "\(path): the log was opened for reading only; open it with SQLiteEventStore(path:)")
    }
    do {
      _ = try writer.compact(source: source, environment: environment) { transaction in
        throw Rehearsed(receipt: try compaction.run(in: transaction, progress: progress))
      }
    } catch let end as Rehearsed {
      return end.receipt
    }
    preconditionFailure(
      "a compaction's dry run must end by throwing its receipt, because the thrown error rolls back the transaction")
  }
}

extension SQLiteEventStore {
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
    guard let compacting else { throw EventStoreError.unsupported("compactions", by: Self.self) }
    let receipt = try compacting.commitCompaction(progress: progress) { transaction in
      let planned = try compaction.run(in: transaction, progress: progress)
      try approve(planned)
      return planned
    }
    if !receipt.isUnchanged { runtime.announce(from: nil) }
    return receipt
  }
}

/// An error that is thrown at the end of a dry run, so that its transaction is rolled back.
private struct Rehearsed: Error {
  let receipt: CompactionReceipt
}

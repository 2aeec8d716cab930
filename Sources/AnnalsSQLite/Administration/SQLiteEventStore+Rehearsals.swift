package import Annals

extension SQLiteEventStore {
  /// How many values a subject's personal fields have: what an erasure would delete.
  package func valueCount(of subject: String) throws -> Int {
    try inOneState { connection in
      guard try PersonalTables(connection).exist else { return 0 }
      let count = try connection.statement("SELECT count(object) FROM personal WHERE subject = ?1")
      try count.bind(1, subject)
      return Int(try count.firstInt() ?? 0)
    }
  }

  /// Does a compaction's work in a transaction, and takes all of it back.
  ///
  /// Appends wait meanwhile, as they do for the compaction.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - progress: Called as each part of the work begins.
  /// - Returns: What the compaction would do.
  /// - Throws: What the compaction would throw.
  package func rehearse(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in }
  ) throws -> CompactionReceipt {
    guard let writer else { throw EventStoreError(.readOnly, "\(path): was opened for reading only") }
    do {
      _ = try writer.compact(source: source, environment: environment) { transaction in
        throw Rehearsed(receipt: try compaction.run(in: transaction, progress: progress))
      }
    } catch let end as Rehearsed {
      return end.receipt
    }
    preconditionFailure("a rehearsal throws its receipt")
  }
}

extension SQLiteEventStore {
  /// Compacts the log, if you approve of what is done.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - progress: Called as each part of the work begins.
  ///   - approve: Called when everything is done but the commit, while appends wait. If it throws, the log is as it
  ///     was.
  /// - Returns: What was done.
  /// - Throws: What the compaction throws, and what `approve` does.
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
    if !receipt.isUnchanged { signal.announce(from: nil) }
    return receipt
  }
}

/// Ends a rehearsal, so that its transaction is taken back.
private struct Rehearsed: Error {
  let receipt: CompactionReceipt
}

import Annals

extension LogWriter {
  /// Does a compaction's work in one transaction.
  func compact(
    _ compaction: Compaction, source: String, environment: StoreEnvironment, progress: (Compaction.Step) throws -> Void
  ) throws -> CompactionReceipt {
    try transaction {
      try compaction.run(in: OpenCompaction($0, source: source, environment: environment), progress: progress)
    }
  }
}

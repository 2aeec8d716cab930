import AnnalsLog

extension LogWriter {
  /// Runs a compaction in one transaction.
  func compact(
    source: String, environment: StoreEnvironment, _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt {
    try transaction { connection in
      let log = SQLiteLog(connection, now: environment.now)
      defer { log.end() }
      return try work(OpenCompaction(log, source: source, environment: environment))
    }
  }
}

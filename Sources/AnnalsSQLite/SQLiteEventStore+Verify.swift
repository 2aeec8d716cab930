import Annals

extension SQLiteEventStore {
  /// Checks whether the whole log is as it must be, and changes nothing.
  ///
  /// It checks the file with SQLite's own integrity check, each page's checksum, and the tables, indexes and triggers.
  /// It checks every event's checksum, position, transaction, version, payload, tags and metadata. It checks the tables
  /// of tags and names, the receipts of commands, the followers' checkpoints, and saved lists and states. Others may
  /// append meanwhile.
  ///
  /// - Parameter progress: Called now and then with the number of events that were checked.
  /// - Returns: What was found.
  /// - Throws: `EventStoreError` if the log cannot be read at all, and what `progress` throws.
  /// - Complexity: O(n log n) for n events, and memory for the names of streams.
  public func verify(progress: (Int) throws -> Void = { _ in }) throws -> LogReport {
    let connection = try pool.extra()
    defer { connection.close() }
    var verification = LogVerification(connection)
    return try verification.run(mayLackCommits: mayLackCommits, progress)
  }
}

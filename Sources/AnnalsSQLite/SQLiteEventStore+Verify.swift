import AnnalsLog

extension SQLiteEventStore {
  /// Checks the integrity of the whole log without changing it.
  ///
  /// The method runs SQLite's own integrity check, and verifies the checksum of every page. It compares the tables,
  /// indexes and triggers with those that Annals creates. It checks every event's checksum, position, transaction,
  /// version, payload, tags and metadata. It also checks the tables of tags and names, the commands' receipts, the
  /// followers' checkpoints, the saved lists, and the deciders' saved states. Other processes can append during the
  /// check.
  ///
  /// - Parameter progress: A closure that is called from time to time with the number of checked events.
  /// - Returns: A report of the problems.
  /// - Throws: `EventStoreError` if the log cannot be read at all, and the errors of `progress`.
  /// - Complexity: O(n log n) for n events. The names of all streams are kept in memory during the check.
  public func verify(progress: (Int) throws -> Void = { _ in }) throws -> LogReport {
    let connection = try pool.extra()
    defer { connection.close() }
    var verification = LogVerification(connection)
    return try verification.run(mayLackCommits: mayLackCommits, progress)
  }
}

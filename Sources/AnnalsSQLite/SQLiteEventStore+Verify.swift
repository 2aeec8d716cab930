import Annals

extension SQLiteEventStore {
  /// Checks the integrity of the whole log without changing it.
  ///
  /// The method runs SQLite's own integrity check, and checks the checksums of all pages, and the tables, indexes and
  /// triggers. It checks every event's checksum, position, transaction, version, payload, tags and metadata. It also
  /// checks the tables of tags and names, the receipts of commands, the followers' checkpoints, and saved lists and
  /// states. Other processes can append during the check.
  ///
  /// - Parameter progress: A closure to call occasionally with the number of checked events.
  /// - Returns: A report of the problems.
  /// - Throws: `EventStoreError` if the log cannot be read at all, and the errors of `progress`.
  /// - Complexity: O(n log n) for n events. The check needs memory for the names of all streams.
  public func verify(progress: (Int) throws -> Void = { _ in }) throws -> LogReport {
    let connection = try pool.extra()
    defer { connection.close() }
    var verification = LogVerification(connection)
    return try verification.run(mayLackCommits: mayLackCommits, progress)
  }
}

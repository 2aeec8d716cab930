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
    try verify(progress: progress, visit: nil)
  }

  /// Checks the integrity of the whole log, and passes the checked events to a closure.
  ///
  /// So a caller that checks more than the log itself doesn't read the events a second time.
  ///
  /// - Parameters:
  ///   - progress: A closure that is called from time to time with the number of checked events.
  ///   - visit: A closure that is called with the events in order, until the first problem is found, or `nil`. The
  ///     events are of the same snapshot of the log as the report.
  /// - Returns: A report of the problems.
  /// - Throws: `EventStoreError` if the log cannot be read at all, and the errors of the closures.
  package func verify(
    progress: (Int) throws -> Void, visit: ((EventBatch) throws -> Void)?
  ) throws -> LogReport {
    let connection = try pool.extra()
    defer { connection.close() }
    var verification = LogVerification(connection)
    return try verification.run(mayLackCommits: mayLackCommits, progress, visit)
  }
}

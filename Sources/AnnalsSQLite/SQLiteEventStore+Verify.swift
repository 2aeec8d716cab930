import Annals

extension SQLiteEventStore {
  /// Looks whether the whole log is as it must be, and changes nothing.
  ///
  /// It looks at the file (SQLite's own integrity check, and each page's checksum), at its tables, indexes and triggers, at every
  /// event's checksum, position, transaction, version, payload, tags and metadata, at the tables of tags and names, at what
  /// commands were answered, at followers' checkpoints, and at saved lists and states. Others may append meanwhile.
  ///
  /// - Parameter progress: Called now and then with the number of events that were looked at.
  /// - Returns: What was found.
  /// - Throws: ``EventStoreError`` if the log cannot be read at all, and what `progress` throws.
  /// - Complexity: O(n log n) for n events, and memory for the names of streams.
  public func verify(progress: (Int) throws -> Void = { _ in }) throws -> LogReport {
    let connection = try pool.extra()
    defer { connection.close() }
    var verification = LogVerification(connection)
    return try verification.run(mayLackCommits: mayLackCommits, progress)
  }
}

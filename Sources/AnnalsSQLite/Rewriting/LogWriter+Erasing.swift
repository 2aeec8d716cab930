import AnnalsLog

extension LogWriter {
  /// Deletes the data of several subjects in one transaction, and returns the number of deleted values.
  func erase(_ subjects: [String], at time: Int64, demanding demand: CheckpointDemand?) throws -> Int {
    try transaction { connection in
      if let demand { try demand.check(at: Checkpoints(connection).position(named: demand.name)) }
      // Deleted data is overwritten with zeros, so that little remains even if the log is not rewritten afterwards.
      let usual = try connection.int("PRAGMA secure_delete") ?? 0
      try connection.execute("PRAGMA secure_delete = ON")
      defer { try? connection.execute("PRAGMA secure_delete = \(usual == 2 ? "FAST" : "\(usual)")") }
      return try subjects.reduce(0) { try $0 + ErasureTransaction(connection).erase($1, at: time) }
    }
  }

  /// Removes erased and compacted data from the log's files, unless readers still need the data.
  ///
  /// The log is rewritten, so that neither unused pages nor gaps in pages contain deleted data. Then all commits are
  /// copied from the `-wal` file into the log's file. Finally, a small commit restarts the `-wal` file from its
  /// beginning, and SQLite truncates the file after this commit.
  ///
  /// SQLite's own truncation (`SQLITE_CHECKPOINT_TRUNCATE`) isn't used, because it copies commits without the write
  /// lock if it can't get the lock in time. `checkpointIfDue()` documents why no connection may do that.
  ///
  /// - Parameter waiting: The maximum time to wait for readers that started earlier.
  /// - Returns: False if such a reader is still active, so that bytes might remain in the files.
  /// - Throws: ``EventStoreError``.
  func sweep(waiting: Duration) throws -> Bool {
    let (reached, usual) = try use { connection in
      let found = (try CompactionTables(connection).revision, try connection.int("PRAGMA synchronous") ?? 2)
      // Syncs are needed at every durability. Otherwise the disk might have kept the end of the file that is truncated,
      // and a power loss would restore this end.
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 0")
      // SQLite builds the new log in a file without a name. This file is in the log's folder, which has enough space
      // and is closed to other users.
      try CheckedFiles.$temporaryFolder.withValue(place.folder) { try connection.execute("VACUUM") }
      return found
    }
    defer {
      _ = try? use(writes: false) { connection in
        try connection.execute(
          "PRAGMA journal_size_limit = \(SQLiteConnection.commitBytesKept); PRAGMA synchronous = \(usual)")
      }
    }
    let end = ContinuousClock.now + waiting
    while true {
      try checkpoint()
      let isCut = try use { connection in
        // After all commits were copied, the first commit restarts the `-wal` file from its beginning and truncates it.
        // The second commit syncs the truncation. The file isn't restarted while a reader still uses commits in it.
        try connection.write { try connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'sweeps'") }
        guard connection.logPages <= 8, try endsWithCommits(connection) else { return false }
        try connection.write { try ErasureTransaction(connection).complete(through: reached) }
        return true
      }
      if isCut {
        flushDrive()
        return true
      }
      if ContinuousClock.now >= end { return false }
      FileSystem.sleep(microseconds: 2_000)
    }
  }

  /// Returns true if the `-wal` file contains no bytes after the current commits.
  ///
  /// If another process restarted the file from its beginning, older commits might follow.
  private func endsWithCommits(_ connection: SQLiteConnection) throws -> Bool {
    let pageSize = Int(try connection.int("PRAGMA page_size") ?? 0)
    // The file has a header of 32 bytes, and a header of 24 bytes before every page (sqlite.org/fileformat.html, 4.1).
    return FileSystem.size(place.commits) <= 32 + connection.logPages * (pageSize + 24)
  }
}

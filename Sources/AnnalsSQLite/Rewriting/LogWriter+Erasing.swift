import Annals

extension LogWriter {
  /// Deletes what the log knows of some subjects, in one transaction, and returns how many values there were.
  func erase(_ subjects: [String], at time: Int64, demanding demand: CheckpointDemand?) throws -> Int {
    try transaction { connection in
      if let demand { try demand.check(at: Checkpoints(connection).position(named: demand.name)) }
      // What is deleted is overwritten with zeros, so that little is left even if the log is not rewritten afterwards.
      let usual = try connection.int("PRAGMA secure_delete") ?? 0
      try connection.execute("PRAGMA secure_delete = ON")
      defer { try? connection.execute("PRAGMA secure_delete = \(usual == 2 ? "FAST" : "\(usual)")") }
      return try subjects.reduce(0) { try $0 + ErasureTransaction(connection).erase($1, at: time) }
    }
  }

  /// Takes what was erased or cut out of the files, as far as no reader needs it.
  ///
  /// The log is rewritten, so that neither an unused page nor a gap in a page has anything of what was deleted. The
  /// commits are copied into it. Then the file of commits begins from its start again, and is cut off after an empty
  /// commit.
  ///
  /// SQLite's own way to cut it (`SQLITE_CHECKPOINT_TRUNCATE`) copies without the write lock if it cannot get the lock
  /// in time. `checkpointIfDue()` says why no connection may do that.
  ///
  /// - Parameter waiting: For how long to wait for readers that began before.
  /// - Returns: False if such a reader is still there, so that bytes may be left.
  /// - Throws: ``EventStoreError``.
  func sweep(waiting: Duration) throws -> Bool {
    let (reached, usual) = try use { connection in
      let found = (try ErasureTransaction(connection).reached, try connection.int("PRAGMA synchronous") ?? 2)
      // At every durability: otherwise the disk may have kept the end that was cut off, and a loss of power brings it
      // back.
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 0")
      // SQLite builds the new log in a file without a name. It is beside the log, where there is room for it and where
      // no other user may look.
      try CheckedFiles.$temporaryFolder.withValue(place.folder) { try connection.execute("VACUUM") }
      return found
    }
    defer {
      _ = try? use { connection in
        try connection.execute(
          "PRAGMA journal_size_limit = \(SQLiteConnection.commitBytesKept); PRAGMA synchronous = \(usual)")
      }
    }
    let end = ContinuousClock.now + waiting
    while true {
      try checkpoint()
      let isCut = try use { connection in
        // After everything was copied, the first commit begins the file from its start and cuts it off, and the next
        // one syncs that. Neither happens while a reader still uses commits in it.
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

  /// True if the file of commits ends where its commits do.
  ///
  /// If another process began it from its start again, old commits may follow.
  private func endsWithCommits(_ connection: SQLiteConnection) throws -> Bool {
    let pageSize = Int(try connection.int("PRAGMA page_size") ?? 0)
    // A header of 32 bytes, and one of 24 before each page (sqlite.org/fileformat.html, 4.1).
    return FileSystem.size(place.commits) <= 32 + connection.logPages * (pageSize + 24)
  }
}

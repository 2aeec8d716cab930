public import AnnalsLog
import Foundation

extension SQLiteEventStore {
  /// Copies the log into a new file, while other processes append and read.
  ///
  /// The copy contains the log's events up to the returned position. A transaction that is appended during the backup
  /// is copied completely or not at all. The copy is a single file, and needs no `-wal` or `-shm` file next to it. It
  /// has the same read permissions as the log. The file gets its final name only after all its pages are on the disk
  /// and have been read back. If the backup fails, no file remains.
  ///
  /// - Parameters:
  ///   - path: The path of the new file, which must not exist.
  ///   - progress: A closure that is called from time to time with the completed fraction, from 0 to 1.
  /// - Returns: The position of the copy's last event.
  /// - Throws: `EventStoreError`, and the errors of `progress`.
  /// - Complexity: O(n) for the n pages of the log's file.
  @discardableResult
  public func backUp(to path: String, progress: (Double) throws -> Void = { _ in }) throws -> Position {
    try NewFile.make(path, like: place.file) { file in
      try copy(to: file, progress)
    } check: { file, head in
      let copy = try SQLiteConnection(path: file, access: .immutable)
      defer { copy.close() }
      try copy.readAllPages()
      let found = try EventReader(copy).head()
      guard found == head else {
        throw EventStoreError(
          .io,
          "\(file): expected a copy up to position \(head), found a copy up to position \(found); check the disk and "
            + "retry")
      }
    }
  }

  private func copy(to path: String, _ progress: (Double) throws -> Void) throws -> Position {
    let source = try pool.extra()
    defer { source.close() }
    // The transaction keeps one snapshot of the log. Otherwise every commit of another process would restart the copy.
    try source.execute("BEGIN")
    defer { source.rollback() }
    let head = try EventReader(source).head()
    do {
      let target = try SQLiteConnection(path: path, access: .create, patience: .milliseconds(100))
      defer { target.close() }
      try target.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
      if source.checksPages {
        // SQLite can write the first page, which records that pages have checksums, after other pages.
        target.requirePageChecksums()
      }
      try source.copy(into: target, pagesAtOnce: 256) { rest, all in
        try EndOfReading.check(place.file)
        try progress(all > 0 ? Double(all - rest) / Double(all) : 0)
      }
      // `checkpointWhole` leaves no commits next to the copy. Closing the connection would also copy the commit, but
      // wouldn't report a failure.
      try target.execute("UPDATE meta SET value = '0' WHERE name = 'open'")
      try target.checkpointWhole()
    }
    return head
  }
}

public import Annals
import Foundation

extension SQLiteEventStore {
  /// Copies the log into a new file, while others append and read.
  ///
  /// The copy is the log in one state, at the position that is returned. A transaction that is appended meanwhile is in
  /// the copy as a whole, or not at all. The copy is one whole file, without other files next to it. The same users may
  /// read it as may read the log. It gets its name when all its pages were read back and are on the disk. A copy that
  /// fails leaves no file.
  ///
  /// - Parameters:
  ///   - path: The new file; one that is there is refused.
  ///   - progress: Called now and then with the part that is done, from 0 to 1.
  /// - Returns: The position of the copy's last event.
  /// - Throws: `EventStoreError`, and what `progress` throws.
  /// - Complexity: O(n) for the n pages of the file.
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
          "\(file): expected a copy up to position \(head), found a copy up to \(found); check the disk and retry")
      }
    }
  }

  private func copy(to path: String, _ progress: (Double) throws -> Void) throws -> Position {
    let source = try pool.extra()
    defer { source.close() }
    // One state of the log. Without it every commit of another process would make the copy begin again.
    try source.execute("BEGIN")
    defer { source.rollback() }
    let head = try EventReader(source).head()
    do {
      let target = try SQLiteConnection(path: path, access: .create, patience: .milliseconds(100))
      defer { target.close() }
      try target.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
      if source.checksPages {
        // The first page, which says that pages have checksums, may be written after others.
        target.requirePageChecksums()
      }
      try source.copy(into: target, pagesAtOnce: 256) { rest, all in
        try EndOfReading.check(place.file)
        try progress(all > 0 ? Double(all - rest) / Double(all) : 0)
      }
      // Leaves no commits next to the copy. Closing would copy the commit too, and report no failure.
      try target.execute("UPDATE meta SET value = '0' WHERE name = 'open'")
      try target.checkpointWhole()
    }
    return head
  }
}

public import Annals
import Foundation

extension SQLiteEventStore {
  /// Copies the log into a new file, while others append and read.
  ///
  /// The copy is the log in one state, at the position that is returned. A transaction that is appended meanwhile is in
  /// the copy as a whole, or not at all. The copy is one whole file, with nothing beside it. A copy that fails leaves
  /// no file.
  ///
  /// - Parameters:
  ///   - path: The new file; one that is there is refused.
  ///   - progress: Called now and then with the part that is done, from 0 to 1.
  /// - Returns: The position of the copy's last event.
  /// - Throws: `EventStoreError`, and what `progress` throws.
  /// - Complexity: O(n) for the n pages of the file.
  @discardableResult
  public func backUp(to path: String, progress: (Double) throws -> Void = { _ in }) throws -> Position {
    let taken = EventStoreError(
      .io, "\(path): expected no such file, found one; choose another name, or remove it first")
    guard !FileManager.default.fileExists(atPath: path) else { throw taken }
    // Until it is whole it has a name that no other copy has, so that no one takes a part of it for the log.
    let file = FileSystem.withoutLinks(path)
    let unfinished = "\(file).\(UUID().uuidString).unfinished"
    // The same users may read the copy as may read the log.
    let mode = FileSystem.status(place.file)?.mode ?? 0o600
    if let reason = FileSystem.create(unfinished, mode: mode | 0o600) {
      throw EventStoreError(
        .io, "\(path): the copy cannot be made: \(reason); check that its folder is there and may be written")
    }
    defer {
      for end in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: unfinished + end) }
    }
    let head = try copy(to: unfinished, progress)
    FileSystem.setMode(unfinished, mode)
    if let reason = FileSystem.rename(unfinished, to: file) {
      if FileSystem.status(file) != nil { throw taken }
      throw EventStoreError(.io, "\(path): the copy cannot be given its name: \(reason)")
    }
    FileSystem.syncFolder(of: file)
    return head
  }

  private func copy(to path: String, _ progress: (Double) throws -> Void) throws -> Position {
    let source = try pool.extra()
    defer { source.close() }
    // One state of the log. Without it every commit of another process would make the copy begin again.
    try source.execute("BEGIN")
    defer { source.rollback() }
    let head = try EventReader(source).head()
    do {
      let target = try SQLiteConnection(path: path, access: .create)
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
      // Nothing that was committed is beside the copy.
      try target.execute("UPDATE meta SET value = '0' WHERE name = 'open'")
    }
    return head
  }
}

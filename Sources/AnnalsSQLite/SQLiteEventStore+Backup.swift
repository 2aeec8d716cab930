public import Annals
import Foundation

extension SQLiteEventStore {
  /// Copies the log into a new file, while others append and read.
  ///
  /// The copy is the log in one state, at the position that is answered: what is appended meanwhile is in it or not, a
  /// transaction at a time. It lies whole in one file, with nothing beside it; a copy that fails leaves none.
  ///
  /// - Parameters:
  ///   - path: The new file; one that is there is refused.
  ///   - progress: Called now and then with the part that is done, from 0 to 1.
  /// - Returns: The position of the copy's last event.
  /// - Throws: ``EventStoreError``, and what `progress` throws.
  /// - Complexity: O(n) for the n pages of the file.
  @discardableResult
  public func backUp(to path: String, progress: (Double) throws -> Void = { _ in }) throws -> Position {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw EventStoreError(.io, "\(path): expected no such file, found one; choose another name, or remove it first")
    }
    // Under another name until it is whole, so that nobody takes a part of it for the log.
    let unfinished = path + ".unfinished"
    func remove() {
      for end in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: unfinished + end) }
    }
    remove()
    do {
      let head = try copy(to: unfinished, progress)
      try FileManager.default.moveItem(atPath: unfinished, toPath: path)
      return head
    } catch let error as CocoaError {
      remove()
      throw EventStoreError(.io, "\(path): the copy cannot be given its name: \(error.localizedDescription)")
    } catch {
      remove()
      throw error
    }
  }

  private func copy(to path: String, _ progress: (Double) throws -> Void) throws -> Position {
    let source = try pool.extra()
    defer { source.close() }
    // One state of the log. Without it every commit of another process would make the copy begin anew.
    try source.execute("BEGIN")
    defer { source.rollback() }
    let head = try EventReader(source).head()
    do {
      let target = try SQLiteConnection(path: path, access: .create)
      defer { target.close() }
      try target.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
      try source.copy(into: target, pagesAtOnce: 256) { rest, all in
        try progress(all > 0 ? Double(all - rest) / Double(all) : 0)
      }
    }
    return head
  }
}

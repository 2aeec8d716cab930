import AnnalsLog
import Foundation

/// A new log file, which gets its final name only when it is complete, checked and on the disk.
///
/// Until then it has a unique name, so that no process mistakes an incomplete file for the log. At first only its owner
/// can read and write it, and SQLite gives the same permissions to the `-wal` file. In the end, the same users can
/// access the file as can access the original log.
struct NewFile {
  /// The path that error messages contain.
  private let path: String
  /// The final path with links resolved.
  private let file: String
  /// The path of the incomplete file.
  private let unfinished: String
  private let original: FileSystem.Status

  /// Creates a file, or throws without leaving a file.
  ///
  /// - Parameters:
  ///   - path: The path of the new file. If a file exists there, the method throws.
  ///   - original: The log whose permissions the new file gets.
  ///   - write: A closure that writes a file at the path that it receives. When it returns, this file must contain all
  ///     data, and no `-wal` file may remain.
  ///   - check: A closure that rereads the file at the path that it receives, and throws if the file differs from the
  ///     written data.
  /// - Returns: The result of `write`.
  /// - Throws: `EventStoreError`, and the errors of `write` and `check`.
  static func make<T>(
    _ path: String, like original: String, _ write: (String) throws -> T, check: (String, T) throws -> Void
  ) throws -> T {
    let path = try LogLocation.absolute(path)
    let file = FileSystem.withoutLinks(path)
    do {
      guard try FileSystem.existing(path) == nil else { throw taken(path) }
      guard let status = try FileSystem.existing(original) else {
        throw EventStoreError(.notFound, "\(original): the file doesn't exist. Check the path")
      }
      let new = NewFile(
        path: path, file: file, unfinished: "\(file).\(UUID().uuidString).unfinished", original: status)
      return try new.make(write, check)
    } catch let failure as FileSystem.Failure {
      if SystemFailure.isTaken(failure.code), FileSystem.status(file) != nil { throw taken(path) }
      throw EventStoreError(.io, "\(path): the copy can't be created: \(failure.sentence)")
    }
  }

  private static func taken(_ path: String) -> EventStoreError {
    EventStoreError(.io, "\(path): expected no such file, found one. Choose another name, or remove the file first")
  }

  private func make<T>(_ write: (String) throws -> T, _ check: (String, T) throws -> Void) throws -> T {
    try FileSystem.create(unfinished)
    defer { for end in ["", "-wal", "-shm", "-journal"] { FileSystem.remove(unfinished + end) } }
    let made = try renamed { try write(unfinished) }
    for end in ["-wal", "-journal"] where FileSystem.size(unfinished + end) > 0 {
      throw EventStoreError(
        .io,
        "\(path): the copy can't be created, because the last commits couldn't be merged from a separate file (\(end)) "
          + "into the copy. Check the disk for errors, and free disk space")
    }
    try renamed { try check(unfinished, made) }
    try FileSystem.setPermissions(unfinished, of: original)
    try FileSystem.sync(unfinished)
    try FileSystem.rename(unfinished, to: file)
    do {
      try FileSystem.syncFolder(of: file)
    } catch {
      FileSystem.remove(file)
      throw error
    }
    return made
  }

  /// Runs a closure, and replaces the incomplete file's path in the closure's errors with the final path.
  private func renamed<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as EventStoreError where error.message.contains(unfinished) {
      throw EventStoreError(
        error.code,
        "\(path): the copy can't be created: "
          + error.message.replacingOccurrences(of: unfinished + ": ", with: "")
          .replacingOccurrences(of: unfinished, with: path))
    }
  }
}

import Annals
import Foundation

/// A new log file that gets its name once it is complete, checked and on the disk.
///
/// Until then it has a unique name, so that no process mistakes an incomplete file for the log. At first only its
/// user can read and write it. SQLite gives the files next to it the same permissions. In the end the file can be
/// used by the same users as the original.
struct NewFile {
  /// The path for error messages.
  private let path: String
  /// The path with links resolved.
  private let file: String
  /// The name until the file is complete.
  private let unfinished: String
  private let original: FileSystem.Status

  /// Creates a file, or throws and leaves no file.
  ///
  /// - Parameters:
  ///   - path: The path of the new file. An existing file is refused.
  ///   - original: The log whose permissions the new file gets.
  ///   - write: A closure that writes the file at a path. In the end that file must contain all data, without files
  ///     next to it.
  ///   - check: A closure that throws if the file at a path differs from the written data when it is read back.
  /// - Returns: The result of `write`.
  /// - Throws: `EventStoreError`, and the errors of `write` and `check`.
  static func make<T>(
    _ path: String, like original: String, _ write: (String) throws -> T, check: (String, T) throws -> Void
  ) throws -> T {
    let path = try LogPlace.absolute(path)
    let file = FileSystem.withoutLinks(path)
    do {
      guard try FileSystem.existing(path) == nil else { throw taken(path) }
      guard let status = try FileSystem.existing(original) else {
        throw EventStoreError(.notFound, "\(original): there is no such file")
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
    EventStoreError(.io, "\(path): expected no such file, found one; choose another name, or remove it first")
  }

  private func make<T>(_ write: (String) throws -> T, _ check: (String, T) throws -> Void) throws -> T {
    try FileSystem.create(unfinished)
    defer { for end in ["", "-wal", "-shm", "-journal"] { FileSystem.remove(unfinished + end) } }
    let made = try renamed { try write(unfinished) }
    for end in ["-wal", "-journal"] where FileSystem.size(unfinished + end) > 0 {
      throw EventStoreError(
        .io,
        "\(path): the copy can't be created: the last commits are in a separate file (\(end)) and can't be merged into "
          + "the copy; check the disk, and free disk space")
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

  /// Runs a closure, and shows the new file's final path in its errors.
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

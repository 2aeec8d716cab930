import Annals
import Foundation

/// A new log file that gets its name once it is whole, checked and on the disk.
///
/// Until then it has a name that no other file has, so that no process takes a part of it for the log. At first its
/// user alone may read and write it. SQLite gives the files next to it the same permissions. In the end the same users
/// may use it as may use the original.
struct NewFile {
  /// The path as errors show it.
  private let path: String
  /// The path without links on the way.
  private let file: String
  /// The name until the file is whole.
  private let unfinished: String
  private let original: FileSystem.Status

  /// Makes a file, or throws and leaves no file.
  ///
  /// - Parameters:
  ///   - path: The new file. An existing file is refused.
  ///   - original: The log whose permissions it gets.
  ///   - write: Writes the file of a name. All of it must be in that file in the end, without other files next to it.
  ///   - check: Throws if the file of a name does not read as it was written.
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
        "\(path): the copy can't be created: its last commits are in another file (\(end)) and can't be moved into the "
          + "copy; check the disk, and free disk space")
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

  /// Runs a body, and names the new file in its errors as its user knows it.
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

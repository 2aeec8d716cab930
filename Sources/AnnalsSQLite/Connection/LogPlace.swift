import Annals

/// The file that a log was opened in: another file may have its name later.
struct LogPlace: Sendable {
  /// The path as it was given.
  let path: String
  /// The file that the path leads to, without links on the way: SQLite's other files are beside it.
  let file: String
  private let identity: FileSystem.Identity?

  /// The file that is at a path now.
  init(_ path: String) {
    self.path = path
    file = FileSystem.withoutLinks(path)
    identity = FileSystem.identity(file)
  }

  /// The file of commits that are not in the log's own file yet.
  var commits: String { file + "-wal" }

  /// The folder that the file is in.
  var folder: String { FileSystem.folder(of: file) }

  /// True as long as the path leads to the file that it led to.
  var isKept: Bool { FileSystem.identity(path) == identity }

  /// Throws if the log's file is not the one that was opened.
  func check() throws {
    let found = FileSystem.identity(path)
    guard found != identity else { return }
    throw EventStoreError(
      .replaced,
      "\(path): expected the log that was opened, found \(found == nil ? "no file" : "another file"): it was removed "
        + "or replaced while it was open; open it again")
  }

  /// Throws if the file has several names (hard links).
  ///
  /// SQLite keeps commits beside the name that a log is opened by (sqlite.org/howtocorrupt.html, 2.5). Opened by
  /// another name, the log would lack them, and two programs would overwrite each other's events.
  static func checkNames(_ file: String, path: String) throws {
    guard let names = FileSystem.status(file)?.names, names > 1 else { return }
    throw EventStoreError(
      .io,
      "\(path): expected a file with one name, found one with \(names) (hard links): commits lie beside the name that "
        + "the log was written by, and would be missed by another; remove the other names, or copy the file")
  }
}

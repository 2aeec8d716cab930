import Annals

/// The file that a log was opened in: another file may have its name later.
struct LogPlace: Sendable {
  /// The path as it was given, after the working folder of that moment if it was relative.
  let path: String
  /// The file that the path leads to, without links on the way: SQLite's other files are beside it.
  let file: String
  private let identity: FileSystem.Identity?

  /// The file that is at a path now.
  ///
  /// - Parameter path: An absolute path: see ``absolute(_:)``.
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

  /// A path that leads to the same file after the process has changed its working folder.
  ///
  /// Links stay as they are, so that it is noticed if they are set elsewhere.
  ///
  /// - Parameter path: A path as a user gives it.
  /// - Returns: The path; a relative one comes after the working folder.
  /// - Throws: ``EventStoreError`` for a path that names no file, and if the working folder was removed.
  static func absolute(_ path: String) throws -> String {
    if path.isEmpty { throw EventStoreError(.io, "expected the path of a file, found an empty text") }
    if path.utf8.contains(0) {
      throw EventStoreError(
        .io, "\(path.debugDescription): expected the path of a file, found a text with a zero byte, where paths end")
    }
    if path.hasPrefix("/") { return path }
    do {
      var (folder, rest) = (try FileSystem.workingFolder(), path[...])
      // The system names the working folder without links, so that its outer folders are in its name. Then the path
      // stays right when the working folder is removed.
      while let end = ["./", "../"].first(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(end.count).drop { $0 == "/" }
        if end == "../" { folder = FileSystem.folder(of: folder) }
      }
      return folder == "/" ? "/" + rest : folder + "/" + rest
    } catch {
      throw EventStoreError(
        .io,
        "\(path): expected a path that begins with /, since the working folder cannot be looked up: "
          + "\(SystemFailure.words(error.code)); give the whole path, or change to a folder that exists")
    }
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

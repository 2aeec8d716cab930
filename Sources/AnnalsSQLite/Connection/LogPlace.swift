import Annals
import Synchronization

/// The file that a log was opened in, which is remembered because another file might get its name later.
struct LogPlace: Sendable {
  /// The path of the log, after the current working folder if the given path was relative.
  let path: String
  /// The file that the path refers to, with links resolved.
  ///
  /// SQLite's other files are next to it.
  let file: String
  private let identity: FileSystem.Identity?
  /// The files that SQLite has open next to the log's file.
  private let companions = Companions()

  /// Creates a place for the file that is currently at a path.
  ///
  /// - Parameter path: An absolute path: see ``absolute(_:)``.
  init(_ path: String) {
    self.path = path
    file = FileSystem.withoutLinks(path)
    identity = FileSystem.identity(file)
  }

  /// The `-wal` file that are not yet in the log's own file.
  var commits: String { file + "-wal" }

  /// The folder that the file is in.
  var folder: String { FileSystem.folder(of: file) }

  /// The file that a log's processes share as memory, with the location of every page in the `-wal` file.
  private var memory: String { file + "-shm" }

  /// True as long as the path refers to the same file as before, with the same files next to it.
  var isKept: Bool { find(nil) == nil }

  /// Throws if the log's file, or a file next to it that SQLite has open, was removed or replaced.
  ///
  /// - Returns: The size of the `-wal` file in bytes, or `nil` if it was not noted.
  @discardableResult
  func check() throws -> Int? {
    var size: Int?
    guard let change = find(&size) else { return size }
    throw error(change)
  }

  /// A file that is no longer the opened file.
  struct Change {
    let file: Part
    /// True if another file has its name.
    let isReplaced: Bool

    enum Part { case log, commits, memory }
  }

  /// Returns the first file that was removed or replaced, or `nil` if all are unchanged.
  func find(_ size: UnsafeMutablePointer<Int?>?) -> Change? {
    let found = FileSystem.identity(path)
    if found != identity { return Change(file: .log, isReplaced: found != nil) }
    guard let noted = companions.noted.withLock({ $0 }) else { return nil }
    let commits = FileSystem.status(commits)
    if commits?.identity != noted.commits { return Change(file: .commits, isReplaced: commits != nil) }
    size?.pointee = commits.map { Int($0.size) }
    let memory = FileSystem.identity(memory)
    if memory != noted.memory { return Change(file: .memory, isReplaced: memory != nil) }
    return nil
  }

  /// True if the file that the programs on the log share is still the noted file.
  var isSharedAsBefore: Bool {
    companions.noted.withLock { $0?.memory }.map { $0 == FileSystem.identity(memory) } ?? false
  }

  /// True if neither file next to the log exists, so no other program has opened the log since they were removed.
  var isAlone: Bool { FileSystem.identity(commits) == nil && FileSystem.identity(memory) == nil }

  /// Returns the error for a file that was removed or replaced.
  ///
  /// - Parameters:
  ///   - change: The removed or replaced file.
  ///   - isSaved: True if all commits of this store are in the log's own file.
  /// - Returns: The error.
  func error(_ change: Change, isSaved: Bool = false) -> EventStoreError {
    let found = change.isReplaced ? "another file" : "no file"
    let (name, expected) =
      switch change.file {
      case .log: (path, "the log that was opened")
      case .commits: (commits, "the write-ahead log of the open log")
      case .memory: (memory, "the file that all programs with the open log share")
      }
    let rest =
      switch change.file {
      case .log: "reopen it"
      case _ where isSaved:
        "the commits of this store are safe in the log's own file; reopen the log"
      default: "the last commits may be lost; reopen the log, verify it, and check its last events"
      }
    return EventStoreError(
      .replaced,
      "\(name): expected \(expected), found \(found): it was removed or replaced while the log was open; \(rest)")
  }

  /// The error for a `-wal` file that was truncated while the log was open.
  var shortened: EventStoreError {
    EventStoreError(
      .replaced,
      "\(commits): expected the commits of the open log, found a shorter file: it was truncated while the log was "
        + "open; the last commits may be lost; reopen the log, verify it, and check its last events")
  }

  /// Notes the files next to the log, once a connection has them open.
  ///
  /// They stay the same for as long as a connection has them open. A process removes them, or changes the journal
  /// mode, only under a lock that it doesn't get until then (sqlite.org/wal.html, 8). Copying commits and truncating
  /// the file keep the file itself.
  ///
  /// - Parameter connection: A connection that has read.
  /// - Throws: ``EventStoreError`` if the files were removed in the meantime.
  func noteCompanions(_ connection: SQLiteConnection) throws {
    if companions.noted.withLock({ $0 != nil }) { return }
    guard try connection.int("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'") == 1 else { return }
    let found = Companions.Noted(commits: FileSystem.identity(commits), memory: FileSystem.identity(memory))
    guard found.commits != nil else { throw error(Change(file: .commits, isReplaced: false)) }
    guard found.memory != nil else { throw error(Change(file: .memory, isReplaced: false)) }
    companions.noted.withLock { $0 = $0 ?? found }
  }

  /// Forgets the files next to the log before they are closed, because the last connection removes them.
  func forgetCompanions() { companions.noted.withLock { $0 = nil } }

  /// The identities of the files next to the log.
  private final class Companions: Sendable {
    struct Noted: Equatable {
      let commits: FileSystem.Identity?
      let memory: FileSystem.Identity?
    }

    let noted = Mutex<Noted?>(nil)
  }

  /// Returns a path that refers to the same file after the process has changed its working folder.
  ///
  /// Links stay unresolved, so that a change of their targets is noticed.
  ///
  /// - Parameter path: A path as given by a user.
  /// - Returns: The path, which begins with the working folder if it was relative.
  /// - Throws: ``EventStoreError`` for an empty path, a path with a zero byte, and if the working folder was removed.
  static func absolute(_ path: String) throws -> String {
    if path.isEmpty { throw EventStoreError(.io, "expected the path of a file, found an empty string") }
    if path.utf8.contains(0) {
      throw EventStoreError(
        .io,
        "\(path.debugDescription): expected the path of a file, found a string with a zero byte, which would end "
          + "the path")
    }
    if path.hasPrefix("/") { return path }
    do {
      var (folder, rest) = (try FileSystem.workingFolder(), path[...])
      // The system returns the working folder without links, so its name contains its parent folders. Then the path
      // remains valid when the working folder is removed.
      while let end = ["./", "../"].first(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(end.count).drop { $0 == "/" }
        if end == "../" { folder = FileSystem.folder(of: folder) }
      }
      return folder == "/" ? "/" + rest : folder + "/" + rest
    } catch {
      throw EventStoreError(
        .io,
        "\(path): expected an absolute path, because the working directory can't be determined: "
          + "\(SystemFailure.words(error.code)); pass an absolute path, or change to a folder that exists")
    }
  }

  /// Throws if the file has several names (hard links).
  ///
  /// SQLite keeps commits next to the name that a log is opened by (sqlite.org/howtocorrupt.html, 2.5). Opened by
  /// another name, the log would lack them, and two programs would overwrite events of the other.
  static func checkNames(_ file: String, path: String) throws {
    guard let names = FileSystem.status(file)?.names, names > 1 else { return }
    throw EventStoreError(
      .io,
      "\(path): expected a file with one name, found \(names) names (hard links): the write-ahead log is next to the "
        + "name that the log was opened by, so a program that opens another name would miss commits; remove the other "
        + "names, or copy the file")
  }
}

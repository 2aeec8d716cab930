import AnnalsLog
import Synchronization

/// A log's path and the identity of the file that was opened, because another file might get this path later.
struct LogLocation: Sendable {
  /// The log's path.
  ///
  /// A relative path was prefixed with the working folder.
  let path: String
  /// The file that the path refers to, with links resolved.
  ///
  /// SQLite's `-wal` and `-shm` files are next to this file.
  let file: String
  private let identity: FileSystem.Identity?
  /// The `-wal` and `-shm` files that SQLite has open.
  private let companions = Companions()

  /// Creates a value for the file that is currently at a path.
  ///
  /// - Parameter path: An absolute path: see ``absolute(_:)``.
  init(_ path: String) {
    self.path = path
    file = FileSystem.withoutLinks(path)
    identity = FileSystem.identity(file)
  }

  /// The path of the `-wal` file, which contains the commits that are not yet in the log's own file.
  var commits: String { file + "-wal" }

  /// The folder that contains the file.
  var folder: String { FileSystem.folder(of: file) }

  /// The path of the `-shm` file, which is the processes' shared memory and locates every page in the `-wal` file.
  private var memory: String { file + "-shm" }

  /// True as long as the log's file, its `-wal` file and its `-shm` file are the files that were opened.
  var isKept: Bool { find(nil) == nil }

  /// Throws if the log's file, its `-wal` file or its `-shm` file was removed or replaced after it was opened.
  ///
  /// - Returns: The size of the `-wal` file in bytes, or `nil` if SQLite has not opened this file yet.
  @discardableResult
  func check() throws -> Int? {
    var size: Int?
    guard let change = find(&size) else { return size }
    throw error(change)
  }

  /// A file that was removed or replaced after it was opened.
  struct Change {
    let file: Part
    /// True if another file now has the file's name.
    let isReplaced: Bool

    enum Part { case log, commits, memory }
  }

  /// Returns the first file that was removed or replaced, or `nil` if all files are unchanged.
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

  /// True if the `-shm` file is still the file that was opened.
  var isSharedAsBefore: Bool {
    companions.noted.withLock { $0?.memory }.map { $0 == FileSystem.identity(memory) } ?? false
  }

  /// True if neither a `-wal` file nor a `-shm` file exists.
  ///
  /// In that case, no other program has opened the log since these files were removed.
  var isAlone: Bool { FileSystem.identity(commits) == nil && FileSystem.identity(memory) == nil }

  /// Returns the error for a file that was removed or replaced.
  ///
  /// - Parameters:
  ///   - change: The removed or replaced file.
  ///   - isSaved: True if all commits of this store are in the log's own file.
  /// - Returns: The error.
  func error(_ change: Change, isSaved: Bool = false) -> EventStoreError {
    let what = change.isReplaced ? "replaced by another file" : "removed"
    let (name, file) =
      switch change.file {
      case .log: (path, "the log's file")
      case .commits: (commits, "the log's write-ahead log (-wal)")
      case .memory: (memory, "the log's shared memory (-shm)")
      }
    let rest =
      switch change.file {
      case .log: ". Reopen the log"
      case _ where isSaved:
        ", but the log's file contains all commits of this store, so no commit is lost. Reopen the log"
      default: ", so the last commits may be lost. Reopen the log, verify it, and check its last events"
      }
    return EventStoreError(.replaced, "\(name): \(file) was \(what) while the log was open\(rest)")
  }

  /// The error for a `-wal` file that was truncated while the log was open.
  var shortened: EventStoreError {
    EventStoreError(
      .replaced,
      "\(commits): the log's write-ahead log (-wal) was truncated while the log was open, so the last commits may be "
        + "lost. Reopen the log, verify it, and check its last events")
  }

  /// Records the identities of the `-wal` and `-shm` files, once a connection has them open.
  ///
  /// These files stay the same for as long as a connection has them open. To remove them or to change the journal mode,
  /// a process needs a lock that it doesn't get during that time (sqlite.org/wal.html, section 8). Copying commits and
  /// truncating the `-wal` file keep the file itself.
  ///
  /// - Parameter connection: A connection that has read from the log.
  /// - Throws: ``EventStoreError`` if the files were removed in the meantime.
  func noteCompanions(_ connection: SQLiteConnection) throws {
    if companions.noted.withLock({ $0 != nil }) { return }
    var mode: String?
    try connection.statement("PRAGMA journal_mode").run { mode = $0.text(0) }
    guard mode == "wal" else { return }
    let found = Companions.Noted(commits: FileSystem.identity(commits), memory: FileSystem.identity(memory))
    guard found.commits != nil else { throw error(Change(file: .commits, isReplaced: false)) }
    guard found.memory != nil else { throw error(Change(file: .memory, isReplaced: false)) }
    companions.noted.withLock { $0 = $0 ?? found }
  }

  /// Forgets the `-wal` and `-shm` files before they are closed, because the last connection removes them.
  func forgetCompanions() { companions.noted.withLock { $0 = nil } }

  /// The identities of the `-wal` and `-shm` files.
  private final class Companions: Sendable {
    struct Noted: Equatable {
      let commits: FileSystem.Identity?
      let memory: FileSystem.Identity?
    }

    let noted = Mutex<Noted?>(nil)
  }

  /// Returns an absolute path, which stays valid after the process has changed its working folder.
  ///
  /// Links are not resolved, so that the store notices if a link gets another target.
  ///
  /// - Parameter path: A path that a user passed.
  /// - Returns: The path. If it was relative, it begins with the working folder.
  /// - Throws: ``EventStoreError`` if the path is empty or contains a zero byte, or if the working folder was removed.
  static func absolute(_ path: String) throws -> String {
    if path.isEmpty { throw EventStoreError(.io, "expected a file path, found an empty string. Pass a path") }
    if path.utf8.contains(0) {
      throw EventStoreError(
        .io,
        "\(path.debugDescription): a file path can't contain a zero byte, because the system would end the path at "
          + "this byte; remove the byte")
    }
    if path.hasPrefix("/") { return path }
    do {
      var (folder, rest) = (try FileSystem.workingFolder(), path[...])
      // The system returns the working folder's path without links. So `../` is resolved by removing the path's last
      // component, and the resulting path remains valid if the working folder is removed.
      while let end = ["./", "../"].first(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(end.count).drop { $0 == "/" }
        if end == "../" { folder = FileSystem.folder(of: folder) }
      }
      return folder == "/" ? "/" + rest : folder + "/" + rest
    } catch {
      throw EventStoreError(
        .io,
        "\(path): the relative path can't be resolved, because the working directory can't be determined: "
          + "\(SystemFailure.words(error.code)); pass an absolute path, or change to a folder that exists")
    }
  }

  /// Throws if the file has several names (hard links).
  ///
  /// SQLite stores new commits in a `-wal` file that is named after the path by which the log was opened
  /// (sqlite.org/howtocorrupt.html, section 2.5). A program that opens the log by another name doesn't see these
  /// commits, and the two programs would overwrite each other's events.
  static func checkNames(_ file: String, path: String) throws {
    guard let names = FileSystem.status(file)?.names, names > 1 else { return }
    throw EventStoreError(
      .io,
      "\(path): expected a file with only one name, found \(names) names (hard links). A program that opens the file "
        + "under another name uses a different write-ahead log and misses commits. Remove the other names, or copy the "
        + "file")
  }
}

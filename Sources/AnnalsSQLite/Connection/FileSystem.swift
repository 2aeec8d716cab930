#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls the C library's `rename`, which a member of the same name would hide.
private func renameFile(_ path: String, _ other: String) -> Int32 { rename(path, other) }

/// File operations that differ between the C libraries of systems.
enum FileSystem {
  /// The identity of a file, independent of its name.
  struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  /// The status of a file.
  struct Status {
    let identity: Identity
    /// The number of the file's names (hard links).
    let names: Int
    /// The permissions to read and write the file: the lowest nine bits, as in `chmod`.
    let mode: UInt32
    /// The number of bytes.
    let size: Int64
    let isFolder: Bool
    /// The numbers of the file's owner and group.
    let owner: (user: UInt32, group: UInt32)
  }

  /// A system call that failed.
  struct Failure: Error {
    /// The system's error number (errno).
    let code: Int32

    /// The cause, and a way to resolve it.
    var sentence: String { SystemFailure.sentence(code) }
  }

  /// Returns the status of the file that a path refers to, or `nil`.
  static func status(_ path: String) -> Status? {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    return Status(
      identity: Identity(
        device: UInt64(truncatingIfNeeded: found.st_dev), number: UInt64(truncatingIfNeeded: found.st_ino)),
      names: Int(truncatingIfNeeded: found.st_nlink), mode: UInt32(truncatingIfNeeded: found.st_mode) & 0o777,
      size: Int64(found.st_size), isFolder: found.st_mode & S_IFMT == S_IFDIR,
      owner: (UInt32(truncatingIfNeeded: found.st_uid), UInt32(truncatingIfNeeded: found.st_gid)))
  }

  /// Returns the status of the file that a path refers to, or `nil` if the file or its folder does not exist.
  ///
  /// - Throws: ``Failure`` if the status cannot be determined, for example because a folder may not be searched.
  static func existing(_ path: String) throws(Failure) -> Status? {
    if let found = status(path) { return found }
    let code = errno
    if code == ENOENT { return nil }
    throw Failure(code: code)
  }

  /// Returns the working folder of the process.
  ///
  /// - Throws: ``Failure`` if the folder was removed or may not be looked up.
  static func workingFolder() throws(Failure) -> String {
    guard let found = getcwd(nil, 0) else { throw Failure(code: errno) }
    defer { free(found) }
    return String(cString: found)
  }

  /// Returns the reason why this process may not read a file, or `nil` if it may.
  static func readFailure(_ path: String) -> Failure? {
    access(path, R_OK) == 0 ? nil : Failure(code: errno)
  }

  /// Returns the reason why this process may not write to a file, or `nil` if it may.
  static func writeFailure(_ path: String) -> Failure? {
    access(path, W_OK) == 0 ? nil : Failure(code: errno)
  }

  /// Returns the size of a file in bytes, or 0 if it does not exist.
  static func size(_ path: String) -> Int { Int(status(path)?.size ?? 0) }

  /// Returns the identity of the file at a path, or `nil`.
  static func identity(_ path: String) -> Identity? { status(path)?.identity }

  /// Returns the path of a file with all links resolved, whether or not the file exists.
  ///
  /// SQLite puts its other files next to the target of a link, so look for them there.
  static func withoutLinks(_ path: String) -> String {
    var path = path
    // The number of links that systems follow.
    for _ in 0..<40 {
      if let real = realpath(path, nil) {
        defer { free(real) }
        return String(cString: real)
      }
      let folder = folder(of: path)
      let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
      guard let target = target(ofLink: path) else {
        let found = realpath(folder, nil).map { real in
          defer { free(real) }
          return String(cString: real)
        }
        guard let found else { return path }
        return found == "/" ? "/" + name : found + "/" + name
      }
      path = target.hasPrefix("/") ? target : folder + "/" + target
    }
    return path
  }

  /// Returns the folder of a path, as written in the path.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Returns the target of a link, or `nil` if the path isn't a link.
  private static func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = bytes.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), bytes.count) } ?? -1
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// A system call for new files, which tests can make fail.
  enum Call: CaseIterable {
    case create, setPermissions, sync, link, remove, syncFolder
  }

  /// A closure that returns the error number with which a call fails, in a test that sets it.
  @TaskLocal static var fault: (@Sendable (Call, String) -> Int32?)?

  private static func fail(_ call: Call, _ path: String) throws(Failure) {
    if let fault, let code = fault(call, path) { throw Failure(code: code) }
  }

  /// Renames a file, unless the new name is taken.
  ///
  /// - Throws: ``Failure``, with `isTaken` if a file has the name.
  static func rename(_ path: String, to other: String) throws(Failure) {
    try fail(.link, path)
    // A second name is refused if a file exists, but renaming would replace that file.
    if link(path, other) == 0 {
      do throws(Failure) {
        try fail(.remove, path)
        guard unlink(path) == 0 else { throw Failure(code: errno) }
      } catch {
        // A file with two names is refused when it is opened.
        unlink(other)
        throw error
      }
      return
    }
    let code = errno
    guard code == EPERM || code == ENOTSUP || code == EMLINK || code == ENOSYS else { throw Failure(code: code) }
    // A file system without hard links.
    if status(other) != nil { throw Failure(code: EEXIST) }
    guard renameFile(path, other) == 0 else { throw Failure(code: errno) }
  }

  /// Creates an empty file that only its user can read and write, unless a file of that name exists.
  static func create(_ path: String) throws(Failure) {
    try fail(.create, path)
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { throw Failure(code: errno) }
    // The process can remove even these permissions from new files (umask).
    fchmod(descriptor, mode_t(0o600))
    close(descriptor)
  }

  /// Gives access to a file to exactly the users who may access another file.
  ///
  /// A file keeps its owner if this user may not change it. If the group cannot be kept, the group gets no
  /// permissions, because members of another group might not be allowed to read the original.
  static func setPermissions(_ path: String, of original: Status) throws(Failure) {
    try fail(.setPermissions, path)
    if chown(path, uid_t(original.owner.user), gid_t(original.owner.group)) != 0 {
      // Only root may give a file to another user.
      chown(path, uid_t.max, gid_t(original.owner.group))
    }
    let isOfGroup = status(path)?.owner.group == original.owner.group
    guard chmod(path, mode_t(isOfGroup ? original.mode : original.mode & ~0o070)) == 0 else {
      throw Failure(code: errno)
    }
  }

  /// Waits until a file's bytes are on the disk.
  ///
  /// No connection of this process may have the file open: closing a descriptor ends the process's locks on the file.
  static func sync(_ path: String) throws(Failure) {
    try fail(.sync, path)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    defer { close(descriptor) }
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) != -1 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw Failure(code: errno) }
  }

  /// Waits until the names in a file's folder are on the disk.
  static func syncFolder(of path: String) throws(Failure) {
    try fail(.syncFolder, path)
    let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
    // A folder that may be written but not read cannot be synced.
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else { throw Failure(code: errno) }
    defer { close(descriptor) }
    // Some file systems don't sync folders.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw Failure(code: errno) }
  }

  /// Removes a file, if it exists.
  static func remove(_ path: String) { unlink(path) }

  /// Lets another thread run.
  static func yield() { sched_yield() }

  /// Sleeps for a number of microseconds, less than a second.
  static func sleep(microseconds: UInt32) { usleep(microseconds) }
}

/// A file that is flushed to the disk beyond SQLite's own syncs.
///
/// Apple's `fsync` leaves data in the drive's cache, where a power loss destroys it. Apple's SQLite requests only an
/// order of writes (`F_BARRIERFSYNC`), even with `fullfsync`. `F_FULLFSYNC` flushes the drive's cache. It works
/// through any open file of the drive.
final class DriveFlush: Sendable {
  #if canImport(Darwin)
    private let descriptor: Int32

    /// Opens the `-wal` file next to a log.
    ///
    /// SQLite takes no locks on it, so closing it ends none.
    init(logPath: String) {
      descriptor = open(logPath + "-wal", O_RDONLY)
    }

    /// Flushes the drive's cache, or returns false if the system cannot.
    func flush() -> Bool { descriptor >= 0 && fcntl(descriptor, F_FULLFSYNC) != -1 }

    deinit { if descriptor >= 0 { close(descriptor) } }
  #else
    init(logPath: String) {}

    /// Returns true without any work, because `fsync` reaches the disk here.
    func flush() -> Bool { true }
  #endif
}

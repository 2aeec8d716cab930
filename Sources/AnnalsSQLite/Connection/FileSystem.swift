import CAnnalsSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls the C library's `rename`, because a member of the same name hides that function inside ``FileSystem``.
private func renameFile(_ path: String, _ other: String) -> Int32 { rename(path, other) }

/// Functions for file operations that differ between operating systems' C libraries.
enum FileSystem {
  /// The identity of a file, independent of its name.
  struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  /// The status of a file.
  struct Status {
    let identity: Identity
    /// The number of hard links to the file.
    let names: Int
    /// The file's permissions, as the nine bits of `chmod`.
    let mode: UInt32
    /// The file's size in bytes.
    let size: Int64
    let isFolder: Bool
    /// The numeric ids of the file's owner and group.
    let owner: (user: UInt32, group: UInt32)
  }

  /// A system call that failed.
  struct Failure: Error {
    /// The system's error number (errno).
    let code: Int32

    /// The failure to find a file.
    static let missing = Failure(code: ENOENT)

    /// A description of the failure's cause, and of a way to resolve it.
    var sentence: String { SystemFailure.sentence(code) }
  }

  /// Returns the status of the file that a path refers to, or `nil` if the status can't be determined.
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
  /// - Throws: ``Failure`` if the status cannot be determined, for example because of a folder's permissions.
  static func existing(_ path: String) throws(Failure) -> Status? {
    if let found = status(path) { return found }
    let code = errno
    if code == ENOENT { return nil }
    throw Failure(code: code)
  }

  /// Returns the process's working folder.
  ///
  /// - Throws: ``Failure`` if the folder was removed or can't be accessed.
  static func workingFolder() throws(Failure) -> String {
    guard let found = getcwd(nil, 0) else { throw Failure(code: errno) }
    defer { free(found) }
    return String(cString: found)
  }

  /// Returns the reason why this process can't read a file, or `nil` if it can.
  static func readFailure(_ path: String) -> Failure? {
    access(path, R_OK) == 0 ? nil : Failure(code: errno)
  }

  /// Returns the reason why this process can't write to a file, or `nil` if it can.
  static func writeFailure(_ path: String) -> Failure? {
    access(path, W_OK) == 0 ? nil : Failure(code: errno)
  }

  /// Returns the size of a file in bytes, or 0 if it does not exist.
  static func size(_ path: String) -> Int { Int(status(path)?.size ?? 0) }

  /// Returns the identity of the file at a path, or `nil` if the file can't be found.
  static func identity(_ path: String) -> Identity? { status(path)?.identity }

  /// Returns a path with all symbolic links resolved, even if the file does not exist.
  ///
  /// For example, SQLite puts a log's `-wal` file next to the file that a link refers to.
  static func withoutLinks(_ path: String) -> String {
    var path = path
    // Systems follow at most 40 links.
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

  /// Returns the folder part of a path, without resolving links.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Returns the path that a symbolic link refers to, or `nil` if the path isn't a link.
  private static func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = bytes.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), bytes.count) } ?? -1
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// The system calls for new files, which tests can make fail.
  enum Call: CaseIterable {
    case create, setPermissions, sync, link, remove, syncFolder
  }

  /// A closure that makes a system call fail in a test by returning an error number for it.
  @TaskLocal static var fault: (@Sendable (Call, String) -> Int32?)?

  private static func fail(_ call: Call, _ path: String) throws(Failure) {
    if let fault, let code = fault(call, path) { throw Failure(code: code) }
  }

  /// Renames a file, unless another file has the new name.
  ///
  /// - Throws: ``Failure``. Its `isTaken` is true if another file has the new name.
  static func rename(_ path: String, to other: String) throws(Failure) {
    try fail(.link, path)
    // If a file has the new name, `link` fails, but `rename` would replace that file.
    if link(path, other) == 0 {
      do throws(Failure) {
        try fail(.remove, path)
        guard unlink(path) == 0 else { throw Failure(code: errno) }
      } catch {
        // The new name is removed, because a store refuses to open a file with two names.
        unlink(other)
        throw error
      }
      return
    }
    let code = errno
    guard code == EPERM || code == ENOTSUP || code == EMLINK || code == ENOSYS else { throw Failure(code: code) }
    // The file system doesn't support hard links.
    if status(other) != nil { throw Failure(code: EEXIST) }
    guard renameFile(path, other) == 0 else { throw Failure(code: errno) }
  }

  /// Creates an empty file that only its owner can read and write, unless a file of the same name exists.
  static func create(_ path: String) throws(Failure) {
    try fail(.create, path)
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { throw Failure(code: errno) }
    // The process can remove even these permissions from new files (umask).
    fchmod(descriptor, mode_t(0o600))
    close(descriptor)
  }

  /// Gives access to a file to the same users who can access another file.
  ///
  /// If this process can't change the file's owner, the owner stays the same. If the process can't set the other file's
  /// group, the current group gets no permissions, because its members might not be allowed to read the other file.
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

  /// Returns false if the disk of a file has less free space than a number of bytes.
  ///
  /// The method reserves the bytes in a temporary file and releases them, because a direct query for the free space
  /// requires a declaration in an app's privacy manifest. The temporary file loses its name before the reservation, so
  /// it can't be left over. If the space is unknown, for example on a file system without reservations, the result is
  /// true.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes, at least 1.
  ///   - path: A file on the disk. Its folder contains the temporary file.
  /// - Returns: False if the bytes can't be reserved because the disk is full.
  static func hasSpace(for bytes: Int64, nextTo path: String) -> Bool {
    let temporary = "\(path)-space-\(UInt64.random(in: 0 ... .max))"
    let descriptor = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { return !isFull(errno) }
    defer { close(descriptor) }
    unlink(temporary)
    #if canImport(Darwin)
      var reservation = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: bytes,
        fst_bytesalloc: 0)
      let isReserved = fcntl(descriptor, F_PREALLOCATE, &reservation) != -1
    #else
      // `posix_fallocate` would write all the bytes on a file system without reservations. With its size unchanged, the
      // file may be larger than the process's limit for a file's size.
      let isReserved = fallocate(descriptor, ANNALS_FALLOC_FL_KEEP_SIZE, 0, Int(clamping: bytes)) == 0
    #endif
    return isReserved || !isFull(errno)
  }

  /// Returns whether an error number means that a disk has no space, or that a user has none left on it.
  private static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

  /// Waits until a file's bytes are on the disk.
  ///
  /// No connection of this process may have the file open, because closing the method's file descriptor releases the
  /// process's locks on the file.
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

  /// Waits until the folder entries next to a file are on the disk, so that new and renamed files keep their names.
  static func syncFolder(of path: String) throws(Failure) {
    try fail(.syncFolder, path)
    let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
    // A folder can't be synced if this process may write to it but may not read it.
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else { throw Failure(code: errno) }
    defer { close(descriptor) }
    // Some file systems don't sync folders.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw Failure(code: errno) }
  }

  /// The number of this process.
  static var processNumber: Int32 { getpid() }

  /// The result of ``lock(_:like:note:)``.
  enum Locking {
    case locked(Int32)
    /// Another open file has the lock. The value is the note of the lock's holder.
    case held(String?)
  }

  /// Locks a file, which is created for the lock and removed by ``unlock(_:_:)``.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - original: The status of a file with the same users.
  ///   - note: A description of this process, at most 200 bytes of which are used.
  /// - Returns: A file descriptor that holds the lock, or the note of the process that has the lock.
  /// - Throws: ``Failure``.
  static func lock(_ path: String, like original: Status, note: String) throws(Failure) -> Locking {
    while true {
      try fail(.create, path)
      let isNew = status(path) == nil
      let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, mode_t(0o600))
      guard descriptor >= 0 else { throw Failure(code: errno) }
      // The users of the log can run its followers, too. An error leaves the file with stricter permissions.
      if isNew { try? setPermissions(path, of: original) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        defer { close(descriptor) }
        if code == EINTR { continue }
        guard code == EWOULDBLOCK else { throw Failure(code: code) }
        return .held(text(descriptor))
      }
      // The holder removes the file before it releases the lock. In that case, this lock is on a removed file, and
      // excludes nobody.
      var found = stat()
      guard fstat(descriptor, &found) == 0, let current = identity(path),
        current.number == UInt64(truncatingIfNeeded: found.st_ino),
        current.device == UInt64(truncatingIfNeeded: found.st_dev)
      else {
        close(descriptor)
        continue
      }
      // The note is only for messages, so a full disk doesn't matter.
      let bytes = Array(note.utf8.prefix(200))
      if ftruncate(descriptor, 0) == 0 { _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } }
      return .locked(descriptor)
    }
  }

  /// Returns the beginning of a file's text, or `nil` if the file is empty.
  private static func text(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// Removes a lock's file, and releases the lock.
  static func unlock(_ descriptor: Int32, _ path: String) {
    unlink(path)
    close(descriptor)
  }

  /// Removes a file, if it exists.
  static func remove(_ path: String) { unlink(path) }

  /// Lets another thread run.
  static func yield() { sched_yield() }

  /// Sleeps for a number of microseconds, less than a second.
  static func sleep(microseconds: UInt32) { usleep(microseconds) }
}

/// A file through which the drive's cache can be flushed to the disk.
///
/// Apple's `fsync` leaves data in the drive's cache, where a power loss destroys it. Even with `fullfsync`, Apple's
/// SQLite requests only an order of writes (`F_BARRIERFSYNC`). In contrast, `F_FULLFSYNC` flushes the drive's cache,
/// through any open file on the drive.
final class DriveFlush: Sendable {
  #if canImport(Darwin)
    private let descriptor: Int32

    /// Opens the `-wal` file of a log.
    ///
    /// SQLite has no locks on this file, so closing it releases no locks.
    init(logPath: String) {
      descriptor = open(logPath + "-wal", O_RDONLY)
    }

    /// Flushes the drive's cache, or returns false if the system can't do that.
    func flush() -> Bool { descriptor >= 0 && fcntl(descriptor, F_FULLFSYNC) != -1 }

    deinit { if descriptor >= 0 { close(descriptor) } }
  #else
    init(logPath: String) {}

    /// Returns true without flushing, because `fsync` already writes to the disk on this system.
    func flush() -> Bool { true }
  #endif
}

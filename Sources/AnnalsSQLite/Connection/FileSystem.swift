#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// The C library's `rename`, which a member of the same name would hide.
private func renameFile(_ path: String, _ other: String) -> Int32 { rename(path, other) }

/// What each system's C library says of files in its own way.
enum FileSystem {
  /// What identifies a file, whatever its name.
  struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  /// What the system says of a file.
  struct Status {
    let identity: Identity
    /// How many names the file has.
    let names: Int
    /// Who may read and write it: the lowest nine bits, as `chmod` takes them.
    let mode: UInt32
    /// The number of bytes.
    let size: Int64
  }

  /// The status of the file that a path leads to; nil if there is none.
  static func status(_ path: String) -> Status? {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    return Status(
      identity: Identity(
        device: UInt64(truncatingIfNeeded: found.st_dev), number: UInt64(truncatingIfNeeded: found.st_ino)),
      names: Int(truncatingIfNeeded: found.st_nlink), mode: UInt32(truncatingIfNeeded: found.st_mode) & 0o777,
      size: Int64(found.st_size))
  }

  /// The size of a file in bytes; 0 if there is none.
  static func size(_ path: String) -> Int { Int(status(path)?.size ?? 0) }

  /// The identity of the file at a path; nil if there is none.
  static func identity(_ path: String) -> Identity? { status(path)?.identity }

  /// The path of a file without links on the way, whether the file is there or not.
  ///
  /// SQLite puts its other files beside the file that a link leads to, so that is where you look for them.
  static func withoutLinks(_ path: String) -> String {
    var path = path
    // As many links as systems follow.
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

  /// The folder that a path's file is in, as the path has it.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// What a link leads to; nil if a path is none.
  private static func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = bytes.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), bytes.count) } ?? -1
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// Gives a file another name, unless the name is taken.
  ///
  /// - Returns: Nil if it was done, else what the system says.
  static func rename(_ path: String, to other: String) -> String? {
    // A second name is refused where there is a file, at once; renaming would replace it.
    if link(path, other) == 0 {
      unlink(path)
      return nil
    }
    let code = errno
    guard code == EPERM || code == ENOTSUP || code == EMLINK || code == ENOSYS else {
      return reason(code)
    }
    // A file system without second names.
    if status(other) != nil { return reason(EEXIST) }
    return renameFile(path, other) == 0 ? nil : reason(errno)
  }

  /// Sets who may read and write a file.
  static func setMode(_ path: String, _ mode: UInt32) { chmod(path, mode_t(mode)) }

  private static func reason(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  /// Creates an empty file that only some may read, unless there is one.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mode: Who may read and write it.
  /// - Returns: Nil if it was done, else what the system says.
  static func create(_ path: String, mode: UInt32) -> String? {
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY, mode_t(mode))
    guard descriptor >= 0 else { return reason(errno) }
    // What the process takes away from new files (umask) was not taken from the log.
    fchmod(descriptor, mode_t(mode))
    close(descriptor)
    return nil
  }

  /// Asks for a folder's names to reach the disk.
  static func syncFolder(of path: String) {
    let descriptor = open(folder(of: path), O_RDONLY)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Lets another thread go on.
  static func yield() { sched_yield() }

  /// Sleeps for a number of microseconds, fewer than a second.
  static func sleep(microseconds: UInt32) { usleep(microseconds) }
}

/// A file that is asked to reach the disk itself, beyond what SQLite asks for.
///
/// Apple's `fsync` leaves data in the drive's memory, where a loss of power takes it. Apple's SQLite asks for an order
/// of writes only (`F_BARRIERFSYNC`), also with `fullfsync`. `F_FULLFSYNC` empties the drive's memory. It works through
/// any open file of the drive.
final class DriveFlush: Sendable {
  #if canImport(Darwin)
    private let descriptor: Int32

    /// Opens the file of commits beside a log; SQLite takes no locks on it, so that closing it ends none.
    init(logPath: String) {
      descriptor = open(logPath + "-wal", O_RDONLY)
    }

    /// Empties the drive's memory; false where the system cannot.
    func flush() -> Bool { descriptor >= 0 && fcntl(descriptor, F_FULLFSYNC) != -1 }

    deinit { if descriptor >= 0 { close(descriptor) } }
  #else
    init(logPath: String) {}

    /// Nothing is left to do: here `fsync` reaches the disk.
    func flush() -> Bool { true }
  #endif
}

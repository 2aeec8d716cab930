#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// What each system's C library says of files in its own way.
enum FileSystem {
  /// What tells one file from every other, whatever its name.
  struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  /// The identity of the file at a path; nil if there is none.
  static func identity(_ path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Lets another thread go on.
  static func yield() { sched_yield() }

  /// Sleeps for a number of microseconds, fewer than a second.
  static func sleep(microseconds: UInt32) { usleep(microseconds) }
}

/// A file that is asked to reach the disk itself, beyond what SQLite asks for.
///
/// Apple's `fsync` leaves data in the drive's memory, where a loss of power takes it, and Apple's SQLite asks for an order
/// of writes only (`F_BARRIERFSYNC`), also with `fullfsync`. `F_FULLFSYNC` empties the drive's memory; it works through any
/// open file of the drive.
final class DriveFlush: Sendable {
  #if canImport(Darwin)
    private let descriptor: Int32

    /// Opens the file beside a log in which commits lie; SQLite takes no locks on it, so that closing it ends none.
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

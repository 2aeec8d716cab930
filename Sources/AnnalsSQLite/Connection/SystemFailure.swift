import AnnalsLog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// The causes of failed system calls, as sentences that contain a way to resolve the failure.
enum SystemFailure {
  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    /// True on systems that can make files unreadable while the device is locked (Apple's data protection).
    static let protectsFiles = true
  #else
    /// True on systems that can make files unreadable while the device is locked (Apple's data protection).
    static let protectsFiles = false
  #endif

  /// Returns the cause of a failure and a way to resolve it.
  ///
  /// - Parameters:
  ///   - code: The system's error number (errno).
  ///   - protectsFiles: True if the system can make files unreadable while the device is locked.
  /// - Returns: A part of a sentence, for use after a colon.
  static func sentence(_ code: Int32, protectsFiles: Bool = protectsFiles) -> String {
    switch code {
    case EPERM where protectsFiles, EACCES where protectsFiles, EIO where protectsFiles:
      "the system doesn't allow access to the file, probably because the device is locked. Retry after the device is "
        + "unlocked, or give the log's folder the protection completeUntilFirstUserAuthentication"
    case EMFILE:
      "this process has too many files open. Close unused stores, or raise the limit (ulimit -n)"
    case ENFILE: "the system has too many files open. Quit programs, or raise the system's limit"
    case ENOSPC: "the disk is full. Free disk space and retry"
    case EDQUOT: "the user's disk quota is used up. Remove files, or raise the quota"
    case EFBIG:
      "the file exceeds the size limit of the file system or of the process. Raise the process's limit (ulimit -f)"
    case EACCES, EPERM:
      "this user isn't permitted to access the file, or a folder in its path. Change the permissions"
    case EROFS: "the file system is mounted for reading only. Mount it for writing, or open the log for reading only"
    case ENAMETOOLONG: "the path, or a name in it, is longer than the system allows. Choose a shorter path or name"
    case ELOOP: "the path contains a cycle of symbolic links, or too many symbolic links. Correct the links"
    case ENOTDIR: "a part of the path is a file instead of a folder. Correct the path"
    case EISDIR: "the path is a folder. Choose a file in it"
    case ENOENT: "a folder in the path doesn't exist, or was removed. Create the folder, or correct the path"
    case EEXIST: "a file with that name exists. Choose another name, or remove the file first"
    case EIO: "the disk reports an error. Check the disk, and copy all readable files to another disk"
    case ENXIO, ENODEV: "the disk is no longer attached. Attach it and retry"
    case ESTALE: "the network file system has lost the file. Keep a log on a local disk"
    case ENOMEM: "the system is out of memory. Quit programs and retry"
    case ENOLCK: "the system has no more locks. Quit programs, or keep the log on a local disk"
    case ETXTBSY, EBUSY: "the file is in use by the system. Retry"
    default: words(code)
    }
  }

  /// Throws if a path is longer than SQLite supports, because SQLite's error for a long path contains no cause.
  ///
  /// SQLite supports 512 bytes, including a suffix such as `-journal` (sqlite.org/c3ref/vfs.html).
  static func checkLength(of path: String) throws {
    guard path.utf8.count > 504 else { return }
    throw EventStoreError(
      .io, "\(path): expected a path of at most 504 bytes, found \(path.utf8.count) bytes. Choose a shorter path")
  }

  /// Returns the system's own description of an error number.
  static func words(_ code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  /// Returns true if SQLite reports a read with this error number as damage of the file (`SQLITE_IOERR_CORRUPTFS`).
  static func isReportedAsDamage(_ code: Int32) -> Bool { code == EIO || code == ENXIO || code == ERANGE }

  /// Returns true if an error number means that a file or a folder does not exist.
  static func isMissing(_ code: Int32) -> Bool { code == ENOENT }

  /// Returns true if an error number means that a file of the same name exists.
  static func isTaken(_ code: Int32) -> Bool { code == EEXIST }
}

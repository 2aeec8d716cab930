import CSQLite
import Foundation

/// The system's disk with a millisecond added to every sync, for as long as somebody holds this.
///
/// It is SQLite's default way to files with one method exchanged (sqlite.org/vfs.html); logs that are opened inside
/// ``using(_:_:)`` have it.
final class SlowDisk: Sendable {
  struct Failure: Error {}

  /// What SQLite is given, made once and kept as long as the process: an open file refers to it.
  ///
  /// `@unchecked Sendable`: written once, before anything is opened with it.
  private final class Methods: @unchecked Sendable {
    static let shared = Methods()

    let usual: UnsafeMutablePointer<sqlite3_vfs>?
    let slow = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    private let lock = NSLock()
    /// Guarded by the lock.
    private var known: [UnsafePointer<sqlite3_io_methods>: UnsafeMutablePointer<sqlite3_io_methods>] = [:]

    private init() {
      usual = sqlite3_vfs_find(nil)
      guard let usual else { return }
      slow.initialize(to: usual.pointee)
      slow.pointee.pNext = nil
      slow.pointee.zName = UnsafePointer(strdup("annals-slow-disk"))
      slow.pointee.xOpen = { vfs, name, file, flags, outFlags in
        let methods = Methods.shared
        guard let open = methods.usual?.pointee.xOpen else { return SQLITE_CANTOPEN }
        let code = open(methods.usual, name, file, flags, outFlags)
        if code == SQLITE_OK, let file { methods.slowDown(file) }
        return code
      }
    }

    /// Gives a file that was opened methods of which one is slow; files of several kinds have several methods.
    private func slowDown(_ opened: UnsafeMutablePointer<sqlite3_file>) {
      guard let usual = opened.pointee.pMethods else { return }
      opened.pointee.pMethods = lock.withLock {
        if let slow = known[usual] { return UnsafePointer(slow) }
        let slow = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        slow.initialize(to: usual.pointee)
        // One for all kinds: SQLite's files are synced in one way.
        sync = sync ?? usual.pointee.xSync
        slow.pointee.xSync = { file, flags in
          usleep(1_000)
          return Methods.shared.sync?(file, flags) ?? SQLITE_IOERR
        }
        known[usual] = slow
        return UnsafePointer(slow)
      }
    }

    private var sync: (@convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32)?
  }

  init() throws {
    guard Methods.shared.usual != nil else { throw Failure() }
  }

  /// Runs a body in which files are opened on the slow disk, if there is one.
  static func using<T>(_ disk: SlowDisk?, _ body: () throws -> T) throws -> T {
    guard disk != nil else { return try body() }
    sqlite3_vfs_register(Methods.shared.slow, 1)
    defer { sqlite3_vfs_register(Methods.shared.usual, 1) }
    return try body()
  }
}

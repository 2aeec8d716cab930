import CAnnalsSQLite
import Foundation
import Synchronization

/// A VFS for logs, which adds a checksum for every page to SQLite's usual VFS (sqlite.org/vfs.html).
///
/// It isn't the default VFS of the process. Files other than a database's main file are opened as in the usual VFS.
package enum CheckedFiles {
  private typealias System = UnsafeMutablePointer<sqlite3_vfs>
  private typealias Methods = UnsafePointer<sqlite3_io_methods>

  /// The VFSs and methods that were created so far, by their addresses.
  ///
  /// They are never released, because open files refer to them. They aren't dictionaries, because a dictionary with a
  /// rare type of key searches the program for a conformance, which took a sixtieth of a start with a saved list.
  private struct Made {
    /// The addresses of the usual VFSs and of their checked VFSs.
    var systems: [Pair] = []
    /// The addresses of the usual methods and of their checked files' methods.
    var methods: [Pair] = []
  }

  private struct Pair {
    let usual: UInt
    let ours: UInt
  }

  private static let made = Mutex(Made())

  /// The folder for SQLite's temporary files, for a caller that sets this value.
  ///
  /// By default, SQLite puts these files into the system's temporary folder, which might have less space, and might be
  /// readable by other users.
  @TaskLocal static var temporaryFolder: String?

  /// The name of the VFS to open a log with, or `nil` if the process has no VFS.
  package static var name: UnsafePointer<CChar>? { system?.pointee.zName }

  /// The checked VFS that uses the process's current default VFS.
  private static var system: System? {
    let usual = UInt(bitPattern: sqlite3_vfs_find(nil))
    return System(
      bitPattern: made.withLock { made in
        if let known = made.systems.first(where: { $0.usual == usual }) { return known.ours }
        let ours = UInt(bitPattern: make(over: usual, number: made.systems.count))
        made.systems.append(Pair(usual: usual, ours: ours))
        return ours
      })
  }

  private static func make(over usual: UInt, number: Int) -> System? {
    guard let usual = System(bitPattern: usual) else { return nil }
    let ours = System.allocate(capacity: 1)
    ours.initialize(to: usual.pointee)
    ours.pointee.pNext = nil
    ours.pointee.szOsFile = usual.pointee.szOsFile + Int32(CheckedFile.offset)
    ours.pointee.zName = UnsafePointer(strdup("annals-checked-\(number)"))
    ours.pointee.xOpen = { ours, path, file, flags, outFlags in CheckedFiles.open(ours, path, file, flags, outFlags) }
    sqlite3_vfs_register(ours, 0)
    return ours
  }

  /// Returns the usual VFS that a checked VFS uses.
  private static func usual(of ours: System?) -> System? {
    let ours = UInt(bitPattern: ours)
    return made.withLock { made in made.systems.first { $0.ours == ours }?.usual }.flatMap { System(bitPattern: $0) }
  }

  private static func open(
    _ ours: System?, _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let usual = usual(of: ours), let file else { return SQLITE_CANTOPEN }
    guard flags & SQLITE_OPEN_MAIN_DB != 0, let checked = CheckedFile.at(file) else {
      guard path == nil, let folder = temporaryFolder else {
        return usual.pointee.xOpen(usual, path, file, flags, outFlags)
      }
      // The name is deleted after opening, and the file disappears when it is closed.
      let name = "\(folder)/.annals-\(UUID().uuidString)"
      // SQLite looks for a file's parameters after its name, up to an empty parameter.
      return (Array(name.utf8CString) + [0, 0]).withUnsafeBufferPointer {
        usual.pointee.xOpen(usual, $0.baseAddress, file, flags, outFlags)
      }
    }
    checked.initialize(to: CheckedFile())
    let behind = CheckedFile.behind(checked)
    behind.pointee.pMethods = nil
    let code = usual.pointee.xOpen(usual, path, behind, flags, outFlags)
    // Without methods SQLite does not close the file.
    checked.pointee.base.pMethods = behind.pointee.pMethods.flatMap(methods)
    return code
  }

  private static func methods(over usual: Methods) -> Methods? {
    let usual = UInt(bitPattern: usual)
    return Methods(
      bitPattern: made.withLock { made in
        if let known = made.methods.first(where: { $0.usual == usual }) { return known.ours }
        guard let methods = Methods(bitPattern: usual) else { return 0 }
        let ours = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        ours.initialize(to: CheckedFile.methods(over: methods.pointee))
        made.methods.append(Pair(usual: usual, ours: UInt(bitPattern: ours)))
        return UInt(bitPattern: ours)
      })
  }
}

import CAnnalsSQLite
import Foundation
import Synchronization

/// SQLite's usual way to files, with a checksum for each page of a log (sqlite.org/vfs.html).
///
/// It is used for logs alone, and is not the way to files of the whole process. Files other than a database's own are
/// opened as usual.
package enum CheckedFiles {
  private typealias System = UnsafeMutablePointer<sqlite3_vfs>
  private typealias Methods = UnsafePointer<sqlite3_io_methods>

  /// What was made so far, by address; open files refer to it, so that it stays as long as the process.
  private struct Made {
    /// By the usual way to files: ours over it.
    var systems: [UInt: UInt] = [:]
    /// By the usual methods: ours over them.
    var methods: [UInt: UInt] = [:]
  }

  private static let made = Mutex(Made())

  /// The folder that files without a name are made in, while SQLite works for a caller that sets it.
  ///
  /// SQLite would put them into the system's temporary folder, where there may be less room, and others may look.
  @TaskLocal static var temporaryFolder: String?

  /// The name to open a log with; nil if the process has no way to files.
  package static var name: UnsafePointer<CChar>? { system?.pointee.zName }

  /// Ours over the process's present way to files.
  private static var system: System? {
    let usual = UInt(bitPattern: sqlite3_vfs_find(nil))
    return System(
      bitPattern: made.withLock { made in
        if let known = made.systems[usual] { return known }
        let ours = UInt(bitPattern: make(over: usual, number: made.systems.count))
        made.systems[usual] = ours
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

  /// The way to files that one of ours was made over.
  private static func usual(of ours: System?) -> System? {
    let ours = UInt(bitPattern: ours)
    return made.withLock { made in made.systems.first { $0.value == ours }?.key }.flatMap { System(bitPattern: $0) }
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
      // It is deleted when it is opened, and gone when it is closed.
      let name = "\(folder)/.annals-\(UUID().uuidString)"
      // SQLite looks for a file's parameters after its name, up to an empty one.
      return (Array(name.utf8CString) + [0, 0]).withUnsafeBufferPointer {
        usual.pointee.xOpen(usual, $0.baseAddress, file, flags, outFlags)
      }
    }
    checked.initialize(to: CheckedFile())
    let behind = CheckedFile.behind(checked)
    behind.pointee.pMethods = nil
    let code = usual.pointee.xOpen(usual, path, behind, flags, outFlags)
    // Without methods SQLite does not close it.
    checked.pointee.base.pMethods = behind.pointee.pMethods.flatMap(methods)
    return code
  }

  private static func methods(over usual: Methods) -> Methods? {
    let usual = UInt(bitPattern: usual)
    return Methods(
      bitPattern: made.withLock { made in
        if let known = made.methods[usual] { return known }
        guard let methods = Methods(bitPattern: usual) else { return 0 }
        let ours = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        ours.initialize(to: CheckedFile.methods(over: methods.pointee))
        made.methods[usual] = UInt(bitPattern: ours)
        return UInt(bitPattern: ours)
      })
  }
}

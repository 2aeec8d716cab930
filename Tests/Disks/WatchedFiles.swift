import CAnnalsSQLite
package import Foundation

/// What SQLite did with a file.
package enum FileEvent {
  case created
  case wrote(UnsafeRawBufferPointer, at: Int)
  case cut(to: Int)
  case synced
  case deleted
  /// Which files there are, in the file's folder, was synced.
  case syncedFolder
}

/// Is told what SQLite does with the files of a folder.
package protocol FileWatcher: AnyObject, Sendable {
  /// False if a write may damage what lies beside it in its sector; SQLite is told so (sqlite.org/psow.html).
  var sparesNeighbours: Bool { get }

  /// False if the system need not be asked to sync: who watches knows what it would have on its disk, and the test is over sooner.
  var needsSyncs: Bool { get }

  /// Called after it was done, before SQLite goes on, by the thread that does it.
  func happened(_ event: FileEvent, to name: String)
}

extension FileWatcher {
  package var sparesNeighbours: Bool { true }
  package var needsSyncs: Bool { true }
}

/// SQLite's usual way to files, with somebody who watches some folders.
///
/// It is the process's way to files from the first folder on that is watched (sqlite.org/vfs.html). Files elsewhere are opened as ever.
///
/// `@unchecked Sendable`: what changes is guarded by the lock.
package final class WatchedFiles: @unchecked Sendable {
  package struct NoFiles: Error {}

  private struct Open {
    let name: String
    let folder: String
    let watcher: any FileWatcher
    let usual: UnsafePointer<sqlite3_io_methods>
    var wasSynced = false
  }

  private typealias File = UnsafeMutablePointer<sqlite3_file>

  fileprivate static let shared = WatchedFiles()
  /// How many bytes of a sector a write may damage, where it may.
  package static let sectorSize = 4_096

  private let usual: UnsafeMutablePointer<sqlite3_vfs>?
  private let lock = NSLock()
  private var watchers: [String: any FileWatcher] = [:]
  private var open: [File: Open] = [:]
  private var known: [UnsafePointer<sqlite3_io_methods>: UnsafeMutablePointer<sqlite3_io_methods>] = [:]
  private var syncedFolders: Set<String> = []
  fileprivate var openFolder: (@convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<Int32>?) -> Int32)?

  /// Made once, and kept as long as the process: open files refer to it.
  private init() {
    usual = sqlite3_vfs_find(nil)
    guard let usual else { return }
    let watched = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    watched.initialize(to: usual.pointee)
    watched.pointee.pNext = nil
    watched.pointee.zName = UnsafePointer(strdup("annals-watched-files"))
    watched.pointee.xOpen = { _, path, file, flags, outFlags in WatchedFiles.shared.open(path, file, flags, outFlags) }
    watched.pointee.xDelete = { _, path, syncs in WatchedFiles.shared.delete(path, syncs) }
    // A folder is opened to be synced, and for nothing else.
    openFolder = unsafeBitCast(usual.pointee.xGetSystemCall(usual, "openDirectory"), to: type(of: openFolder))
    let hook: @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<Int32>?) -> Int32 = { path, descriptor in
      let files = WatchedFiles.shared
      if let path { files.willSyncFolder(of: path) }
      return files.openFolder?(path, descriptor) ?? SQLITE_CANTOPEN
    }
    _ = usual.pointee.xSetSystemCall(usual, "openDirectory", unsafeBitCast(hook, to: sqlite3_syscall_ptr.self))
    sqlite3_vfs_register(watched, 1)
  }

  /// Watches a folder whose name no other one has.
  package static func watch(_ folder: URL, by watcher: any FileWatcher) throws {
    guard shared.usual != nil else { throw NoFiles() }
    shared.lock.withLock { shared.watchers[folder.lastPathComponent] = watcher }
  }

  /// Lets a folder go; files that are open are watched until they are closed.
  package static func forget(_ folder: URL) {
    shared.lock.withLock { shared.watchers[folder.lastPathComponent] = nil }
  }

  /// The folder that has a file, and the file's name in it, if somebody watches.
  private func place(_ path: UnsafePointer<CChar>?) -> (name: String, folder: String, watcher: any FileWatcher)? {
    guard let path else { return nil }
    let words = String(cString: path).split(separator: "/").suffix(2).map(String.init)
    guard words.count == 2, let watcher = lock.withLock({ watchers[words[0]] }) else { return nil }
    return (words[1], words[0], watcher)
  }

  private func open(
    _ path: UnsafePointer<CChar>?, _ file: File?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let usual, let file else { return SQLITE_CANTOPEN }
    guard let place = place(path) else { return usual.pointee.xOpen(usual, path, file, flags, outFlags) }
    var isThere: Int32 = 0
    _ = usual.pointee.xAccess(usual, path, SQLITE_ACCESS_EXISTS, &isThere)
    let code = usual.pointee.xOpen(usual, path, file, flags, outFlags)
    guard code == SQLITE_OK, let methods = file.pointee.pMethods else { return code }
    lock.withLock {
      open[file] = Open(name: place.name, folder: place.folder, watcher: place.watcher, usual: methods)
      file.pointee.pMethods = UnsafePointer(watched(methods))
    }
    if isThere == 0 { place.watcher.happened(.created, to: place.name) }
    return code
  }

  private func delete(_ path: UnsafePointer<CChar>?, _ syncs: Int32) -> Int32 {
    guard let usual else { return SQLITE_IOERR }
    let place = place(path)
    let code = usual.pointee.xDelete(usual, path, syncs)
    if let place, code == SQLITE_OK {
      place.watcher.happened(.deleted, to: place.name)
      tellOfFolder(place.folder, place.name, place.watcher)
    }
    return code
  }

  private func willSyncFolder(of path: UnsafePointer<CChar>) {
    guard let place = place(path) else { return }
    lock.withLock { _ = syncedFolders.insert(place.folder) }
  }

  private func tellOfFolder(_ folder: String, _ name: String, _ watcher: any FileWatcher) {
    if lock.withLock({ syncedFolders.remove(folder) }) != nil { watcher.happened(.syncedFolder, to: name) }
  }

  /// Methods that do what the usual ones do, and tell of it; to be asked for with the lock.
  private func watched(_ usual: UnsafePointer<sqlite3_io_methods>) -> UnsafeMutablePointer<sqlite3_io_methods> {
    if let made = known[usual] { return made }
    let made = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    made.initialize(to: usual.pointee)
    made.pointee.xWrite = { file, bytes, count, offset in
      WatchedFiles.tell(file, { $0.xWrite(file, bytes, count, offset) }) {
        .wrote(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(offset))
      }
    }
    made.pointee.xTruncate = { file, size in
      WatchedFiles.tell(file, { $0.xTruncate(file, size) }) { .cut(to: Int(size)) }
    }
    made.pointee.xSync = { file, flags in
      // The first sync of a file syncs its folder too, if the file was created.
      let passes = WatchedFiles.shared.passesSync(of: file)
      return WatchedFiles.tell(file, { passes ? $0.xSync(file, flags) : SQLITE_OK }) { .synced }
    }
    made.pointee.xClose = { file in
      let files = WatchedFiles.shared
      guard let file, let open = files.lock.withLock({ files.open.removeValue(forKey: file) }) else {
        return SQLITE_IOERR
      }
      return open.usual.pointee.xClose(file)
    }
    made.pointee.xDeviceCharacteristics = { file in
      guard let open = WatchedFiles.shared.opened(file) else { return 0 }
      let usual = open.usual.pointee.xDeviceCharacteristics(file)
      return open.watcher.sparesNeighbours ? usual : usual & ~SQLITE_IOCAP_POWERSAFE_OVERWRITE
    }
    made.pointee.xSectorSize = { file in
      guard let open = WatchedFiles.shared.opened(file) else { return 0 }
      return open.watcher.sparesNeighbours ? open.usual.pointee.xSectorSize(file) : Int32(WatchedFiles.sectorSize)
    }
    // Else a file could be written to unseen, through memory.
    made.pointee.xFetch = { _, _, _, address in
      address?.pointee = nil
      return SQLITE_OK
    }
    known[usual] = made
    return made
  }

  private func opened(_ file: File?) -> Open? { file.flatMap { file in lock.withLock { open[file] } } }

  private func passesSync(of file: File?) -> Bool {
    guard let file else { return true }
    return lock.withLock {
      defer { open[file]?.wasSynced = true }
      return open[file].map { $0.watcher.needsSyncs || !$0.wasSynced } ?? true
    }
  }

  private static func tell(
    _ file: File?, _ work: (sqlite3_io_methods) -> Int32, _ event: () -> FileEvent
  ) -> Int32 {
    guard let open = shared.opened(file) else { return SQLITE_IOERR }
    let code = work(open.usual.pointee)
    if code == SQLITE_OK {
      open.watcher.happened(event(), to: open.name)
      shared.tellOfFolder(open.folder, open.name, open.watcher)
    }
    return code
  }
}

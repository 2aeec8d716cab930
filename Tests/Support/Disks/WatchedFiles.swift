import CAnnalsSQLite
package import Foundation

/// A change that SQLite made to a file.
package enum FileEvent {
  case created
  case wrote(UnsafeRawBufferPointer, at: Int)
  case cut(to: Int)
  case synced
  case deleted
  /// The list of files in the file's folder was synced.
  case syncedFolder
}

/// Receives the actions of SQLite on the files of a folder.
package protocol FileWatcher: AnyObject, Sendable {
  /// False if a write may damage its neighbours in the sector, which SQLite then learns (sqlite.org/psow.html).
  var sparesNeighbours: Bool { get }

  /// False if the system need not sync the files.
  ///
  /// The watcher knows what its disk would contain, and the test ends sooner.
  var needsSyncs: Bool { get }

  /// Called after the action and before SQLite continues, on the same thread.
  func happened(_ event: FileEvent, to name: String)

  /// Called before each call that may fail, on the same thread.
  ///
  /// - Returns: How the call fails; nil if it does not.
  func fault(at call: FileCall, on name: String) -> FileFault?
}

extension FileWatcher {
  package var sparesNeighbours: Bool { true }
  package var needsSyncs: Bool { true }
  package func fault(at call: FileCall, on name: String) -> FileFault? { nil }
}

/// SQLite's usual access to files, with watchers for some folders.
///
/// It replaces the process's access to files as soon as the first folder is watched (sqlite.org/vfs.html). Files in
/// other folders are opened as usual.
///
/// `@unchecked Sendable`: the lock guards everything that changes.
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
  /// The number of bytes in a sector that a write may damage, if it damages neighbours.
  package static let sectorSize = 4_096

  private let usual: UnsafeMutablePointer<sqlite3_vfs>?
  private let lock = NSLock()
  private var watchers: [String: any FileWatcher] = [:]
  private var open: [File: Open] = [:]
  private var known: [UnsafePointer<sqlite3_io_methods>: UnsafeMutablePointer<sqlite3_io_methods>] = [:]
  private var syncedFolders: Set<String> = []
  fileprivate var openFolder: (@convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<Int32>?) -> Int32)?

  /// Made once, and never released, because open files refer to it.
  private init() {
    usual = sqlite3_vfs_find(nil)
    guard let usual else { return }
    let watched = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    watched.initialize(to: usual.pointee)
    watched.pointee.pNext = nil
    watched.pointee.zName = UnsafePointer(strdup("annals-watched-files"))
    watched.pointee.xOpen = { _, path, file, flags, outFlags in WatchedFiles.shared.open(path, file, flags, outFlags) }
    watched.pointee.xDelete = { _, path, syncs in WatchedFiles.shared.delete(path, syncs) }
    watched.pointee.xAccess = { _, path, flags, answer in WatchedFiles.shared.look(path, flags, answer) }
    // SQLite tries for a lock of its shared memory for ten seconds.
    watched.pointee.xSleep = { _, microseconds in
      guard let usual = WatchedFiles.shared.usual, !FaultyDisk.isTrying else { return microseconds }
      return usual.pointee.xSleep(usual, microseconds)
    }
    // A folder is opened only to sync it.
    openFolder = unsafeBitCast(usual.pointee.xGetSystemCall(usual, "openDirectory"), to: type(of: openFolder))
    let hook: @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<Int32>?) -> Int32 = { path, descriptor in
      let files = WatchedFiles.shared
      if let path { files.willSyncFolder(of: path) }
      return files.openFolder?(path, descriptor) ?? SQLITE_CANTOPEN
    }
    _ = usual.pointee.xSetSystemCall(usual, "openDirectory", unsafeBitCast(hook, to: sqlite3_syscall_ptr.self))
    sqlite3_vfs_register(watched, 1)
  }

  /// Watches a folder with a unique name.
  package static func watch(_ folder: URL, by watcher: any FileWatcher) throws {
    guard shared.usual != nil else { throw NoFiles() }
    shared.lock.withLock { shared.watchers[folder.lastPathComponent] = watcher }
  }

  /// Stops watching a folder.
  ///
  /// Open files are watched until they are closed.
  package static func forget(_ folder: URL) {
    shared.lock.withLock { shared.watchers[folder.lastPathComponent] = nil }
  }

  /// The folder of a file, and the file's name in it, if the folder is watched.
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
    if let fault = place.watcher.fault(at: .open, on: place.name) {
      file.pointee.pMethods = nil
      return fault.code(of: .open)
    }
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
    if let fault = place?.watcher.fault(at: .delete, on: place?.name ?? "") { return fault.code(of: .delete) }
    let code = usual.pointee.xDelete(usual, path, syncs)
    if let place, code == SQLITE_OK {
      place.watcher.happened(.deleted, to: place.name)
      tellOfFolder(place.folder, place.name, place.watcher)
    }
    return code
  }

  private func look(_ path: UnsafePointer<CChar>?, _ flags: Int32, _ answer: UnsafeMutablePointer<Int32>?) -> Int32 {
    guard let usual else { return SQLITE_IOERR }
    if let place = place(path), let fault = place.watcher.fault(at: .look, on: place.name) {
      return fault.code(of: .look)
    }
    return usual.pointee.xAccess(usual, path, flags, answer)
  }

  private func willSyncFolder(of path: UnsafePointer<CChar>) {
    guard let place = place(path) else { return }
    lock.withLock { _ = syncedFolders.insert(place.folder) }
  }

  private func tellOfFolder(_ folder: String, _ name: String, _ watcher: any FileWatcher) {
    if lock.withLock({ syncedFolders.remove(folder) }) != nil { watcher.happened(.syncedFolder, to: name) }
  }

  /// Methods that call the usual ones and report each action; hold the lock when you call this.
  private func watched(_ usual: UnsafePointer<sqlite3_io_methods>) -> UnsafeMutablePointer<sqlite3_io_methods> {
    if let made = known[usual] { return made }
    let made = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    made.initialize(to: usual.pointee)
    made.pointee.xWrite = { file, bytes, count, offset in
      WatchedFiles.tell(
        file, .write, { $0.xWrite(file, bytes, count, offset) }, half: { $0.xWrite(file, bytes, count / 2, offset) }
      ) { isHalf in
        .wrote(UnsafeRawBufferPointer(start: bytes, count: Int(isHalf ? count / 2 : count)), at: Int(offset))
      }
    }
    made.pointee.xTruncate = { file, size in
      WatchedFiles.tell(file, .cut, { $0.xTruncate(file, size) }) { _ in .cut(to: Int(size)) }
    }
    made.pointee.xSync = { file, flags in
      // The first sync of a new file also syncs its folder.
      let passes = WatchedFiles.shared.passesSync(of: file)
      return WatchedFiles.tell(file, .sync, { passes ? $0.xSync(file, flags) : SQLITE_OK }) { _ in .synced }
    }
    failing(made)
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
    // Otherwise a file could be changed through mapped memory without a report.
    made.pointee.xFetch = { _, _, _, address in
      address?.pointee = nil
      return SQLITE_OK
    }
    known[usual] = made
    return made
  }

  /// Makes the calls fail that change nothing on the disk.
  private func failing(_ made: UnsafeMutablePointer<sqlite3_io_methods>) {
    made.pointee.xRead = { file, bytes, count, offset in
      WatchedFiles.ask(
        file, .read, { $0.xRead(file, bytes, count, offset) },
        short: { usual in
          if let bytes { memset(bytes, 0, Int(count)) }
          _ = usual.xRead(file, bytes, count / 2, offset)
        })
    }
    made.pointee.xFileSize = { file, size in WatchedFiles.ask(file, .size, { $0.xFileSize(file, size) }) }
    made.pointee.xLock = { file, level in WatchedFiles.ask(file, .lock, { $0.xLock(file, level) }) }
    guard made.pointee.iVersion >= 2, made.pointee.xShmMap != nil else { return }
    made.pointee.xShmMap = { file, region, size, extends, address in
      WatchedFiles.ask(file, .mapMemory, { $0.xShmMap(file, region, size, extends, address) })
    }
    made.pointee.xShmLock = { file, offset, count, flags in
      // A lock that is given back cannot fail.
      guard flags & SQLITE_SHM_LOCK != 0, let open = WatchedFiles.shared.opened(file) else {
        return WatchedFiles.shared.opened(file)?.usual.pointee.xShmLock(file, offset, count, flags) ?? SQLITE_IOERR
      }
      if let fault = open.watcher.fault(at: .lockMemory, on: open.name) { return fault.code(of: .lockMemory) }
      return open.usual.pointee.xShmLock(file, offset, count, flags)
    }
  }

  private func opened(_ file: File?) -> Open? { file.flatMap { file in lock.withLock { open[file] } } }

  private func passesSync(of file: File?) -> Bool {
    guard let file else { return true }
    return lock.withLock {
      defer { open[file]?.wasSynced = true }
      return open[file].map { $0.watcher.needsSyncs || !$0.wasSynced } ?? true
    }
  }

  /// Does what is asked, unless it fails.
  private static func ask(
    _ file: File?, _ call: FileCall, _ work: (sqlite3_io_methods) -> Int32,
    short: (sqlite3_io_methods) -> Void = { _ in }
  ) -> Int32 {
    guard let open = shared.opened(file) else { return SQLITE_IOERR }
    guard let fault = open.watcher.fault(at: call, on: open.name) else { return work(open.usual.pointee) }
    if fault == .short { short(open.usual.pointee) }
    return fault.code(of: call)
  }

  /// Does what is asked and reports it, unless it fails.
  private static func tell(
    _ file: File?, _ call: FileCall, _ work: (sqlite3_io_methods) -> Int32,
    half: ((sqlite3_io_methods) -> Int32)? = nil, _ event: (_ isHalf: Bool) -> FileEvent
  ) -> Int32 {
    guard let open = shared.opened(file) else { return SQLITE_IOERR }
    let fault = open.watcher.fault(at: call, on: open.name)
    let isHalf = fault == .torn || fault == .full
    var code = SQLITE_OK
    switch fault {
    case nil, .done: code = work(open.usual.pointee)
    case .torn, .full: code = half?(open.usual.pointee) ?? SQLITE_IOERR
    default: return fault?.code(of: call) ?? SQLITE_IOERR
    }
    if code == SQLITE_OK {
      open.watcher.happened(event(isHalf), to: open.name)
      shared.tellOfFolder(open.folder, open.name, open.watcher)
    }
    return fault?.code(of: call) ?? code
  }
}

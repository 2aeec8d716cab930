import CAnnalsSQLite

extension CheckedFile {
  /// Returns the methods that SQLite calls for a checked file.
  ///
  /// Reading and writing are implemented here. All other calls are forwarded to the underlying file.
  ///
  /// - Parameter usual: The underlying file's methods, which determine the methods that the checked file supports.
  /// - Returns: The checked file's methods.
  static func methods(over usual: sqlite3_io_methods) -> sqlite3_io_methods {
    var made = usual
    made.xClose = { file in
      guard let file = CheckedFile.at(file) else { return SQLITE_OK }
      file.pointee.free()
      let behind = CheckedFile.behind(file)
      return behind.pointee.pMethods?.pointee.xClose(behind) ?? SQLITE_OK
    }
    made.xRead = { file, bytes, count, offset in
      CheckedFile.at(file).map { CheckedFile.read($0, bytes, count, offset) } ?? SQLITE_IOERR
    }
    made.xWrite = { file, bytes, count, offset in
      CheckedFile.at(file).map { CheckedFile.write($0, bytes, count, offset) } ?? SQLITE_IOERR
    }
    made.xTruncate = { file, size in CheckedFile.ask(file) { $1.xTruncate($0, size) } }
    made.xSync = { file, flags in CheckedFile.ask(file) { $1.xSync($0, flags) } }
    made.xFileSize = { file, size in CheckedFile.ask(file) { $1.xFileSize($0, size) } }
    made.xLock = { file, level in CheckedFile.ask(file) { $1.xLock($0, level) } }
    made.xUnlock = { file, level in CheckedFile.ask(file) { $1.xUnlock($0, level) } }
    made.xCheckReservedLock = { file, answer in CheckedFile.ask(file) { $1.xCheckReservedLock($0, answer) } }
    made.xFileControl = { file, operation, argument in
      CheckedFile.ask(file) { $1.xFileControl($0, operation, argument) }
    }
    made.xSectorSize = { file in CheckedFile.ask(file) { $1.xSectorSize($0) } }
    made.xDeviceCharacteristics = { file in CheckedFile.ask(file) { $1.xDeviceCharacteristics($0) } }
    addSharedMemory(to: &made)
    return made
  }

  /// Adds the methods for shared memory (version 2 of SQLite's method table) and for memory-mapped files (version 3).
  private static func addSharedMemory(to made: inout sqlite3_io_methods) {
    if made.iVersion >= 2, made.xShmMap != nil {
      made.xShmMap = { file, region, size, extends, address in
        CheckedFile.ask(file) { $1.xShmMap($0, region, size, extends, address) }
      }
      made.xShmLock = { file, offset, count, flags in CheckedFile.ask(file) { $1.xShmLock($0, offset, count, flags) } }
      made.xShmBarrier = { file in
        guard let file = CheckedFile.at(file) else { return }
        let behind = CheckedFile.behind(file)
        behind.pointee.pMethods?.pointee.xShmBarrier(behind)
      }
      made.xShmUnmap = { file, deletes in CheckedFile.ask(file) { $1.xShmUnmap($0, deletes) } }
    }
    guard made.iVersion >= 3 else { return }
    // A memory-mapped page would be read without a check.
    made.xFetch = { _, _, _, address in
      address?.pointee = nil
      return SQLITE_OK
    }
    made.xUnfetch = { _, _, _ in SQLITE_OK }
  }

  /// Calls a method of the underlying file.
  private static func ask(
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ question: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    guard let file = at(file) else { return SQLITE_IOERR }
    let behind = behind(file)
    guard let methods = behind.pointee.pMethods else { return SQLITE_IOERR }
    return question(behind, methods.pointee)
  }
}

import CSQLite

/// A database as any other program has it open.
final class TestDatabase {
  struct Failure: Error {
    let message: String
  }

  private var handle: OpaquePointer?

  convenience init(_ path: String) throws { try self.init(path, SQLITE_OPEN_READWRITE) }

  convenience init(create path: String) throws { try self.init(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) }

  private init(_ path: String, _ flags: Int32) throws {
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else {
      throw Failure(message: "cannot be opened")
    }
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
  }
}

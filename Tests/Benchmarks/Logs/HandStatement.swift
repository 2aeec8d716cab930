import CAnnalsSQLite

/// A prepared statement of SQLite's C API on a log.
final class HandStatement {
  struct Failure: Error { let code: Int32 }

  private var handle: OpaquePointer?
  private(set) var select: OpaquePointer?

  init(_ path: String, _ sql: String) throws {
    try check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil))
    try check(sqlite3_prepare_v2(handle, sql, -1, &select, nil))
  }

  deinit {
    sqlite3_finalize(select)
    sqlite3_close_v2(handle)
  }

  func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw Failure(code: code) }
  }

  /// Calls a closure with each row.
  func forEach(_ body: (OpaquePointer?) throws -> Void) throws {
    defer { sqlite3_reset(select) }
    while true {
      let code = sqlite3_step(select)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw Failure(code: code) }
      try body(select)
    }
  }
}

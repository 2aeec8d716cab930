import CAnnalsSQLite

/// The baseline of a rebuild: reads a log's events in order, with every column, through SQLite's C API.
final class BareScan {
  struct Failure: Error { let code: Int32 }

  private var handle: OpaquePointer?
  private var select: OpaquePointer?

  init(_ path: String) throws {
    try check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil))
    try check(sqlite3_prepare_v2(handle, "SELECT * FROM event ORDER BY position", -1, &select, nil))
  }

  deinit {
    sqlite3_finalize(select)
    sqlite3_close_v2(handle)
  }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw Failure(code: code) }
  }

  /// Reads all events, and returns a number that depends on all columns.
  func run() throws -> Int {
    var sum = 0
    let columns = sqlite3_column_count(select)
    while true {
      let code = sqlite3_step(select)
      guard code == SQLITE_ROW else {
        sqlite3_reset(select)
        if code != SQLITE_DONE { throw Failure(code: code) }
        return sum
      }
      for column in 0..<columns {
        if sqlite3_column_type(select, column) == SQLITE_INTEGER {
          sum &+= Int(sqlite3_column_int64(select, column))
        } else if let text = sqlite3_column_text(select, column) {
          let count = Int(sqlite3_column_bytes(select, column))
          sum &+= count &+ (count > 0 ? Int(text[count - 1]) : 0)
        }
      }
    }
  }
}

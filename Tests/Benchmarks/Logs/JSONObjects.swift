import CAnnalsSQLite

/// The baseline of an export: SQLite's own JSON functions over a table with the columns of a log.
final class JSONObjects {
  struct Failure: Error { let code: Int32 }

  private var handle: OpaquePointer?
  private var select: OpaquePointer?

  /// A line of CloudEvents for each event.
  private static let lines = """
    SELECT json_object('specversion', '1.0', 'id', id, 'source', source, 'type', type, 'subject', stream, 'time', time,
      'transaction', "transaction", 'position', position, 'metadata', json(metadata), 'data', json(payload))
    FROM event ORDER BY position
    """

  init(_ path: String, sql: String = JSONObjects.lines) throws {
    try check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil))
    try check(sqlite3_prepare_v2(handle, sql, -1, &select, nil))
  }

  deinit {
    sqlite3_finalize(select)
    sqlite3_close_v2(handle)
  }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw Failure(code: code) }
  }

  /// Reads all texts, and returns the number of their bytes.
  func run() throws -> Int {
    var sum = 0
    while true {
      let code = sqlite3_step(select)
      guard code == SQLITE_ROW else {
        sqlite3_reset(select)
        if code != SQLITE_DONE { throw Failure(code: code) }
        return sum
      }
      if sqlite3_column_text(select, 0) != nil { sum &+= Int(sqlite3_column_bytes(select, 0)) }
    }
  }
}

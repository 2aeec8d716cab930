import CAnnalsSQLite

/// The few calls of SQLite that the baselines of lists need.
enum SQLCalls {
  static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  static func prepare(_ sql: String, in database: OpaquePointer) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw WideFailure(message: String(cString: sqlite3_errmsg(database)))
    }
    return statement
  }

  static func execute(_ sql: String, in database: OpaquePointer) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw WideFailure(message: String(cString: sqlite3_errmsg(database)))
    }
  }

  /// SQLite copies the bytes that it gets.
  static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

import AnnalsLog
import CAnnalsSQLite

/// An SQL statement, which is prepared once and run many times.
///
/// `@unchecked Sendable`: the statement belongs to a connection, which one thread uses at a time.
final class SQLiteStatement: @unchecked Sendable {
  private let handle: OpaquePointer
  /// The connection, which owns the statement and therefore outlives it.
  private unowned let connection: SQLiteConnection

  init(_ sql: String, of connection: SQLiteConnection, handle: OpaquePointer?) throws {
    var made: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard code == SQLITE_OK, let made else { throw connection.failure(code) }
    self.handle = made
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ place: Int32, _ value: Int64) throws { try check(sqlite3_bind_int64(handle, place, value)) }

  func bind(_ place: Int32, _ value: Int) throws { try bind(place, Int64(value)) }

  func bind(_ place: Int32, _ value: String) throws {
    var value = value
    let code = value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text64(
          handle, place, $0.baseAddress, UInt64($0.count), ANNALS_SQLITE_TRANSIENT, UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  /// Binds a string's bytes to a parameter without copying them.
  ///
  /// SQLite reads the bytes on every run. So they must stay valid until the statement has run, and other bytes must be
  /// bound before the next run.
  func bind(_ place: Int32, lent bytes: UnsafeBufferPointer<UInt8>) throws {
    let code = bytes.withMemoryRebound(to: CChar.self) {
      // An empty buffer may have no address, and a null address would mean NULL.
      sqlite3_bind_text64(
        handle, place, $0.baseAddress ?? Self.nothing, UInt64($0.count), ANNALS_SQLITE_STATIC, UInt8(SQLITE_UTF8))
    }
    try check(code)
  }

  /// A valid address for empty strings, which is never written or freed.
  private nonisolated(unsafe) static let nothing = UnsafePointer(UnsafeMutablePointer<CChar>.allocate(capacity: 1))

  func bind(_ place: Int32, _ value: String?) throws {
    if let value { try bind(place, value) } else { try check(sqlite3_bind_null(handle, place)) }
  }

  func bind(_ place: Int32, _ value: [UInt8]) throws {
    let code = value.withUnsafeBytes { bytes in
      // An empty buffer has no address, and a null address would mean NULL.
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, place, 0)
        : sqlite3_bind_blob64(handle, place, bytes.baseAddress, UInt64(bytes.count), ANNALS_SQLITE_TRANSIENT)
    }
    try check(code)
  }

  /// Binds an identifier as a blob of 16 bytes.
  func bind(_ place: Int32, _ id: OrderedID) throws {
    try check(
      id.withBytes { sqlite3_bind_blob64(handle, place, $0.baseAddress, UInt64($0.count), ANNALS_SQLITE_TRANSIENT) })
  }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw connection.failure(code) }
  }

  /// Runs the statement to its end, and calls a closure with every row.
  func run(_ row: (SQLiteRow) throws -> Void = { _ in }) throws {
    defer { sqlite3_reset(handle) }
    while try step() { try row(SQLiteRow(statement: handle)) }
  }

  /// Runs the statement until the closure returns false, or to its end.
  func runWhile(_ row: (SQLiteRow) throws -> Bool) throws {
    defer { sqlite3_reset(handle) }
    while try step() { if try !row(SQLiteRow(statement: handle)) { return } }
  }

  /// Runs a closure with the first row.
  ///
  /// The statement stays on this row until the closure returns.
  ///
  /// Until then, all reads of the connection return the same snapshot of the log, as in a transaction
  /// (sqlite.org/lang_transaction.html, "implicit transactions"). In contrast to a transaction, this needs no
  /// statements to begin and to end.
  ///
  /// - Returns: The result of the closure, or `nil` if the statement returns no row.
  func onFirstRow<T>(_ body: (SQLiteRow) throws -> T) throws -> T? {
    defer { sqlite3_reset(handle) }
    guard try step() else { return nil }
    connection.rowsHeld += 1
    defer { connection.rowsHeld -= 1 }
    return try body(SQLiteRow(statement: handle))
  }

  /// Runs the statement, and returns the first column of the first row, or `nil` if there is no row or the column is
  /// NULL.
  func firstInt() throws -> Int64? {
    defer { sqlite3_reset(handle) }
    guard try step(), sqlite3_column_type(handle, 0) != SQLITE_NULL else { return nil }
    return sqlite3_column_int64(handle, 0)
  }

  private func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.failure(code)
    }
  }
}

/// A row of a query's result, which is valid until the statement moves to the next row.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer

  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func isText(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_TEXT }

  func isInt(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_INTEGER }

  /// Returns the identifier in a column, or `nil` if the column doesn't contain a blob of 16 bytes.
  ///
  /// Call this method before you read the column as a string, because SQLite also returns a blob's bytes as a string.
  func orderedID(_ column: Int32) -> OrderedID? {
    guard sqlite3_column_type(statement, column) == SQLITE_BLOB, let bytes = sqlite3_column_blob(statement, column)
    else { return nil }
    return OrderedID(
      bytes: UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  func blob(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// Returns the bytes of a string, which are valid until the next row, or `nil` for NULL.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    guard let bytes = sqlite3_column_text(statement, column) else { return nil }
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column)))
  }

  func text(_ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}

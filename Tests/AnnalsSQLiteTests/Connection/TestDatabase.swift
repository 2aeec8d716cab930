import AnnalsSQLite
import CAnnalsSQLite
import Foundation

/// A database as another program opens it, except that pages get their checksums.
final class TestDatabase {
  struct Failure: Error {
    let message: String
  }

  private var handle: OpaquePointer?

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - checked: False to write pages without checksums, as a program does that does not know them.
  /// - Throws: `Failure`.
  convenience init(_ path: String, checked: Bool = true) throws {
    try self.init(path, SQLITE_OPEN_READWRITE, checked: checked)
  }

  convenience init(create path: String) throws {
    try self.init(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, checked: false)
  }

  private init(_ path: String, _ flags: Int32, checked: Bool) throws {
    guard sqlite3_open_v2(path, &handle, flags, checked ? CheckedFiles.name : nil) == SQLITE_OK else {
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

  /// Drops everything that keeps other programs from changing a log.
  func dropTriggers() throws {
    while let name = try text("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      try execute("DROP TRIGGER \(name)")
    }
  }

  /// The rows of a query, as texts.
  func rows(_ sql: String) throws -> [[String?]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } })
    }
    return rows
  }

  /// The text that a query returns; nil if there is none.
  func text(_ sql: String) throws -> String? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else { return nil }
    return String(cString: text)
  }

  /// The number that a query returns; nil if there is none.
  func int(_ sql: String) throws -> Int? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
    defer { sqlite3_finalize(statement) }
    return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : nil
  }

  /// Flips a bit in a byte of a value; a second call flips it back.
  func flip(_ column: String, at place: Int, of table: String, where condition: String) throws {
    var blob: OpaquePointer?
    let row = try int("SELECT rowid FROM \(table) WHERE \(condition)") ?? 0
    guard sqlite3_blob_open(handle, "main", table, column, Int64(row), 1, &blob) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
    defer { sqlite3_blob_close(blob) }
    var byte: UInt8 = 0
    guard sqlite3_blob_read(blob, &byte, 1, Int32(place)) == SQLITE_OK else {
      throw Failure(message: "no byte \(place)")
    }
    byte ^= UInt8(1 << (place % 8))
    guard sqlite3_blob_write(blob, &byte, 1, Int32(place)) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
  }
}

/// Gives a page of a log's bytes its matching checksum.
///
/// - Parameters:
///   - place: An offset in the page.
///   - bytes: The log's bytes.
func mendPage(at place: Int, _ bytes: inout Data) {
  let start = place / 4_096 * 4_096
  bytes.withUnsafeMutableBytes {
    PageChecksum.write(to: UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + 4_096]))
  }
}

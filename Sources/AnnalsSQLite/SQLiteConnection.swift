import Annals
import CSQLite
import Foundation

/// One connection to SQLite; the only place that speaks to its C API.
///
/// Used by one thread at a time.
final class SQLiteConnection {
  /// Nil once it is closed.
  private var handle: OpaquePointer?
  let path: String
  private var statements: [String: OpaquePointer] = [:]

  enum Value {
    case int(Int64)
    case text(String)
    case null
  }

  /// How a file is opened.
  enum Access {
    /// The file is created if it is not there.
    case readWrite
    /// The file is written to, and not created.
    case existing
    case readOnly
    /// Nobody writes to the file, and no file is made beside it (sqlite.org/uri.html, "immutable").
    case immutable
  }

  init(path: String, access: Access) throws {
    var opened: OpaquePointer?
    let (flags, name) =
      switch access {
      case .readWrite: (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path)
      case .existing: (SQLITE_OPEN_READWRITE, path)
      // A URI only where it is ours: a file's name may begin with "file:" too.
      case .readOnly: (SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, Self.uri(path))
      case .immutable: (SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, Self.uri(path) + "?immutable=1")
      }
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      let reason = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw EventStoreError(
        .io, "\(path): cannot be opened: \(reason); check that its folder is there and may be written")
    }
    handle = opened
    self.path = path
    sqlite3_extended_result_codes(handle, 1)
    // SQLite opens a file that it may not write for reading, and would say so at the first write only.
    if access == .readWrite || access == .existing, sqlite3_db_readonly(handle, "main") == 1 {
      throw EventStoreError(
        .readOnly, "\(path): cannot be written; change its permissions, or open it with SQLiteEventStore(readingFrom:)")
    }
    sqlite3_busy_timeout(handle, 10_000)
  }

  private static func uri(_ path: String) -> String {
    let absolute = URL(fileURLWithPath: path).path
    let bytes = absolute.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return "file://" + bytes.joined()
  }

  deinit { close() }

  /// Closes the connection; nothing can be asked of it afterwards.
  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// The first bytes of the file, fewer where it ends sooner, read without a lock.
  ///
  /// They are read through SQLite: whoever opens the file beside it, and closes it again, ends the locks that all
  /// connections of the process hold on it (sqlite.org/howtocorrupt.html, 2.2), and then another process's close takes the
  /// log's tail away from under them.
  func header(_ count: Int) throws -> [UInt8] {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee else { throw failure(code) }
    var size: sqlite3_int64 = 0
    guard methods.xFileSize(file, &size) == SQLITE_OK else { throw failure(SQLITE_IOERR) }
    var bytes = [UInt8](repeating: 0, count: min(count, Int(size)))
    if !bytes.isEmpty, methods.xRead(file, &bytes, Int32(bytes.count), 0) != SQLITE_OK { throw failure(SQLITE_IOERR) }
    return bytes
  }

  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Runs a statement with its values, and hands over each row of the answer.
  func run(_ sql: String, _ values: [Value] = [], _ row: (SQLiteRow) throws -> Void = { _ in }) throws {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code =
        switch value {
        case .int(let value): sqlite3_bind_int64(statement, place, value)
        case .text(var value):
          value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
              sqlite3_bind_text64(
                statement, place, $0.baseAddress, UInt64($0.count), ANNALS_SQLITE_TRANSIENT, UInt8(SQLITE_UTF8))
            }
          }
        case .null: sqlite3_bind_null(statement, place)
        }
      if code != SQLITE_OK { throw failure(code) }
    }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code) }
      try row(SQLiteRow(statement: statement))
    }
  }

  func int(_ sql: String, _ values: [Value] = []) throws -> Int64? {
    var answer: Int64?
    try run(sql, values) { answer = $0.int(0) }
    return answer
  }

  /// Runs a body in a transaction that holds the write lock from its beginning.
  func write<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A failed COMMIT may have rolled back by itself; there is nothing left to undo then.
      try? execute("ROLLBACK")
      throw error
    }
  }

  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  private func prepared(_ sql: String) throws -> OpaquePointer {
    if let known = statements[sql] { return known }
    var made: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard code == SQLITE_OK, let made else { throw failure(code) }
    statements[sql] = made
    return made
  }

  private func failure(_ code: Int32) -> EventStoreError {
    let reason = String(cString: sqlite3_errmsg(handle))
    switch code & 0xFF {
    case SQLITE_NOTADB: return EventStoreError(.notALog, "\(path): is not an event log: \(reason)")
    case SQLITE_CORRUPT: return EventStoreError(.corrupt, "\(path): is damaged: \(reason); restore it from a copy")
    case SQLITE_READONLY: return EventStoreError(.readOnly, "\(path): cannot be written: \(reason)")
    case SQLITE_FULL:
      return EventStoreError(.io, "\(path): the disk is full; nothing was added, make room and try again")
    case SQLITE_CANTOPEN:
      return EventStoreError(
        .io, "\(path): cannot be opened: \(reason); check that its folder is there and may be written")
    case SQLITE_TOOBIG:
      return EventStoreError.invalidAppend(
        "\(path): an event holds more text than SQLite takes, a billion bytes; keep large data in a file of its own")
    default: return EventStoreError(.io, "\(path): SQLite failed with code \(code): \(reason)")
    }
  }
}

/// A row of an answer, valid until the next one.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer

  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func text(_ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}

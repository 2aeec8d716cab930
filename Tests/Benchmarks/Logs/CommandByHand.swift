import CAnnalsSQLite
import Foundation

/// A command and its list as an app does it without a library: the ware's events are read and decoded, the new one is
/// encoded, inserted and committed, and the arrays that are shown are changed.
///
/// The table has the columns of a log: an event has a UUID, a time, metadata and a checksum of its values.
final class CommandByHand {
  private struct Price: Codable {
    var id: String
    var to: Double
  }

  private var database: OpaquePointer?
  private var insert: OpaquePointer?
  private var select: OpaquePointer?
  private let folder: URL
  private let arrays: ArrayEngine
  private let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
  private let count: Int
  private var chance = Chance(seed: 11)
  private var position: Int64 = 0

  init(_ wares: [Ware]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    arrays = ArrayEngine(wares, shelves: 100)
    count = wares.count
    guard sqlite3_open(folder.appending(path: "log").path, &database) == SQLITE_OK, let database else {
      throw WideFailure(message: "SQLite does not open")
    }
    try SQLCalls.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        + "CREATE TABLE stream (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
        + "CREATE TABLE event (position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, version INTEGER NOT NULL,"
        + " type TEXT NOT NULL, id BLOB NOT NULL, time INTEGER NOT NULL, payload TEXT NOT NULL,"
        + " metadata TEXT NOT NULL, checksum INTEGER NOT NULL, UNIQUE (stream, version)); BEGIN", in: database)
    insert = try SQLCalls.prepare("INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", in: database)
    select = try SQLCalls.prepare(
      "SELECT version, payload, stream FROM event WHERE stream = (SELECT key FROM stream WHERE name = ?1)"
        + " ORDER BY version", in: database)
    let name = try SQLCalls.prepare("INSERT INTO stream VALUES (?1, ?2)", in: database)
    defer { sqlite3_finalize(name) }
    for (key, ware) in wares.enumerated() {
      sqlite3_bind_int64(name, 1, Int64(key))
      sqlite3_bind_text(name, 2, ware.id, -1, SQLCalls.transient)
      guard sqlite3_step(name) == SQLITE_DONE else { throw WideFailure(message: "a stream is not inserted") }
      sqlite3_reset(name)
      try write(Price(id: ware.id, to: ware.price), 1, on: Int64(key))
    }
    try SQLCalls.execute("COMMIT", in: database)
  }

  deinit {
    for statement in [insert, select] { sqlite3_finalize(statement) }
    sqlite3_close_v2(database)
    try? FileManager.default.removeItem(at: folder)
  }

  /// The time of each of some commands.
  func times(_ times: Int) throws -> [Double] {
    try (0..<times).map { _ in
      let (id, price) = (ListWorkload.id(chance.next(upTo: count)), chance.price())
      return try nanoseconds { try reprice(id, to: price) }
    }
  }

  private func reprice(_ id: String, to price: Double) throws {
    guard let database else { return }
    try SQLCalls.execute("BEGIN IMMEDIATE", in: database)
    var (version, stream, last): (Int64, Int64, Price?) = (0, 0, nil)
    sqlite3_bind_text(select, 1, id, -1, SQLCalls.transient)
    while sqlite3_step(select) == SQLITE_ROW {
      (version, stream) = (sqlite3_column_int64(select, 0), sqlite3_column_int64(select, 2))
      guard let bytes = sqlite3_column_blob(select, 1) else { continue }
      last = try decoder.decode(Price.self, from: Data(bytes: bytes, count: Int(sqlite3_column_bytes(select, 1))))
    }
    sqlite3_reset(select)
    let new = Price(id: id, to: price)
    if last?.to != price { try write(new, version + 1, on: stream) }
    try SQLCalls.execute("COMMIT", in: database)
    keep(arrays.reprice(new.id, to: new.to))
  }

  private func write(_ price: Price, _ version: Int64, on stream: Int64) throws {
    position += 1
    let payload = try encoder.encode(price)
    let time = Int64(Date.now.timeIntervalSince1970 * 1e6)
    let (type, metadata) = ("WareRepriced", #"{"actor":"benchmark"}"#)
    var id = UUID().uuid
    var sum: UInt32 = 0
    func add(_ bytes: UnsafeRawBufferPointer) { for byte in bytes { sum = sum &* 31 &+ UInt32(byte) } }
    for number in [position, stream, version, time] { withUnsafeBytes(of: number, add) }
    withUnsafeBytes(of: id, add)
    payload.withUnsafeBytes(add)
    for text in [type, metadata] { Array(text.utf8).withUnsafeBytes(add) }
    sqlite3_bind_int64(insert, 1, position)
    sqlite3_bind_int64(insert, 2, stream)
    sqlite3_bind_int64(insert, 3, version)
    sqlite3_bind_text(insert, 4, type, -1, SQLCalls.transient)
    withUnsafeBytes(of: &id) { bytes in
      _ = sqlite3_bind_blob(insert, 5, bytes.baseAddress, Int32(bytes.count), SQLCalls.transient)
    }
    sqlite3_bind_int64(insert, 6, time)
    _ = payload.withUnsafeBytes { bytes in
      sqlite3_bind_text(
        insert, 7, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), SQLCalls.transient)
    }
    sqlite3_bind_text(insert, 8, metadata, -1, SQLCalls.transient)
    sqlite3_bind_int64(insert, 9, Int64(sum))
    guard sqlite3_step(insert) == SQLITE_DONE else { throw WideFailure(message: "an event is not inserted") }
    sqlite3_reset(insert)
  }
}

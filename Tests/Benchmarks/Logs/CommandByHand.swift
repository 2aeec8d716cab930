import CAnnalsSQLite
import Foundation

/// A command and its list as an app does it without a library: the ware's events are read and decoded, the new one is
/// encoded, inserted and committed, and the arrays that are shown are changed.
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
        + "CREATE TABLE event (position INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL,"
        + " type TEXT NOT NULL, payload TEXT NOT NULL, UNIQUE (stream, version)); BEGIN", in: database)
    insert = try SQLCalls.prepare("INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5)", in: database)
    select = try SQLCalls.prepare("SELECT version, payload FROM event WHERE stream = ?1 ORDER BY version", in: database)
    for ware in wares { try write(Price(id: ware.id, to: ware.price), 1) }
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
    var (version, last): (Int64, Price?) = (0, nil)
    sqlite3_bind_text(select, 1, id, -1, SQLCalls.transient)
    while sqlite3_step(select) == SQLITE_ROW {
      version = sqlite3_column_int64(select, 0)
      guard let bytes = sqlite3_column_blob(select, 1) else { continue }
      last = try decoder.decode(Price.self, from: Data(bytes: bytes, count: Int(sqlite3_column_bytes(select, 1))))
    }
    sqlite3_reset(select)
    let new = Price(id: id, to: price)
    if last?.to != price { try write(new, version + 1) }
    try SQLCalls.execute("COMMIT", in: database)
    keep(arrays.reprice(new.id, to: new.to))
  }

  private func write(_ price: Price, _ version: Int64) throws {
    position += 1
    let payload = try encoder.encode(price)
    sqlite3_bind_int64(insert, 1, position)
    sqlite3_bind_text(insert, 2, price.id, -1, SQLCalls.transient)
    sqlite3_bind_int64(insert, 3, version)
    sqlite3_bind_text(insert, 4, "WareRepriced", -1, SQLCalls.transient)
    _ = payload.withUnsafeBytes { bytes in
      sqlite3_bind_text(
        insert, 5, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), SQLCalls.transient)
    }
    guard sqlite3_step(insert) == SQLITE_DONE else { throw WideFailure(message: "an event is not inserted") }
    sqlite3_reset(insert)
  }
}

import AnnalsSQLite
import CAnnalsSQLite
import Foundation

/// The baseline of appends: prepared statements in SQLite's C API, for a log's own tables, with the same sync.
///
/// The rows equal the rows of a log: ids are 16 bytes, metadata are a key, and 64 events have a row in the
/// indexes of types and ids.
final class BareLoop {
  struct Failure: Error { let code: Int32 }

  private var handle: OpaquePointer?
  private var insert: OpaquePointer?
  private var begin: OpaquePointer?
  private var commit: OpaquePointer?
  private var (markType, markID): (OpaquePointer?, OpaquePointer?)
  private var position: Int64
  private var transaction: Int64 = 1
  private var versions: [Int64]
  private let streams: Int

  /// Opens a log with one event in each of some streams.
  init(_ log: ScratchLog, streams: Int = ScratchLog.streams) throws {
    self.streams = streams
    position = Int64(streams)
    versions = Array(repeating: 1, count: streams)
    log.store.close()
    try check(sqlite3_open_v2(log.path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
    try check(sqlite3_exec(handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", nil, nil, nil))
    let metadata = #"INSERT INTO shared_metadata VALUES (1, '{"actor":"benchmark"}')"#
    try check(sqlite3_exec(handle, metadata, nil, nil, nil))
    insert = try prepared("INSERT INTO event VALUES (?1, ?2, ?3, ?4, 1, 1, 1, ?5, ?6, '[]', ?7, 1, ?8)")
    markType = try prepared("INSERT OR IGNORE INTO type_stretch (type, stretch) VALUES (1, ?1)")
    markID = try prepared("INSERT INTO id_mark (source, id, stretch) VALUES (2, ?1, ?2)")
    begin = try prepared("BEGIN IMMEDIATE")
    commit = try prepared("COMMIT")
  }

  deinit {
    for statement in [insert, begin, commit, markType, markID] { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  private func prepared(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    return statement
  }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw Failure(code: code) }
  }

  private func run(_ statement: OpaquePointer?) throws {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    if code != SQLITE_DONE { throw Failure(code: code) }
  }

  /// Appends events in one transaction.
  func append(_ count: Int, stream: Int?) throws {
    transaction += 1
    try run(begin)
    for _ in 0..<count {
      position += 1
      let stream = stream ?? Int(position) &* 7_919 % streams
      versions[stream] += 1
      sqlite3_bind_int64(insert, 1, position)
      sqlite3_bind_int64(insert, 2, transaction)
      sqlite3_bind_int64(insert, 3, Int64(stream + 1))
      sqlite3_bind_int64(insert, 4, versions[stream])
      // As long as a UUID, and ordered like those that a store makes.
      bind(insert, 5, 0x0199_A1C2_0000_7000 + UInt64(position))
      sqlite3_bind_int64(insert, 6, 1_700_000_000_000_000 + position)
      bind(7, ScratchLog.payload)
      sqlite3_bind_int64(insert, 8, position)
      if position & 63 == 0 {
        sqlite3_bind_int64(markType, 1, position >> 6)
        try run(markType)
        bind(markID, 1, 0x0199_A1C2_0000_7000 + UInt64(position))
        sqlite3_bind_int64(markID, 2, position >> 6)
        try run(markID)
      }
      try run(insert)
    }
    try run(commit)
  }

  private func bind(_ statement: OpaquePointer?, _ place: Int32, _ id: UInt64) {
    withUnsafeBytes(of: (id.bigEndian, id.bigEndian)) {
      _ = sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), ANNALS_SQLITE_TRANSIENT)
    }
  }

  private func bind(_ place: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(insert, place, $0.baseAddress, Int32($0.count), ANNALS_SQLITE_TRANSIENT)
      }
    }
  }
}

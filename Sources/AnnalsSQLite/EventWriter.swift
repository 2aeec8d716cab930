import Annals
import Foundation

/// Writes events through a connection that holds the write lock, and answers what a writer must know.
struct EventWriter {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  func head() throws -> Position {
    Position(Int(try connection.int("SELECT max(position) FROM event") ?? 0))
  }

  func version(of stream: StreamName) throws -> Int {
    Int(try connection.int("SELECT version FROM stream WHERE name = ?1", [.text(stream.text)]) ?? 0)
  }

  func position(of id: EventID) throws -> Position? {
    try connection.int(
      "SELECT position FROM event WHERE source = (SELECT key FROM source WHERE name = ?1) AND id = ?2",
      [.text(id.source), .text(id.id)]
    ).map { Position(Int($0)) }
  }

  func write(_ append: Append, _ entries: [(entry: Append.Entry, id: EventID, time: Date)]) throws -> Receipt {
    for (stream, expected) in append.expectations.sorted(by: { $0.key < $1.key }) {
      let found = try version(of: stream)
      if !expected.isMet(by: found) {
        throw EventStoreError.versionConflict(stream: stream, expected: expected, found: found)
      }
    }
    for condition in append.conditions {
      let found = try EventReader(connection).events(
        condition.noneMatching, after: condition.after, through: nil, limit: 1)
      if let found = found.first {
        throw EventStoreError.conditionConflict(after: condition.after, found: found.position)
      }
    }
    let transaction =
      Int(try connection.int("SELECT \"transaction\" FROM event ORDER BY position DESC LIMIT 1") ?? 0) + 1
    for (entry, id, time) in entries {
      if let place = try position(of: id) { throw EventStoreError.duplicateEvent(id, at: place) }
      try write(entry, id, time, transaction)
    }
    let streams = Set(append.entries.map(\.stream)).union(append.expectations.keys)
    return Receipt(
      position: try head(), count: entries.count, transaction: entries.isEmpty ? nil : transaction,
      versions: Dictionary(uniqueKeysWithValues: try streams.map { ($0, try version(of: $0)) }))
  }

  private func write(_ entry: Append.Entry, _ id: EventID, _ time: Date, _ transaction: Int) throws {
    try connection.run(
      "INSERT INTO stream (name, version) VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET version = version + 1",
      [.text(entry.stream.text)])
    try connection.run("INSERT OR IGNORE INTO source (name) VALUES (?1)", [.text(id.source)])
    try connection.run("INSERT OR IGNORE INTO type (name) VALUES (?1)", [.text(entry.event.type)])
    let event = StoredEvent(
      position: try head().rawValue == .max ? 0 : Position(try head().rawValue + 1), transaction: transaction,
      stream: entry.stream, version: try version(of: entry.stream), id: id, type: entry.event.type,
      schema: entry.event.schema, time: time, tags: entry.event.tags, payload: entry.event.payload,
      metadata: entry.event.metadata)
    try connection.run(
      """
      INSERT INTO event (position, "transaction", stream, version, type, schema, source, id, time, tags, payload, metadata,
        checksum)
      VALUES (?1, ?2, (SELECT key FROM stream WHERE name = ?3), ?4, (SELECT key FROM type WHERE name = ?5), ?6,
        (SELECT key FROM source WHERE name = ?7), ?8, ?9, ?10, ?11, ?12, ?13)
      """,
      [
        .int(Int64(event.position.rawValue)), .int(Int64(transaction)), .text(event.stream.text),
        .int(Int64(event.version)), .text(event.type), .int(Int64(event.schema)), .text(id.source), .text(id.id),
        .int(event.time.microseconds), .text(event.tagText), event.payload.map { .text($0) } ?? .null,
        .text(event.metadata.json), .int(Int64(event.checksum)),
      ])
    for tag in event.tags.sorted() {
      try connection.run(
        "INSERT INTO event_tag (tag, position) VALUES (?1, ?2)",
        [.text(tag.text), .int(Int64(event.position.rawValue))])
    }
  }
}

extension StoredEvent {
  /// The tags as a JSON array, in order.
  var tagText: String { "[" + tags.sorted().map { JSONValue.quoted($0.text) }.joined(separator: ",") + "]" }

  /// The CRC-32 (zlib's) of all columns as text, each ended by the byte 0x1F; the absent payload is the byte 0x00.
  var checksum: UInt32 {
    let fields = [
      String(position.rawValue), String(transaction), stream.text, String(version), type, String(schema), id.source,
      id.id,
      String(time.microseconds), tagText, payload ?? "\0", metadata.json,
    ]
    return CRC32.of(fields.flatMap { Array($0.utf8) + [0x1F] })
  }
}

/// The checksum of zlib, gzip and PNG (ISO 3309), which every language has.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  static func of(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }
}

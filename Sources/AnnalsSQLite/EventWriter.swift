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
    var position = try head().rawValue
    guard entries.count <= Int.max - position else {
      throw EventStoreError(.io, "the log has no position left after \(position)")
    }
    var names = NameKeys(connection)
    for (entry, id, time) in entries {
      if let place = try self.position(of: id) { throw EventStoreError.duplicateEvent(id, at: place) }
      position += 1
      let stream = try names.nextVersion(of: entry.stream)
      let event = StoredEvent(
        position: Position(position), transaction: transaction, stream: entry.stream, version: stream.version, id: id,
        type: entry.event.type, schema: entry.event.schema, time: time, tags: entry.event.tags,
        payload: entry.event.payload, metadata: entry.event.metadata)
      try insert(event, stream: stream.key, type: names.key(ofType: event.type), source: names.key(ofSource: id.source))
    }
    try names.writeVersions()
    let streams = Set(append.entries.map(\.stream)).union(append.expectations.keys)
    return Receipt(
      position: Position(position), count: entries.count, transaction: entries.isEmpty ? nil : transaction,
      versions: Dictionary(uniqueKeysWithValues: try streams.map { ($0, try version(of: $0)) }))
  }

  private func insert(_ event: StoredEvent, stream: Int64, type: Int64, source: Int64) throws {
    try connection.run(
      """
      INSERT INTO event (position, "transaction", stream, version, type, schema, source, id, time, tags, payload, metadata,
        checksum)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      """,
      [
        .int(Int64(event.position.rawValue)), .int(Int64(event.transaction)), .int(stream), .int(Int64(event.version)),
        .int(type), .int(Int64(event.schema)), .int(source), .text(event.id.id), .int(event.time.microseconds),
        .text(event.tagText), event.payload.map { .text($0) } ?? .null, .text(event.metadata.json),
        .int(Int64(event.checksum)),
      ])
    for tag in event.tags.sorted() {
      try connection.run(
        "INSERT INTO event_tag (tag, position) VALUES (?1, ?2)",
        [.text(tag.text), .int(Int64(event.position.rawValue))])
    }
  }
}

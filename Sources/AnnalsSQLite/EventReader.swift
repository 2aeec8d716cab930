import Annals
import Foundation

/// Reads events through a connection, and checks each against its checksum.
struct EventReader {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    var values: [SQLiteConnection.Value] = [
      .int(Int64(after.rawValue)), .int(Int64(through?.rawValue ?? .max)), .int(Int64(limit)),
    ]
    func place(_ text: String) -> String {
      values.append(.text(text))
      return "?\(values.count)"
    }
    var filter = ""
    if let alternatives = query.alternatives {
      if alternatives.isEmpty { return [] }
      let parts = alternatives.map { alternative in
        var terms: [String] = []
        if !alternative.streams.isEmpty {
          let names = alternative.streams.sorted().map { place($0.text) }.joined(separator: ",")
          terms.append("event.stream IN (SELECT key FROM stream WHERE name IN (\(names)))")
        }
        if !alternative.types.isEmpty {
          let names = alternative.types.sorted().map { place($0) }.joined(separator: ",")
          terms.append("event.type IN (SELECT key FROM type WHERE name IN (\(names)))")
        }
        for tag in alternative.tags.sorted() {
          terms.append("event.position IN (SELECT position FROM event_tag WHERE tag = \(place(tag.text)))")
        }
        return terms.isEmpty ? "1" : terms.joined(separator: " AND ")
      }
      filter = " AND (" + parts.map { "(\($0))" }.joined(separator: " OR ") + ")"
    }
    var events: [StoredEvent] = []
    let sql = """
      SELECT position, "transaction", stream.name, event.version, type.name, schema, source.name, id, time, tags, payload,
        metadata, checksum
      FROM event JOIN stream ON stream.key = event.stream JOIN type ON type.key = event.type
        JOIN source ON source.key = event.source
      WHERE position > ?1 AND position <= ?2\(filter) ORDER BY position LIMIT ?3
      """
    try connection.run(sql, values) { events.append(try event($0)) }
    return events
  }

  private func event(_ row: SQLiteRow) throws -> StoredEvent {
    let place = row.int(0)
    func damaged(_ what: String) -> EventStoreError {
      EventStoreError(.corrupt, "\(connection.path): event \(place) is damaged: \(what); restore the log from a copy")
    }
    guard let stream = row.text(2), let type = row.text(4), let source = row.text(6), let id = row.text(7),
      let tagText = row.text(9), let metadataText = row.text(11), place > 0
    else { throw damaged("a column that must hold text holds none") }
    guard case .array(let tags)? = try? JSONValue(parsing: tagText), let metadata = try? Metadata(json: metadataText)
    else {
      throw damaged("its tags or its metadata are not JSON")
    }
    let event = StoredEvent(
      position: Position(Int(place)), transaction: Int(row.int(1)), stream: StreamName(stream),
      version: Int(row.int(3)),
      id: EventID(source: source, id: id), type: type, schema: Int(row.int(5)), time: Date(microseconds: row.int(8)),
      tags: Set(tags.compactMap { if case .string(let text) = $0 { EventTag(text) } else { nil } }),
      payload: row.text(10),
      metadata: metadata)
    guard Int64(event.checksum) == row.int(12) else { throw damaged("its checksum does not fit what it holds") }
    return event
  }
}

import AnnalsSQLite

@testable import AnnalsSQLite

extension TestDatabase {
  /// What a statement says for the text of an event's id.
  static let idSQL = {
    let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(hex(event.id), \($0.0), \($0.1))" }
    return "CASE typeof(event.id) WHEN 'blob' THEN lower(\(parts.joined(separator: " || '-' || "))) ELSE event.id END"
  }()

  /// What a statement says for the text of an event's metadata.
  static let metadataSQL = """
    CASE typeof(event.metadata) WHEN 'integer' THEN (SELECT text FROM shared_metadata WHERE key = event.metadata)
      ELSE event.metadata END
    """

  /// Makes a log what it was in format 6: its events have all texts themselves.
  func makeFormatSix() throws {
    let triggers = Schema.eventTriggers.map { "DROP TRIGGER IF EXISTS \($0.name);" }.joined()
    let events = Schema.namesAndEvents.map(\.sql).filter { $0.hasPrefix("CREATE TABLE event (") }.joined()
    try execute(
      """
      BEGIN; \(triggers) ALTER TABLE event RENAME TO new_event; \(events);
      INSERT INTO event SELECT position, "transaction", stream, version, type, schema, source, \(Self.idSQL), time,
        tags, payload, \(Self.metadataSQL), checksum FROM new_event AS event;
      DROP TABLE id_mark; DROP TABLE shared_metadata;
      UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'new_event') WHERE name = 'event';
      DROP TABLE new_event; \(Schema.eventTriggers.map { $0.sql + ";" }.joined()) PRAGMA user_version = 6; COMMIT
      """)
  }

  /// Makes a log what it was in format 5, which did not note where the events of a type are.
  func makeFormatFive() throws {
    try makeFormatSix()
    try execute(
      "DROP TABLE type_stretch; DELETE FROM meta WHERE name = 'type_stretches'; PRAGMA user_version = 5")
  }
}

import Annals
import Foundation

/// The tables of a log, and how a file is known to be one.
enum Schema {
  /// "Anls" in ASCII, at byte 68 of the file (sqlite.org/fileformat.html, "application ID").
  static let applicationID: Int64 = 0x416E_6C73
  /// The format's version, at byte 60 of the file ("user version").
  static let version: Int64 = 1

  static let tables = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE source (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE stream (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL);
    CREATE TABLE type (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE event (
      position INTEGER PRIMARY KEY AUTOINCREMENT, "transaction" INTEGER NOT NULL, stream INTEGER NOT NULL,
      version INTEGER NOT NULL, type INTEGER NOT NULL, schema INTEGER NOT NULL, source INTEGER NOT NULL, id TEXT NOT NULL,
      time INTEGER NOT NULL, tags TEXT NOT NULL, payload TEXT, metadata TEXT NOT NULL, checksum INTEGER NOT NULL,
      UNIQUE (stream, version), UNIQUE (source, id));
    CREATE TABLE event_tag (tag TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (tag, position)) WITHOUT ROWID;
    CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events do not change'); END;
    CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events stay'); END;
    """

  /// Refuses, without opening it as a database, a file that is no log of ours; tells whether it has nothing in it yet.
  @discardableResult
  static func checkHeader(path: String) throws -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return true }
    if isFolder.boolValue { throw EventStoreError(.io, "\(path): expected a file, found a folder") }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw EventStoreError(.io, "\(path): cannot be read; check its permissions")
    }
    let header = try SQLiteConnection(path: path, access: .readOnly).header(100)
    if header.isEmpty { return true }
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw EventStoreError(.notALog, "\(path): expected an event log, found a file that is not a SQLite database")
    }
    func word(_ place: Int) -> Int64 { header[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) } }
    // A log that another process is just creating has its header before its tables.
    if word(68) == 0, word(60) == 0, header.count == 100, word(28) <= 1 { return false }
    guard word(68) == applicationID else {
      throw EventStoreError(.notALog, "\(path): expected an event log, found another application's database")
    }
    if word(60) > version {
      throw EventStoreError(
        .newerFormat(found: Int(word(60)), supported: Int(version)),
        "\(path): expected format \(version) or older, found \(word(60)); open it with a newer version of Annals")
    }
    return false
  }

  /// Sets the connection up, creates the tables in a new file, and answers the log's source.
  static func prepare(_ connection: SQLiteConnection, path: String, makeID: () -> String) throws -> String {
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")
    try connection.write {
      let found = try connection.int("PRAGMA application_id")
      if found == applicationID { return }
      guard found == 0, try connection.int("SELECT count(*) FROM sqlite_schema") == 0 else {
        throw EventStoreError(.notALog, "\(path): expected an event log, found another application's database")
      }
      try connection.execute(tables)
      try connection.run(
        "INSERT INTO meta VALUES ('source', ?1)", [.text("urn:uuid:" + makeID())])
      try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version);")
    }
    return try source(connection, path: path)
  }

  /// The source that the log's own events carry.
  static func source(_ connection: SQLiteConnection, path: String) throws -> String {
    guard try connection.int("PRAGMA application_id") == applicationID else {
      throw EventStoreError(
        .notALog, "\(path): expected an event log, found an empty or another application's database")
    }
    var source: String?
    try connection.run("SELECT value FROM meta WHERE name = 'source'") { source = $0.text(0) }
    guard let source else { throw EventStoreError(.corrupt, "\(path): the log does not say its source; restore it") }
    return source
  }
}

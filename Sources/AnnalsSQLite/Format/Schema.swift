import Annals
import Foundation

/// The tables of a log, and how a file is known to be one.
///
/// `Docs/FileFormat.md` describes them.
enum Schema {
  /// "Anls" in ASCII, at byte 68 of the file (sqlite.org/fileformat.html, "application ID").
  static let applicationID: Int64 = 0x416E_6C73
  /// The format's version, at byte 60 of the file ("user version").
  static let version: Int64 = 4

  /// The tables in their present form; `STRICT` is left out where SQLite is too old to know it.
  static var tables: String { tablesOfFormat2 + personalTables + compactionTables }

  /// The tables that format 2 had, which are as they were.
  static var tablesOfFormat2: String {
    let strict = SQLiteVersion.hasStrictTables
    let (table, tree) = strict ? (" STRICT", " STRICT, WITHOUT ROWID") : ("", " WITHOUT ROWID")
    return """
      CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)\(tree);
      CREATE TABLE source (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)\(table);
      CREATE TABLE stream (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)\(table);
      CREATE TABLE type (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)\(table);
      CREATE TABLE event (
        position INTEGER PRIMARY KEY AUTOINCREMENT, "transaction" INTEGER NOT NULL, stream INTEGER NOT NULL,
        version INTEGER NOT NULL, type INTEGER NOT NULL, schema INTEGER NOT NULL, source INTEGER NOT NULL,
        id TEXT NOT NULL, time INTEGER NOT NULL, tags TEXT NOT NULL, payload TEXT, metadata TEXT NOT NULL,
        checksum INTEGER NOT NULL, UNIQUE (stream, version), UNIQUE (source, id))\(table);
      CREATE TABLE event_tag (tag TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (tag, position))\(tree);
      CREATE TABLE command (
        id TEXT PRIMARY KEY, time INTEGER NOT NULL, position INTEGER NOT NULL, count INTEGER NOT NULL,
        "transaction" INTEGER, versions TEXT NOT NULL)\(tree);
      CREATE TABLE checkpoint (
        name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, position INTEGER NOT NULL, time INTEGER NOT NULL)\(tree);
      CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events do not change'); END;
      \(eventsStay)
      CREATE TRIGGER command_is_never_changed BEFORE UPDATE ON command
        BEGIN SELECT RAISE(ABORT, 'what a command answered does not change'); END;
      CREATE TRIGGER command_is_never_deleted BEFORE DELETE ON command
        BEGIN SELECT RAISE(ABORT, 'commands stay'); END;
      """
  }

  /// The trigger that a compaction takes away until it is done.
  static let eventsStay =
    "CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events stay'); END;"

  /// The tables of format 4: what was compacted, and what is known of the events that were cut.
  static var compactionTables: String {
    let table = SQLiteVersion.hasStrictTables ? " STRICT" : ""
    return """
      CREATE TABLE compaction (
        number INTEGER PRIMARY KEY AUTOINCREMENT, position INTEGER NOT NULL, "transaction" INTEGER NOT NULL,
        time INTEGER NOT NULL, cut INTEGER NOT NULL, replaced INTEGER NOT NULL, identities INTEGER NOT NULL,
        complete INTEGER NOT NULL)\(table);
      CREATE TABLE gap (first INTEGER PRIMARY KEY, last INTEGER NOT NULL)\(table);
      CREATE TABLE cut_event (identity INTEGER PRIMARY KEY, position INTEGER NOT NULL)\(table);
      CREATE TABLE cut_stream (stream INTEGER PRIMARY KEY, version INTEGER NOT NULL)\(table);
      CREATE TRIGGER compaction_is_never_deleted BEFORE DELETE ON compaction
        BEGIN SELECT RAISE(ABORT, 'what was compacted stays compacted'); END;
      CREATE TRIGGER cut_event_is_never_deleted BEFORE DELETE ON cut_event
        BEGIN SELECT RAISE(ABORT, 'identities that were given stay given'); END;
      """
  }

  /// The tables of format 3: what events say of somebody, and what was erased.
  static var personalTables: String {
    let (table, tree) =
      SQLiteVersion.hasStrictTables ? (" STRICT", " STRICT, WITHOUT ROWID") : ("", " WITHOUT ROWID")
    return """
      CREATE TABLE personal (
        position INTEGER NOT NULL, place INTEGER NOT NULL, subject TEXT NOT NULL, object TEXT,
        checksum INTEGER NOT NULL, PRIMARY KEY (position, place))\(tree);
      CREATE INDEX personal_by_subject ON personal (subject);
      CREATE TABLE erasure (
        number INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, position INTEGER NOT NULL,
        time INTEGER NOT NULL, fields INTEGER NOT NULL, complete INTEGER NOT NULL)\(table);
      CREATE INDEX erasure_by_subject ON erasure (subject, position);
      CREATE TRIGGER personal_is_never_changed BEFORE UPDATE ON personal
        BEGIN SELECT RAISE(ABORT, 'what events say does not change'); END;
      CREATE TRIGGER erasure_is_never_deleted BEFORE DELETE ON erasure
        BEGIN SELECT RAISE(ABORT, 'what was erased stays erased'); END;
      INSERT INTO meta VALUES ('sweeps', '0');
      """
  }

  /// What a file's first bytes say.
  enum Header: Equatable {
    /// There is no file.
    case missing
    /// There is nothing in it.
    case empty
    /// A log, or what may become one: another process may be creating it just now.
    case log
  }

  /// Refuses, without opening it as a database, a file that is no log of ours.
  @discardableResult
  static func checkHeader(path: String) throws -> Header {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return .missing }
    if isFolder.boolValue { throw EventStoreError(.io, "\(path): expected a file, found a folder") }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw EventStoreError(.io, "\(path): cannot be read; check its permissions")
    }
    let header = try SQLiteConnection(path: path, access: .read).header(100)
    if header.isEmpty { return .empty }
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      // A loss of power while the first page was written may have torn it. What SQLite wrote before lies beside it then, and
      // SQLite mends the page; whether it is a log's is asked before anything else is written.
      if isMended(path) { return .log }
      throw EventStoreError(.notALog, "\(path): expected an event log, found a file that is not a SQLite database")
    }
    func word(_ place: Int) -> Int64 { header[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) } }
    // A log that another process is just creating has its header before its tables.
    if word(68) == 0, word(60) == 0, word(28) <= 1 { return .log }
    guard word(68) == applicationID else {
      throw EventStoreError(.notALog, "\(path): expected an event log, found another application's database")
    }
    try checkVersion(word(60), path: path)
    // How the file is written and read: 1 with a rollback journal, 2 with a write-ahead log (sqlite.org/fileformat.html, 1.3.3).
    // SQLite would write the two anew when it opens a file in which they differ.
    guard header[18] == header[19], (1...2).contains(header[18]) else {
      throw EventStoreError(
        .corrupt,
        "\(path): expected the bytes 18 and 19 to be both 1 or both 2, found \(header[18]) and \(header[19]); restore the log"
      )
    }
    return .log
  }

  /// True if SQLite's commits or its journal lie beside a file (sqlite.org/fileformat.html, 3 and 4.1), on which it has no locks.
  private static func isMended(_ path: String) -> Bool {
    func begins(_ name: String, _ magic: [UInt8]...) -> Bool {
      let file = FileHandle(forReadingAtPath: name)
      defer { try? file?.close() }
      guard let found = try? file?.read(upToCount: magic[0].count) else { return false }
      return magic.contains(Array(found))
    }
    return begins(path + "-wal", [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83])
      || begins(path + "-journal", [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
  }

  private static func checkVersion(_ found: Int64, path: String) throws {
    guard found <= version else {
      throw EventStoreError(
        .newerFormat(found: Int(found), supported: Int(version)),
        "\(path): expected format \(version) or older, found \(found); open it with a newer version of Annals")
    }
    guard found >= 1 else {
      throw EventStoreError(
        .corrupt, "\(path): expected a format from 1 to \(version), found \(found); restore the log")
    }
  }

  /// Sets a writing connection up, creates the tables in a new file, brings older ones up to date, and answers the log's
  /// source, and whether it wrote anything.
  static func prepare(
    _ connection: SQLiteConnection, path: String, durability: Durability, makeID: () -> String
  ) throws -> (source: String, wrote: Bool) {
    // Until it is known to be ours, not even the close may write to it.
    connection.keepsLogOnClose(true)
    try connection.read { try checkIsOursOrEmpty(connection, path: path) }
    try connection.execute(durability.pragmas)
    try connection.executeWaiting(
      "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = \(SQLiteConnection.commitBytesKept);")
    connection.keepsLogOnClose(false)
    let wrote = try connection.write {
      // Asked again under the lock: another process may have been quicker.
      guard try connection.int("PRAGMA application_id") == applicationID else {
        try checkIsOursOrEmpty(connection, path: path)
        try connection.execute(tables)
        let insert = try connection.statement("INSERT INTO meta VALUES ('source', ?1), ('personal', '0')")
        try insert.bind(1, "urn:uuid:" + makeID())
        try insert.run()
        try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version);")
        return true
      }
      let found = try connection.int("PRAGMA user_version") ?? 0
      try checkVersion(found, path: path)
      try migrate(connection, from: found)
      return found < version
    }
    return (try source(connection, path: path), wrote)
  }

  /// Asked within one transaction: between two questions another process may create the tables.
  private static func checkIsOursOrEmpty(_ connection: SQLiteConnection, path: String) throws {
    let found = try connection.int("PRAGMA application_id")
    if found == applicationID { return }
    guard found == 0, try connection.int("SELECT count(*) FROM sqlite_schema") == 0 else {
      throw EventStoreError(.notALog, "\(path): expected an event log, found another application's database")
    }
  }

  /// The source that the log's own events carry.
  static func source(_ connection: SQLiteConnection, path: String) throws -> String {
    guard try connection.int("PRAGMA application_id") == applicationID else {
      throw EventStoreError(
        .notALog, "\(path): expected an event log, found an empty or another application's database")
    }
    try checkVersion(try connection.int("PRAGMA user_version") ?? 0, path: path)
    var source: String?
    try connection.statement("SELECT value FROM meta WHERE name = 'source'").run { source = $0.text(0) }
    guard let source else { throw EventStoreError(.corrupt, "\(path): the log does not say its source; restore it") }
    return source
  }
}

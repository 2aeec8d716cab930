import AnnalsLog
import Foundation

/// The tables of a log, and the checks that distinguish a log from other files.
///
/// `Docs/FileFormat.md` describes the tables.
enum Schema {
  /// The application id of logs, "Anls" in ASCII, at byte 68 of the file (sqlite.org/fileformat.html, "application
  /// ID").
  static let applicationID: Int64 = 0x416E_6C73
  /// The newest version of the file format.
  static let version = SQLiteConnection.newestFormat

  /// The kind of a file, judging by its first bytes.
  enum Header: Equatable {
    /// The file does not exist.
    case missing
    /// The file is empty.
    case empty
    /// The file is a log, or another process might be creating a log in it.
    case log
  }

  /// Throws if a file is not an event log, without opening the file as a database.
  ///
  /// - Parameters:
  ///   - file: The path of the file, with links resolved.
  ///   - path: The path that error messages contain.
  /// - Returns: The kind of the file.
  /// - Throws: ``EventStoreError``.
  @discardableResult
  static func checkHeader(_ file: String, path: String) throws -> Header {
    try SystemFailure.checkLength(of: file)
    do {
      guard let found = try FileSystem.existing(file) else { return .missing }
      if found.isFolder { throw EventStoreError(.io, "\(path): expected a file, found a folder. Check the path") }
      if let failure = FileSystem.readFailure(file) { throw failure }
    } catch let failure as FileSystem.Failure {
      throw EventStoreError(.io, "\(path): cannot be read: \(failure.sentence)")
    }
    let header = try SQLiteConnection(path: file, access: .read).header(100)
    if header.isEmpty { return .empty }
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      // A power loss during the write of the first page might have torn the page. In that case, SQLite's commits or
      // journal are next to the file, and SQLite repairs the page. Before any other write, the store checks that the
      // repaired page belongs to a log.
      if isMended(file) { return .log }
      throw EventStoreError(
        .notALog,
        "\(path): expected an event log, found a file that is not a SQLite database. Check the path")
    }
    func word(_ place: Int) -> Int64 { header[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) } }
    // A log that another process is creating has its header before its tables.
    if word(68) == 0, word(60) == 0, word(28) <= 1 { return .log }
    guard word(68) == applicationID else {
      throw EventStoreError(
        .notALog,
        "\(path): expected an event log, found another application's database. Check the path")
    }
    try checkVersion(word(60), path: path)
    // Bytes 18 and 19 are the write and read versions: 1 with a rollback journal, 2 with a write-ahead log
    // (sqlite.org/fileformat.html, 1.3.3). SQLite would overwrite both when it opens a file in which they differ.
    guard [0, PageChecksum.size].contains(Int(header[20])) else {
      throw EventStoreError(
        .corrupt,
        "\(path): the file's byte 20 must be 0, or \(PageChecksum.size) for pages with checksums, but is "
          + "\(header[20]); restore the log from a copy")
    }
    guard header[18] == header[19], (1...2).contains(header[18]) else {
      throw EventStoreError(
        .corrupt,
        "\(path): the file's bytes 18 and 19 must be both 1 or both 2, but are \(header[18]) and \(header[19]); "
          + "restore the log from a copy")
    }
    return .log
  }

  /// Returns true if a file has more pages than its first page states, which means that its `-wal` file is missing.
  ///
  /// While commits are copied from the `-wal` file, the log's file grows before its first page is written. The two
  /// numbers are compared only if SQLite itself trusts the first page (sqlite.org/fileformat.html, section 1.3.7).
  static func lacksFirstPage(_ connection: SQLiteConnection) throws -> Bool {
    let header = try connection.header(100)
    func word(_ place: Int) -> Int { header[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    guard header.count == 100, word(24) == word(92), word(28) > 0 else { return false }
    let written = Int(header[16]) << 8 | Int(header[17])
    return FileSystem.size(connection.path) > word(28) * (written == 1 ? 65_536 : written)
  }

  /// Returns true if a file has a `-wal` file or a journal, from which SQLite can complete the file.
  ///
  /// See sqlite.org/fileformat.html, sections 3 and 4.1. SQLite has no locks on these two files, so opening and closing
  /// them here releases no locks.
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
      throw EventStoreError.newerFormat(
        found: Int(found),
        "\(path): expected format \(version) or older, found format \(found); open the log with a newer version of "
          + "Annals")
    }
    guard found >= 1 else {
      throw EventStoreError(
        .corrupt, "\(path): expected a format from 1 to \(version), found \(found); restore the log from a copy")
    }
  }

  /// The properties of an open log.
  struct Opened {
    /// The source in the identities of events that the log creates.
    let source: String
    /// True if opening the log wrote data to the file.
    var wrote = false
    /// True if all pages of the file have checksums.
    let hasPageChecksums: Bool
    /// True if the log records, for each event type, which stretches of 64 positions contain events of the type.
    let hasTypeStretches: Bool
    /// True if the log has the current format.
    let isCurrent: Bool
    /// True if a writer has the log open, or did not close it properly.
    var isOpen: Bool
  }

  /// Configures a writing connection, creates the tables in a new file, and migrates older logs.
  static func prepare(
    _ connection: SQLiteConnection, path: String, durability: Durability, makeID: () -> String
  ) throws -> Opened {
    // Until the file is known to be a log, not even closing may write to it.
    connection.keepsLogOnClose(true)
    let isEmpty = try connection.read { try checkIsOursOrEmpty(connection, path: path) }
    if isEmpty { connection.reservePageChecksums() }
    try connection.execute(durability.pragmas)
    try connection.executeWaiting(
      "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = \(SQLiteConnection.commitBytesKept);")
    connection.keepsLogOnClose(false)
    var isNew = false
    let wrote = try connection.write {
      // The check is repeated under the lock, because another process might have created the log in the meantime.
      guard try checkIsOursOrEmpty(connection, path: path) else {
        let found = try connection.int("PRAGMA user_version") ?? 0
        try migrate(connection, from: found)
        return found < formatOfOpenLogs
      }
      for object in objects(ofFormat: version) { try connection.execute(object.sql) }
      let insert = try connection.statement(
        """
        INSERT INTO meta
        VALUES ('source', ?1), ('personal', '0'), ('sweeps', '0'), ('open', '0'), ('type_stretches', '1')
        """)
      try insert.bind(1, "urn:uuid:" + makeID())
      try insert.run()
      if connection.reservesPageChecksums { try connection.execute(notePageChecksums) }
      try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version);")
      isNew = true
      return true
    }
    var opened = try opened(connection, path: path)
    opened.wrote = wrote
    // Another process may have opened the new log before these values were read.
    if isNew { opened.isOpen = false }
    return opened
  }

  /// An SQL statement that records that all pages of the file have checksums.
  ///
  /// If the log contains this record but the file's header states otherwise, the file is damaged.
  static let notePageChecksums = "INSERT OR REPLACE INTO meta VALUES ('page_checksums', '1')"
  /// An SQL statement that records that the table of type stretches covers all events of the log.
  static let noteTypeStretches = "INSERT OR REPLACE INTO meta VALUES ('type_stretches', '1')"

  /// Returns true if the file is still empty, and throws if it contains anything other than a log.
  ///
  /// Both checks are in one transaction, because another process could create the tables between them.
  private static func checkIsOursOrEmpty(_ connection: SQLiteConnection, path: String) throws -> Bool {
    let found = try connection.int("PRAGMA application_id")
    if found == applicationID {
      try checkObjects(connection, path: path)
      return false
    }
    guard found == 0, try connection.int("SELECT count(*) FROM sqlite_schema") == 0 else {
      throw EventStoreError(
        .notALog,
        "\(path): expected an event log, found another application's database. Check the path")
    }
    return true
  }

  private static func checkObjects(_ connection: SQLiteConnection, path: String) throws {
    let format = try connection.int("PRAGMA user_version") ?? 0
    try checkVersion(format, path: path)
    // The number changes with every change of a table, an index or a trigger (sqlite.org/pragma.html,
    // "schema_version").
    let version = try connection.int("PRAGMA schema_version") ?? 0
    if connection.checkedSchema == version { return }
    try SchemaCheck(connection, format: format).ensureUsable(path)
    connection.checkedSchema = version
  }

  /// Returns the properties of an open log, after comparing its tables with the expected tables.
  static func opened(_ connection: SQLiteConnection, path: String) throws -> Opened {
    try connection.read {
      guard try connection.int("PRAGMA application_id") == applicationID else {
        throw EventStoreError(
          .notALog,
          "\(path): expected an event log, found an empty database or another application's database. Check the path")
      }
      try checkObjects(connection, path: path)
      var values: [String: String] = [:]
      try connection.statement(
        "SELECT name, value FROM meta WHERE name IN ('source', 'page_checksums', 'type_stretches', 'open')"
      ).run { row in values[row.text(0) ?? ""] = row.text(1) }
      guard let source = values["source"] else {
        throw EventStoreError(
          .corrupt,
          "\(path): the log is damaged: the log's source is missing. The source is a part of the events' identities. "
            + "Restore the log from a copy")
      }
      let hasPageChecksums = values["page_checksums"] == "1"
      if hasPageChecksums, !connection.reservesPageChecksums {
        throw EventStoreError(
          .corrupt,
          "\(path): the log is damaged: its pages have checksums, but its header declares pages without checksums; "
            + "restore the log from a copy")
      }
      if hasPageChecksums { connection.requirePageChecksums() }
      return Opened(
        source: source, hasPageChecksums: hasPageChecksums, hasTypeStretches: values["type_stretches"] == "1",
        isCurrent: try connection.format >= version,
        isOpen: try values["open"] == "1" || lacksFirstPage(connection))
    }
  }
}

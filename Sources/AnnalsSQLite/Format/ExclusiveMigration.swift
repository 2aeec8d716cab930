import AnnalsLog

/// The migration to the formats that older programs can't read.
///
/// Format 7 stores repeated parts of identities and metadata only once. Format 8 has dates in RFC 3339.
enum ExclusiveMigration {
  /// Migrates a log in one transaction, unless another connection has the log open.
  ///
  /// A program of an older version that has the log open would continue to read and write the old format. So if another
  /// program has the log open, the log stays unchanged until a program opens it the next time. From format 6, all
  /// events are rewritten, and then the file is shrunk.
  ///
  /// - Parameters:
  ///   - file: The path of the log's file, with links resolved.
  ///   - durability: The durability of the writes.
  /// - Throws: ``EventStoreError`` if the file cannot be opened. If the migration fails, the log is unchanged.
  static func run(in file: String, durability: Durability) throws {
    try SQLiteConnection.alone(file, durability) { connection in
      var rewrote = false
      do {
        try connection.write {
          let format = try connection.int("PRAGMA user_version")
          switch format {
          case Schema.formatOfOpenLogs:
            // The disk must have space for the events four times: in the commits, in the file, in SQLite's copy of the
            // file, and in the commits of the copy. On a full disk, commits could not be copied from the `-wal` file
            // into the log's file. The log could not be opened either, because SQLite needs a little space for its
            // `-shm` file.
            let space = 4 * Int64(FileSystem.size(file)) + 1_048_576
            guard FileSystem.hasSpace(for: space, nextTo: file) else { return }
            try shortenEvents(connection)
            rewrote = true
          case Schema.version - 1: break
          default: return
          }
          // A digest was computed from JSON that contains dates as numbers. The same command has another digest now, so
          // its retry would be refused as a different command.
          try CommandUses(connection).eraseDigests()
          try connection.execute("PRAGMA user_version = \(Schema.version)")
        }
      } catch {
        // A damaged log stays unchanged: its intact part can be read, and readers of the rest get an error. A log
        // also stays unchanged if the disk is full or another program's table has the same name, until it is opened
        // the next time.
        return
      }
      // The log is already in the new format. If the disk has no space for a second file, the log keeps its old size.
      guard rewrote else { return }
      try? CheckedFiles.$temporaryFolder.withValue(FileSystem.folder(of: file)) { try connection.execute("VACUUM") }
      _ = try? connection.checkpoint()
    }
  }

  private static func shortenEvents(_ connection: SQLiteConnection) throws {
    let counted = try connection.int("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
    for trigger in Schema.eventTriggers { try connection.execute("DROP TRIGGER IF EXISTS \(trigger.name)") }
    try connection.execute("ALTER TABLE event RENAME TO old_event")
    for object in Schema.shortEvents { try connection.execute(object.sql) }
    try copy(connection)
    try connection.execute("DROP TABLE old_event")
    for trigger in Schema.eventTriggers { try connection.execute(trigger.sql) }
    if counted > 0 {
      try connection.execute(
        """
        DELETE FROM sqlite_sequence WHERE name = 'event';
        INSERT INTO sqlite_sequence VALUES ('event', \(counted));
        """)
    }
  }

  /// Copies all events, including damaged ones, and changes only the form of their ids and metadata.
  private static func copy(_ connection: SQLiteConnection) throws {
    var ids = try IDOrder(connection, isStored: true)
    var metadata = SharedMetadata(connection, isStored: true)
    // SQLite itself copies all other columns, regardless of their contents.
    let insert = try connection.ownStatement(
      """
      INSERT INTO event SELECT position, "transaction", stream, version, type, schema, source, ?2, time, tags, payload,
        ?3, checksum FROM old_event WHERE position = ?1
      """)
    try connection.ownStatement("SELECT position, source, id, metadata FROM old_event ORDER BY position").run { row in
      let (position, source) = (row.int(0), row.int(1))
      try insert.bind(1, position)
      if let id = row.text(2).flatMap({ OrderedID($0) }),
        let bytes = try ids.bytes(of: id, isOurs: false, source: source)
      {
        try insert.bind(2, bytes)
        try ids.note(bytes, of: source, at: position)
      } else {
        try bind(row, 2, to: insert)
      }
      if let text = row.text(3), row.bytes(3).map(UTF8Check.holds) ?? false, let key = try metadata.key(of: text) {
        try insert.bind(3, key)
      } else {
        try bind(row, 3, to: insert)
      }
      try insert.run()
    }
  }

  /// Binds a string's bytes unchanged, because a damaged string might not be UTF-8.
  private static func bind(_ row: SQLiteRow, _ column: Int32, to insert: SQLiteStatement) throws {
    guard let bytes = row.bytes(column) else { return try insert.bind(column, nil as String?) }
    try insert.bind(column, lent: bytes.assumingMemoryBound(to: UInt8.self))
  }
}

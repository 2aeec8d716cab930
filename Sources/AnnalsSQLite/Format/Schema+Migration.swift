import AnnalsLog

extension Schema {
  /// Migrates an older log to the current format, one format after another.
  ///
  /// The migration runs inside the open transaction, so it is complete or has no effect. A log that is opened for
  /// reading only stays unchanged, because every format contains the data that readers need.
  static func migrate(_ connection: SQLiteConnection, from found: Int64) throws {
    for version in found..<max(found, formatOfOpenLogs) {
      switch version {
      case 1: try migrateToFormat2(connection)
      case 2: try migrateToFormat3(connection)
      case 3: try make(compaction, connection)
      case 4: try migrateToFormat5(connection)
      // The table counts only once it is known to be complete: `TypeStretches.complete`.
      case 5:
        try make(typeStretches, connection)
        try connection.execute("DELETE FROM meta WHERE name = 'type_stretches'")
      default:
        throw EventStoreError(
          .corrupt,
          "\(connection.path): the log is damaged: expected a format of at least 1, found \(version). Restore the log "
            + "from a copy")
      }
      try connection.execute("PRAGMA user_version = \(version + 1)")
    }
  }

  /// The newest format to which a log can be migrated while other programs might have it open.
  ///
  /// A program of an older version that has the log open would continue to read and write it, but can't read newer
  /// formats. So only a connection with exclusive access migrates a log further: see `ExclusiveMigration`.
  static let formatOfOpenLogs: Int64 = 6

  /// Adds the objects that format 1 lacked: commands, checkpoints, and tables with strict types.
  ///
  /// In format 1, streams also contained their versions, which events contain as well. SQLite can't make an existing
  /// table strict, so the tables are recreated and filled from the old tables.
  private static func migrateToFormat2(_ connection: SQLiteConnection) throws {
    let names = ["meta", "source", "stream", "type", "event", "event_tag"]
    let last = try connection.int("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
    let triggers = eventTriggers.map { "DROP TRIGGER IF EXISTS \($0.name);" }
    try connection.execute(triggers.joined() + names.map { "ALTER TABLE \($0) RENAME TO old_\($0);" }.joined())
    try make(objects(ofFormat: 2), connection)
    for name in names {
      let columns = name == "stream" ? "key, name" : "*"
      try connection.execute("INSERT INTO \(name) SELECT \(columns) FROM old_\(name); DROP TABLE old_\(name);")
    }
    if last > 0 {
      try connection.execute("UPDATE sqlite_sequence SET seq = \(last) WHERE name = 'event'")
    }
  }

  /// Adds the tables of personal values, which format 2 lacked.
  ///
  /// Format 2 stored personal values in the events. These values stay there, because events never change.
  private static func migrateToFormat3(_ connection: SQLiteConnection) throws {
    try make(personal, connection)
    try connection.execute(
      """
      INSERT INTO meta VALUES ('sweeps', '0');
      INSERT INTO meta SELECT 'personal', CAST(coalesce(max(position), 0) AS TEXT) FROM event;
      """)
  }

  /// Adds the objects that format 4 lacked.
  ///
  /// Format 4 had no checksums for receipts and checkpoints, and no triggers that prevent other programs from changing
  /// names and tags.
  private static func migrateToFormat5(_ connection: SQLiteConnection) throws {
    for object in commandTriggers { try connection.execute("DROP TRIGGER IF EXISTS \(object.name)") }
    for name in ["command", "checkpoint"] { try connection.execute("ALTER TABLE \(name) RENAME TO old_\(name)") }
    try make(receipts, connection)
    let (commands, checkpoints) = (CommandReceipts(connection), Checkpoints(connection))
    try connection.ownStatement(
      "SELECT id, time, position, count, coalesce(\"transaction\", 0), versions FROM old_command"
    ).run { row in
      try commands.insert(
        .init(
          id: row.text(0) ?? "", time: row.int(1), position: row.int(2), count: row.int(3), transaction: row.int(4),
          versions: row.text(5) ?? "{}"))
    }
    try connection.ownStatement("SELECT name, position, time FROM old_checkpoint").run { row in
      try checkpoints.write(.init(name: row.text(0) ?? "", position: row.int(1), time: row.int(2)))
    }
    try connection.execute("DROP TABLE old_command; DROP TABLE old_checkpoint;")
    try make(commandTriggers + guards, connection)
    try connection.execute("INSERT INTO meta VALUES ('open', '0')")
  }

  private static func make(_ objects: [SchemaObject], _ connection: SQLiteConnection) throws {
    for object in objects { try connection.execute(object.sql) }
  }
}

import Annals

extension Schema {
  /// Brings an older log to the present format, a step for each format, inside the open transaction: all of it or nothing.
  ///
  /// A log that is only read stays as it is; what its readers ask for is in every format.
  static func migrate(_ connection: SQLiteConnection, from found: Int64) throws {
    for version in found..<version {
      switch version {
      case 1: try migrateToFormat2(connection)
      case 2: try migrateToFormat3(connection)
      case 3: try connection.execute(compactionTables)
      default: throw EventStoreError(.corrupt, "\(connection.path): there is no format \(version); restore the log")
      }
      try connection.execute("PRAGMA user_version = \(version + 1)")
    }
  }

  /// Format 1 had no commands and no checkpoints, its tables took values of any type, and streams kept their versions, which
  /// their events have as well.
  ///
  /// The tables are made anew and filled from the old ones: SQLite cannot make a table strict.
  private static func migrateToFormat2(_ connection: SQLiteConnection) throws {
    let names = ["meta", "source", "stream", "type", "event", "event_tag"]
    let last = try connection.int("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
    let triggers = ["event_is_never_changed", "event_is_never_deleted"].map { "DROP TRIGGER \($0);" }
    try connection.execute(triggers.joined() + names.map { "ALTER TABLE \($0) RENAME TO old_\($0);" }.joined())
    try connection.execute(tablesOfFormat2)
    for name in names {
      let columns = name == "stream" ? "key, name" : "*"
      try connection.execute("INSERT INTO \(name) SELECT \(columns) FROM old_\(name); DROP TABLE old_\(name);")
    }
    if last > 0 {
      try connection.execute("UPDATE sqlite_sequence SET seq = \(last) WHERE name = 'event'")
    }
  }

  /// Format 2 kept what its events said of somebody in the events; they never change, and so what they say stays there.
  private static func migrateToFormat3(_ connection: SQLiteConnection) throws {
    try connection.execute(
      personalTables
        + "INSERT INTO meta SELECT 'personal', CAST(coalesce(max(position), 0) AS TEXT) FROM event;")
  }
}

import AnnalsLog

/// An operation that removes all events of a log, inside a transaction that holds the write lock.
struct LogRemoval {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Removes all events and all data that was derived from them, and sets the checkpoints.
  ///
  /// The names of streams, types and sources remain in the file, because connections of all processes cache the names
  /// by key. So a key must not get another name.
  func run(keeping checkpoints: [Checkpoint], at time: Int64) throws {
    let revision = try CompactionTables(connection).revision
    var tables = [
      "event", "event_tag", "type_stretch", "personal", "erasure", "command", "checkpoint", "compaction", "gap",
      "cut_event", "cut_stream",
    ]
    if try connection.hasShortEvents { tables += ["id_mark", "shared_metadata"] }
    if try CommandUses(connection).exist { tables.append("command_use") }
    for table in tables { try connection.execute("DELETE FROM \(table)") }
    // Without these rows, the next event, erasure and compaction have the number 1.
    try connection.execute("DELETE FROM sqlite_sequence WHERE name IN ('event', 'erasure', 'compaction')")
    try connection.execute("DELETE FROM meta WHERE name GLOB 'erased_from/*'")
    try connection.execute("UPDATE meta SET value = '0' WHERE name = 'personal'")
    try connection.execute(
      "INSERT OR REPLACE INTO meta (name, value) VALUES ('rebases', '\(revision.afterReplacement.rebases)')")
    // Hidden lists would keep the removed data in the file for an hour.
    try CacheTables(connection).deleteLists(named: nil)
    try SnapshotTable(connection).deleteAll()
    for checkpoint in checkpoints {
      try Checkpoints(connection).write(
        .init(name: checkpoint.name, position: Int64(checkpoint.position.rawValue), time: time))
    }
  }
}

import AnnalsLog

/// An operation that deletes a subject's data from a log, inside a transaction that holds the write lock.
struct ErasureTransaction {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Deletes a subject's values, records the erasure, and returns the number of deleted values.
  func erase(_ subject: String, at time: Int64) throws -> Int {
    let find = try connection.statement("SELECT count(*) FROM personal WHERE subject = ?1 AND object IS NOT NULL")
    try find.bind(1, subject)
    let count = try (find.firstInt() ?? 0) + Int64(DraftTables(connection).erase(subject))
    guard count > 0 else { return 0 }
    let head = try EventReader(connection).head().rawValue
    let first = try connection.statement("SELECT min(position) FROM personal WHERE subject = ?1 AND object IS NOT NULL")
    try first.bind(1, subject)
    var firstPosition = head + 1
    // If only drafts contain values of the subject, there is no first position.
    try first.run { row in if row.int(0) > 0 { firstPosition = Int(row.int(0)) } }
    let delete = try connection.statement("DELETE FROM personal WHERE subject = ?1 AND object IS NOT NULL")
    try delete.bind(1, subject)
    try delete.run()
    let note = try connection.statement(
      "INSERT INTO erasure (subject, position, time, fields, complete) VALUES (?1, ?2, ?3, ?4, 0)")
    try note.bind(1, subject)
    try note.bind(2, head)
    try note.bind(3, time)
    try note.bind(4, count)
    try note.run()
    try PersonalTables(connection).note(firstErased: firstPosition)
    try CacheTables(connection).deleteLists(named: nil)
    try CommandUses(connection).eraseDigests()
    // Saved states contain data of the events. States that contain only earlier events remain correct.
    try SnapshotTable(connection).deleteAll(from: firstPosition)
    return Int(count)
  }

  /// True if bytes of erased, compacted or removed data might remain in the log's files.
  var isIncomplete: Bool {
    get throws {
      try connection.int(
        "SELECT (SELECT 1 FROM erasure WHERE complete = 0 LIMIT 1) IS NOT NULL"
          + " OR (SELECT 1 FROM compaction WHERE complete = 0 LIMIT 1) IS NOT NULL"
          + " OR (SELECT value FROM meta WHERE name = 'rebases')"
          + " IS NOT (SELECT value FROM meta WHERE name = 'rebases_swept')") == 1
    }
  }

  /// Records that the log's files no longer contain the data that was erased, compacted or removed up to a revision.
  func complete(through reached: LogRevision) throws {
    if reached.rebases > 0 {
      try connection.execute(
        "INSERT OR REPLACE INTO meta (name, value) VALUES ('rebases_swept', '\(reached.rebases)')")
    }
    for (table, number) in [("erasure", reached.erasures), ("compaction", reached.compacted.count)] {
      let update = try connection.statement("UPDATE \(table) SET complete = 1 WHERE complete = 0 AND number <= ?1")
      try update.bind(1, number)
      try update.run()
    }
  }
}

import AnnalsLog

/// The table of deciders' saved states (snapshots), accessed through a connection.
///
/// The table is created when the first state is saved. You can delete it without losing data.
struct SnapshotTable {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// True once the table exists, because it is created when the first state is saved.
  var exist: Bool {
    get throws { try connection.hasTable("snapshot") }
  }

  func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot? {
    guard try exist else { return nil }
    let find = try connection.statement(
      "SELECT fingerprint, version, position, state, checksum FROM snapshot WHERE stream = ?1 AND decider = ?2")
    try find.bind(1, stream.text)
    try find.bind(2, decider)
    var found: DeciderSnapshot?
    try find.run { row in
      guard let fingerprint = row.text(0), let state = row.text(3) else { return }
      let snapshot = DeciderSnapshot(
        fingerprint: fingerprint, version: Int(row.int(1)), position: Position(max(0, Int(row.int(2)))), state: state)
      if Int64(Self.checksum(snapshot, stream, decider)) == row.int(4) { found = snapshot }
    }
    return found
  }

  /// Returns the decider's name and the stream or boundary of every state, in order.
  func all() throws -> [(name: StreamName, decider: String)] {
    guard try exist else { return [] }
    var found: [(name: StreamName, decider: String)] = []
    try connection.statement("SELECT stream, decider FROM snapshot ORDER BY stream, decider").run { row in
      guard let stream = row.text(0), let decider = row.text(1) else { return }
      found.append((StreamName(stream), decider))
    }
    return found
  }

  func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String) throws {
    try connection.execute(Schema.keptStates.sqlIfMissing)
    let write = try connection.statement("INSERT OR REPLACE INTO snapshot VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    try write.bind(1, stream.text)
    try write.bind(2, decider)
    try write.bind(3, snapshot.fingerprint)
    try write.bind(4, snapshot.version)
    try write.bind(5, snapshot.position.rawValue)
    try write.bind(6, snapshot.state)
    try write.bind(7, Int64(Self.checksum(snapshot, stream, decider)))
    try write.run()
  }

  func deleteAll() throws { try deleteAll(from: 0) }

  /// Deletes the states that include events at or after a position.
  func deleteAll(from position: Int) throws {
    guard try exist else { return }
    let delete = try connection.statement("DELETE FROM snapshot WHERE position >= ?1")
    try delete.bind(1, position)
    try delete.run()
  }

  private static func checksum(_ snapshot: DeciderSnapshot, _ stream: StreamName, _ decider: String) -> UInt32 {
    checksum(
      stream.text, decider, snapshot.fingerprint, Int64(snapshot.version), Int64(snapshot.position.rawValue),
      snapshot.state)
  }

  /// Returns the checksum that is stored in a row.
  static func checksum(
    _ stream: String, _ decider: String, _ fingerprint: String, _ version: Int64, _ position: Int64, _ state: String
  ) -> UInt32 {
    CRC32.of([stream, decider, fingerprint, "\(version)", "\(position)", state])
  }
}

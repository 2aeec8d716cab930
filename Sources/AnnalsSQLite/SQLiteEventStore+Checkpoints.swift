package import Annals

/// Checkpoints lie in a table beside the events: `Docs/FileFormat.md`.
extension SQLiteEventStore: CheckpointStore {
  package func checkpoint(named name: String) throws -> Position? {
    try pool.read { try Self.checkpoint(name, $0) }
  }

  package func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool {
    try writing { connection in
      guard try Self.checkpoint(name, connection) == old else { return false }
      let write = try connection.statement("INSERT OR REPLACE INTO checkpoint VALUES (?1, '', ?2, ?3)")
      try write.bind(1, name)
      try write.bind(2, position.rawValue)
      try write.bind(3, environment.now().microseconds)
      try write.run()
      return true
    }
  }

  package func deleteCheckpoint(named name: String) throws {
    try writing { connection in
      let delete = try connection.statement("DELETE FROM checkpoint WHERE name = ?1")
      try delete.bind(1, name)
      try delete.run()
    }
  }

  private static func checkpoint(_ name: String, _ connection: SQLiteConnection) throws -> Position? {
    let find = try connection.statement("SELECT position FROM checkpoint WHERE name = ?1")
    try find.bind(1, name)
    return try find.firstInt().map { Position(Int($0)) }
  }
}

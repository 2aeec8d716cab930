package import Annals

/// Checkpoints lie in a table beside the events: `Docs/FileFormat.md`.
extension SQLiteEventStore: CheckpointStore {
  package func checkpoint(named name: String) throws -> Position? {
    try pool.read { try Checkpoints($0).position(named: name) }
  }

  package func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool {
    try writing { connection in
      let checkpoints = Checkpoints(connection)
      guard try checkpoints.position(named: name) == old else { return false }
      try checkpoints.write(
        .init(name: name, position: Int64(position.rawValue), time: environment.now().microseconds))
      return true
    }
  }

  package func deleteCheckpoint(named name: String) throws {
    try writing { try Checkpoints($0).delete(named: name) }
  }
}

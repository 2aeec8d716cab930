public import AnnalsLog

extension SQLiteEventStore {
  /// The storage for followers' checkpoints (`CheckpointStore`), which are rows of a table in the log's file.
  ///
  /// `Docs/FileFormat.md` describes the table.
  public var checkpoints: (any CheckpointStore)? { CheckpointTable(store: self) }
}

private struct CheckpointTable: ReplaceableCheckpointStore {
  let store: SQLiteEventStore

  func checkpoint(named name: String) throws -> Position? {
    try store.pool.read { try Checkpoints($0).position(named: name) }
  }

  func rebases() throws -> Int { try store.pool.read { try CompactionTables($0).rebases } }

  func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool {
    try set(name, to: position, from: old) { _ in true }
  }

  func setCheckpoint(named name: String, to position: Position, from old: Position?, at rebases: Int) throws -> Bool {
    try set(name, to: position, from: old) { try CompactionTables($0).rebases == rebases }
  }

  private func set(
    _ name: String, to position: Position, from old: Position?, if isAllowed: (SQLiteConnection) throws -> Bool
  ) throws -> Bool {
    try store.writing { connection in
      guard try isAllowed(connection) else { return false }
      let checkpoints = Checkpoints(connection)
      guard try checkpoints.position(named: name) == old else { return false }
      try checkpoints.write(
        .init(name: name, position: Int64(position.rawValue), time: store.environment.now().microseconds))
      return true
    }
  }

  func deleteCheckpoint(named name: String) throws { try store.writing { try Checkpoints($0).delete(named: name) } }

  func claim(follower: String) throws -> FollowerClaim {
    _ = try store.writing()
    return try store.locks.claim(follower)
  }
}

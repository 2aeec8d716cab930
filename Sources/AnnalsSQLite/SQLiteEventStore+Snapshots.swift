public import AnnalsLog

extension SQLiteEventStore {
  /// The storage for saved states of deciders (`SnapshotStore`), which are rows of a table in the log's file.
  ///
  /// You can delete the table without losing data, because the states can be recomputed from the events.
  public var snapshots: (any SnapshotStore)? { Snapshots(store: self) }

  /// Returns the decider's name and the stream or boundary for every stored snapshot.
  package func keptStates() throws -> [(name: StreamName, decider: String)] {
    try pool.read { try SnapshotTable($0).all() }
  }
}

private struct Snapshots: SnapshotStore {
  let store: SQLiteEventStore

  func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot? {
    try store.pool.read { try SnapshotTable($0).snapshot(of: stream, decider: decider) }
  }

  func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, revision: LogRevision) throws {
    try store.writing { connection in
      guard try CompactionTables(connection).revision == revision else { return }
      try SnapshotTable(connection).save(snapshot, of: stream, decider: decider)
    }
  }

  func deleteSnapshots() throws { try store.writing { try SnapshotTable($0).deleteAll() } }
}

public import Annals

extension SQLiteEventStore {
  /// States of deciders lie in a table beside the events.
  ///
  /// If you delete it nothing is lost.
  public var snapshots: (any SnapshotStore)? { Snapshots(store: self) }
}

private struct Snapshots: SnapshotStore {
  let store: SQLiteEventStore

  func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot? {
    try store.pool.read { try KeptStates($0).snapshot(of: stream, decider: decider) }
  }

  func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, revision: LogRevision) throws {
    try store.writing { connection in
      guard try CompactionTables(connection).revision == revision else { return }
      try KeptStates(connection).save(snapshot, of: stream, decider: decider)
    }
  }

  func deleteSnapshots() throws { try store.writing { try KeptStates($0).deleteAll() } }
}

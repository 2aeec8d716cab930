/// The copy as everything that reads it sees it: what appends to it is refused.
final class ReplicaLog: EventStore {
  private let local: any EventStore
  let source: String
  var environment: StoreEnvironment { local.environment }
  var signal: CommitSignal { local.signal }

  init(_ local: any EventStore, source: String) { (self.local, self.source) = (local, source) }

  func commit(_ append: Append) throws -> Receipt {
    throw EventStoreError(
      .readOnly,
      "this log is a replica of \(source), and follows it to the byte: nothing is appended to it here; call execute, "
        + "append or transaction of the Replica, which go to the remote log")
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try local.read(body) }

  var checkpoints: (any CheckpointStore)? { local.checkpoints }
  var snapshots: (any SnapshotStore)? { local.snapshots }
  var savedLists: (any SavedListStore)? { local.savedLists }
  var inlineLists: (any InlineListStore)? { local.inlineLists }
  var otherWriters: (any OtherWriters)? { local.otherWriters }
}

import AnnalsLog
import Synchronization

/// A read-only log, through which all readers use the copy.
///
/// Until an unfinished copy reaches a compaction's horizon, readers see the copy's former state. See
/// ``UnfinishedCopy``.
final class ReplicaLog: EventStore {
  private let local: any EventStore
  let source: String
  var environment: StoreEnvironment { local.environment }
  var runtime: StoreRuntime { local.runtime }
  /// The part of the copy that this process shows.
  ///
  /// If another process left the copy unfinished, the checkpoints contain the shown part.
  private let showing = Showing()
  /// The inline lists' members.
  ///
  /// They are retained here because the copy's store has only weak references to them.
  private let members = Mutex<[ShownMember]>([])

  /// The part of a copy that is currently shown, or `nil` for the whole copy.
  fileprivate final class Showing: Sendable {
    let unfinished = Mutex<UnfinishedCopy?>(nil)
  }

  init(_ local: any EventStore, source: String) {
    self.local = local
    self.source = source
  }

  /// Shows a part of the copy, or the whole copy for `nil`.
  func show(_ unfinished: UnfinishedCopy?) { showing.unfinished.withLock { $0 = unfinished } }

  func commit(_ append: Append) throws -> Receipt {
    throw EventStoreError(
      .readOnly,
      "this log is a read-only copy of the remote log \(source). To write to the remote log, call execute, append or "
        + "transaction on the Replica")
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    let noted = try UnfinishedCopy(of: local)
    return try local.read { log in
      // This read fixes the log's snapshot. The shown part was recorded before more events were appended.
      _ = try log.head()
      guard let unfinished = showing.unfinished.withLock({ $0 }) ?? noted else { return try body(log) }
      return try body(unfinished.shown(log))
    }
  }

  var checkpoints: (any CheckpointStore)? { local.checkpoints }
  var snapshots: (any SnapshotStore)? { local.snapshots }
  var savedLists: (any SavedListStore)? { local.savedLists }
  var inlineLists: (any InlineListStore)? { local.inlineLists.map { InlineLists(log: self, local: $0) } }
  var externalWriters: (any ExternalWriters)? { local.externalWriters }
}

extension ReplicaLog {
  /// A store of inline lists, which passes the lists to the copy's store.
  ///
  /// The lists are updated in the copy's transactions.
  private struct InlineLists: InlineListStore {
    let log: ReplicaLog
    let local: any InlineListStore

    func add(_ member: any InlineListMember) throws {
      let shown = ShownMember(member, log.showing)
      log.members.withLock { members in
        members.removeAll(where: \.isGone)
        members.append(shown)
      }
      try local.add(shown)
    }
  }

  /// An inline list's member that reads only the shown part of the copy.
  fileprivate final class ShownMember: InlineListMember {
    private struct Weak {
      weak var member: (any InlineListMember)?
    }

    private let weak: Mutex<Weak>
    private let showing: Showing

    init(_ member: any InlineListMember, _ showing: Showing) {
      weak = Mutex(Weak(member: member))
      self.showing = showing
    }

    private var member: (any InlineListMember)? { weak.withLock { $0.member } }
    var isGone: Bool { member == nil }

    func fold(_ log: any EventLog, saving lists: any SavedListStore) throws {
      try member?.fold(showing.unfinished.withLock { $0 }?.shown(log) ?? log, saving: lists)
    }

    func settle(isCommitted: Bool) { member?.settle(isCommitted: isCommitted) }
  }
}

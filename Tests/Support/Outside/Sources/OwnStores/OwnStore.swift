import AnnalsLog
import Foundation
import Synchronization

/// An event store in memory, written from nothing, with every capability: an example to read.
///
/// All that it keeps is one value, ``OwnState``. A moment to read is a copy of the value, which stands still by itself.
/// A transaction changes a copy, and puts it in the value's place when all of it is done. That is short and safe, and
/// makes an append O(n) for a log of n events. A store for large logs shares more between the copies.
public final class OwnStore: EventStore {
  public let source: String
  public let environment: StoreEnvironment
  public let runtime = StoreRuntime()
  private let committed = Mutex(OwnState())
  private let claims = FollowerClaims()
  /// Held by a transaction, so that writers wait for each other, and readers do not.
  private let writing = NSLock()
  /// What keeps lists up to date, each as long as someone else holds it.
  private let members = Mutex<[WeakMember]>([])

  private struct WeakMember {
    weak var member: (any InlineListMember)?
  }

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - source: The source of events that are made here.
  ///   - environment: The time, the identifiers and the hook.
  public init(source: String = "urn:example:own", environment: StoreEnvironment = StoreEnvironment()) {
    (self.source, self.environment) = (source, environment)
  }

  public func commit(_ append: Append) throws -> Receipt {
    try append.validate()
    let payloads = try append.cutPersonalFields()
    return try write(folding: members.withLock { $0.compactMap(\.member) }) { draft in
      try draft.change { state in
        try state.log.append(append, payloads) {
          (EventID(source: source, id: environment.makeID()), environment.now())
        }
      }
    }
  }

  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try body(committed.withLock { $0.log }) }

  public func statistics(streamLimit: Int) -> LogStatistics {
    committed.withLock { $0.log }.statistics(streamLimit: streamLimit)
  }

  /// Runs a transaction: all that the body changes is committed, or nothing if it or a member throws.
  private func write<T>(
    folding members: [any InlineListMember] = [], _ body: (OwnDraft) throws -> T
  ) throws -> T {
    try writing.withLock {
      let draft = OwnDraft(committed.withLock { $0 })
      let result = try body(draft)
      do {
        for member in members { try member.fold(draft.state.log, saving: OwnLists(place: draft)) }
      } catch {
        for member in members { member.settle(isCommitted: false) }
        throw error
      }
      committed.withLock { $0 = draft.state }
      for member in members { member.settle(isCommitted: true) }
      return result
    }
  }
}

/// The store is a place where capabilities find and change what they keep; each change is a transaction.
extension OwnStore: OwnPlace {
  var state: OwnState { committed.withLock { $0 } }

  func change<T>(_ body: (inout OwnState) throws -> T) throws -> T { try write { try $0.change(body) } }
}

extension OwnStore {
  public var checkpoints: (any CheckpointStore)? { OwnCheckpoints(place: self, claims: claims) }
  public var snapshots: (any SnapshotStore)? { OwnSnapshots(place: self) }
  public var savedLists: (any SavedListStore)? { OwnLists(place: self) }
  public var inlineLists: (any InlineListStore)? { Inline(store: self) }
  public var erasing: (any ErasingStore)? { Erasing(store: self) }
  public var compacting: (any CompactingStore)? { Compacting(store: self) }

  private struct Inline: InlineListStore {
    let store: OwnStore

    func add(_ member: any InlineListMember) throws {
      try store.write(folding: [member]) { _ in
        store.members.withLock { members in
          members.removeAll { $0.member == nil }
          members.append(WeakMember(member: member))
        }
      }
    }
  }

  private struct Erasing: ErasingStore {
    let store: OwnStore

    func hasPersonalValues() -> Bool { store.state.log.hasPersonalValues }

    func commitErasure(of subject: String) throws -> ErasureReceipt {
      try store.write(folding: store.members.withLock { $0.compactMap(\.member) }) { draft in
        try draft.change { state in
          let count = state.log.erase(subject)
          // What was derived from the values goes with them.
          if count > 0 { state.forgetWhatWasDerived() }
          return ErasureReceipt(fields: count)
        }
      }
    }
  }

  private struct Compacting: CompactingStore {
    let store: OwnStore

    func commitCompaction(
      progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
    ) throws -> CompactionReceipt {
      try store.write(folding: store.members.withLock { $0.compactMap(\.member) }) { draft in
        try work(OwnCompaction(draft: draft, store: store))
      }
    }
  }
}

/// A log inside a compaction: it reads what was rewritten at once, and no one else does before the commit.
private struct OwnCompaction: CompactionTransaction {
  let draft: OwnDraft
  let store: OwnStore

  private var log: OwnLog { draft.state.log }

  func head() -> Position { log.head() }
  func revision() -> LogRevision { log.revision() }
  func version(of stream: StreamName) -> Int { log.version(of: stream) }
  func position(of id: EventID) -> Position? { log.position(of: id) }
  func receipt(ofCommand commandID: String) -> Receipt? { log.receipt(ofCommand: commandID) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try log.events(query, after: after, through: through, limit: limit)
  }

  func streams() -> [StreamName] { log.streams }

  func checkpoints() -> [Checkpoint] {
    draft.state.checkpoints.map { Checkpoint(name: $0.key.text, position: $0.value) }
  }

  func rewrite(_ plan: CompactionPlan) throws -> Int {
    try draft.change { state in
      try state.log.rewrite(plan) { EventID(source: store.source, id: store.environment.makeID()) }
      state.forgetWhatWasDerived()
      return state.log.count
    }
  }
}

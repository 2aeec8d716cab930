import Foundation
import Synchronization

/// An event store that keeps its log only in memory, and otherwise behaves like other stores.
///
///     let store = MemoryEventStore()
///     try store.append([ScoreEvent.joined(player: "Ann", team: "Reds")], to: "game")
public final class MemoryEventStore: EventStore {
  /// The source in the identity (``EventID``) of every event that is created in this store.
  public let source: String
  /// The store's dependencies, such as its clock and its identifier generator.
  public let environment: StoreEnvironment
  /// The store's runtime, which calls closures after every commit.
  ///
  /// You register the closures with `StoreRuntime/watch(_:)`.
  public let runtime = StoreRuntime()
  private let history = Mutex(MemoryHistory(MemoryLog()))
  /// The saved lists.
  let caches = MemoryCaches()
  private let savedDrafts = MemoryDrafts()
  private let positions = Mutex<[ExactString: Position]>([:])
  private let claims = FollowerClaims()
  private let states = Mutex<[StreamName: [ExactString: DeciderSnapshot]]>([:])
  private let inline = Mutex<[Weak]>([])

  private struct Weak {
    weak var member: (any InlineListMember)?
  }

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - source: The source of the events that are created in this store, by default a new URN.
  ///   - environment: The store's dependencies, such as its clock and its identifier generator.
  public init(source: String? = nil, environment: StoreEnvironment = StoreEnvironment()) {
    self.environment = environment
    self.source = source ?? "urn:uuid:" + environment.makeID()
  }

  /// Creates a store with a copy of another store's log, without its checkpoints, states, drafts and saved lists.
  package convenience init(copying other: MemoryEventStore) {
    self.init(source: other.source, environment: other.environment)
    let log = other.change { $0 }
    history.withLock { $0 = MemoryHistory(log) }
  }

  /// Commits an append (``Append``), or throws an error and leaves the log unchanged.
  public func commit(_ append: Append) throws -> Receipt {
    let prepared = try MemoryLog.Prepared(append, source: source, environment)
    let receipt = try change { log in
      if let first = try append.repeated({ log.receipt(ofCommand: $0) }) { return first }
      try log.check(append)
      try Append.check(append.revision, append.checkpoint, now: log.revision) { name in
        positions.withLock { $0[ExactString(name)] }
      }
      // Check all events before keeping any of them.
      try log.check(prepared)
      if let draft = append.endingDraft, !savedDrafts.delete(draft) { throw EventStoreError.draftChanged(draft) }
      return log.append(append, prepared, environment)
    }
    foldInline()
    return receipt
  }

  /// Calls a closure with a snapshot of the log, so that all reads in the closure are consistent.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try body(moment) }

  private var moment: MemorySnapshot { history.withLock { $0.moment(environment.now) } }

  /// Changes the log by an append.
  private func change<T: Sendable>(_ body: (inout MemoryLog) throws -> T) rethrows -> T {
    try history.withLock { try $0.withLock(body) }
  }

  /// Changes the log's existing events.
  ///
  /// If a reader still uses a view of the log, the call changes a copy of the history, so the view stays unchanged.
  private func rewrite<T: Sendable>(_ body: (inout MemoryLog) throws -> T) rethrows -> T {
    try history.withLock { history in
      if isKnownUniquelyReferenced(&history) { return try history.withLock { try body(&$0) } }
      var log = history.withLock { $0 }
      let result = try body(&log)
      history = MemoryHistory(log)
      return result
    }
  }
}

extension MemoryEventStore {
  /// Returns the position of the last event, or 0 for an empty log.
  public func head() -> Position { moment.head() }

  /// Returns the log's revision, which changes with every erasure and every compaction.
  public func revision() -> LogRevision { moment.revision() }

  /// Returns the number of events that were appended to a stream.
  public func version(of stream: StreamName) -> Int { moment.version(of: stream) }

  /// Returns the position of the event with the given identity, or `nil` if the log never contained the event.
  public func position(of id: EventID) -> Position? { moment.position(of: id) }

  /// Returns up to `limit` events that match a query, in the order of their positions.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    moment.events(query, after: after, through: through, limit: limit)
  }

  /// Returns up to `limit` events that match a query, the newest event first.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) -> [StoredEvent] {
    moment.eventsBackwards(query, after: after, through: through, limit: limit)
  }

  /// Returns the receipt of the command with the given command id, or `nil` if no such command was committed.
  public func receipt(ofCommand commandID: String) -> Receipt? { moment.receipt(ofCommand: commandID) }
}

extension MemoryEventStore {
  /// The in-memory storage for checkpoints (`CheckpointStore`).
  public var checkpoints: (any CheckpointStore)? { Checkpoints(store: self) }
  /// The in-memory storage for decider states (`SnapshotStore`).
  public var snapshots: (any SnapshotStore)? { Snapshots(store: self) }
  /// The storage for drafts, which are kept in memory as long as this store exists.
  ///
  /// A draft contains the uncommitted commands of a `Branch`.
  public var drafts: (any DraftStore)? { savedDrafts }
  /// The in-memory storage for saved lists (`SavedListStore`).
  public var savedLists: (any SavedListStore)? { MemorySavedLists(store: self) }
  /// The interface for lists that every append updates before the append returns (`InlineList`).
  public var inlineLists: (any InlineListStore)? { InlineLists(store: self) }
  /// The interface for erasing a person's data from the events (`ErasingStore`).
  public var erasing: (any ErasingStore)? { Erasing(store: self) }
  /// The interface for compacting the log (`CompactingStore`).
  public var compacting: (any CompactingStore)? { Compacting(store: self) }

  private struct Checkpoints: ReplaceableCheckpointStore {
    let store: MemoryEventStore

    func checkpoint(named name: String) -> Position? { store.positions.withLock { $0[ExactString(name)] } }

    func setCheckpoint(named name: String, to position: Position, from old: Position?) -> Bool {
      store.positions.withLock { positions in
        guard positions[ExactString(name)] == old else { return false }
        positions[ExactString(name)] = position
        return true
      }
    }

    func rebases() -> Int { store.change { $0.revision.rebases } }

    func setCheckpoint(named name: String, to position: Position, from old: Position?, at rebases: Int) -> Bool {
      // The lock also prevents the replacement of all events during the call.
      store.change { log in
        log.revision.rebases == rebases && setCheckpoint(named: name, to: position, from: old)
      }
    }

    func deleteCheckpoint(named name: String) { store.positions.withLock { $0[ExactString(name)] = nil } }

    func claim(follower: String) throws -> FollowerClaim { try store.claims.claim(follower) }
  }

  private struct Snapshots: SnapshotStore {
    let store: MemoryEventStore

    func snapshot(of stream: StreamName, decider: String) -> DeciderSnapshot? {
      store.states.withLock { $0[stream]?[ExactString(decider)] }
    }

    func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, revision: LogRevision) {
      store.ifCurrent(revision) {
        store.states.withLock { $0[stream, default: [:]][ExactString(decider)] = snapshot }
      }
    }

    func deleteSnapshots() { store.states.withLock { $0 = [:] } }
  }

  private struct InlineLists: InlineListStore {
    let store: MemoryEventStore

    func add(_ member: any InlineListMember) throws {
      store.inline.withLock { inline in
        inline.removeAll { $0.member == nil }
        inline.append(Weak(member: member))
      }
      try store.fold(member)
    }
  }

  private struct Erasing: DemandingErasingStore {
    let store: MemoryEventStore

    func hasPersonalValues() -> Bool { store.change { !$0.personal.isEmpty } }

    func commitErasures(of subjects: [String], demanding demand: CheckpointDemand?) throws -> ErasureReceipt {
      let count = try store.rewrite { log in
        if let demand { try demand.check(at: store.positions.withLock { $0[ExactString(demand.name)] }) }
        let before = log.revision
        let count = try subjects.reduce(0) { try $0 + log.erase($1, ofDrafts: store.savedDrafts.erase($1)) }
        if log.revision != before {
          store.caches.deleteAll()
          let kept = log.unchanged(since: before)
          store.states.withLock { states in
            for stream in states.keys { states[stream] = states[stream]?.filter { $0.value.position.rawValue <= kept } }
          }
        }
        return count
      }
      store.foldInline()
      return ErasureReceipt(fields: count)
    }
  }

  private struct Compacting: CompactingStore {
    let store: MemoryEventStore

    /// Compacts the log while no other caller reads or appends.
    func commitCompaction(
      progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
    ) throws -> CompactionReceipt {
      let receipt = try store.rewrite { log in
        // The lock also prevents followers from starting during the compaction.
        try store.positions.withLock { positions in
          let open = MemoryCompaction(log, positions, source: store.source, environment: store.environment)
          let receipt = try work(open)
          guard open.log.revision != log.revision else { return receipt }
          if open.log.removals != log.removals { store.caches.deleteAll() } else { store.caches.hideAll() }
          (log, positions) = (open.log, open.positions)
          store.states.withLock { $0 = [:] }
          return receipt
        }
      }
      store.foldInline()
      return receipt
    }
  }

  /// Calls a closure if the log has the given revision.
  ///
  /// The revision doesn't change during the call.
  func ifCurrent(_ revision: LogRevision, _ body: () -> Void) {
    history.withLock { history in
      if history.withLock({ $0.revision == revision }) { body() }
    }
  }

  /// Updates the inline lists (`InlineList`), before an append, an erasure or a compaction returns.
  private func foldInline() {
    // Writing to memory can't fail.
    for member in inline.withLock({ $0.compactMap(\.member) }) { try? fold(member) }
  }

  private func fold(_ member: any InlineListMember) throws {
    try member.fold(moment, saving: MemorySavedLists(store: self))
    member.settle(isCommitted: true)
  }
}

extension MemoryEventStore: LogIndex {
  /// The commands with a command id, in the order of their positions.
  package func commands() -> [CommandRecord]? { history.withLock { $0.withLock(\.commands) } }
}

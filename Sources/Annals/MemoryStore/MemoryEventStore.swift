import Foundation
import Synchronization

/// An event store that keeps its log in memory, by the same rules as every other.
public final class MemoryEventStore: EventStore {
  /// The source that events made in this store carry.
  public let source: String
  /// The time, the identifiers and the hook that the store uses.
  public let environment: StoreEnvironment
  /// Tells those who watch the store of its commits.
  public let signal = CommitSignal()
  private let state = Mutex(MemoryLog())
  /// What controllers saved of their lists.
  let caches = MemoryCaches()
  private let checkpoints = Mutex<[ExactString: Position]>([:])
  private let snapshots = Mutex<[StreamName: [ExactString: DeciderSnapshot]]>([:])
  private let inline = Mutex<[Weak]>([])

  private struct Weak {
    weak var member: (any InlineMember)?
  }

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - source: The source of events made here; by default a new URN.
  ///   - environment: The time, the identifiers and the hook.
  public init(source: String? = nil, environment: StoreEnvironment = StoreEnvironment()) {
    self.environment = environment
    self.source = source ?? "urn:uuid:" + environment.makeID()
  }

  /// Commits an append, or throws and changes nothing.
  public func commit(_ append: Append) throws -> Receipt {
    try append.validate()
    let fields = try append.personalFields().map(\.fields)
    let prepared = append.entries.map { entry in
      (
        entry: entry, id: entry.event.id ?? EventID(source: source, id: environment.makeID()),
        time: entry.event.time ?? environment.now()
      )
    }
    let receipt = try state.withLock { log in
      if let id = append.commandID, let first = log.receipts[ExactString(id)] { return first }
      try log.check(append)
      // All of it is checked before any of it is kept.
      var fresh: Set<EventID> = []
      for (offset, event) in prepared.enumerated() {
        if let place = log.ids[event.id] { throw EventStoreError.duplicateEvent(event.id, at: Position(place)) }
        if !fresh.insert(event.id).inserted {
          throw EventStoreError.duplicateEvent(event.id, at: Position(log.head + offset + 1))
        }
      }
      if !prepared.isEmpty { log.beginTransaction() }
      for ((entry, id, time), fields) in zip(prepared, fields) {
        log.append(entry.event, id, at: time, to: entry.stream, fields)
      }
      let streams = Set(append.entries.map(\.stream)).union(append.expectations.keys)
      let receipt = Receipt(
        position: Position(log.head), count: prepared.count, transaction: prepared.isEmpty ? nil : log.transaction,
        versions: Dictionary(uniqueKeysWithValues: streams.map { ($0, log.versions[$0] ?? 0) }))
      if let id = append.commandID { log.receipts[ExactString(id)] = receipt }
      return receipt
    }
    foldInline()
    return receipt
  }

  /// The receipt of a command that was committed under an id, or nil.
  public func receipt(ofCommand commandID: String) -> Receipt? {
    state.withLock { $0.receipts[ExactString(commandID)] }
  }

  /// The position of the last event, 0 in an empty log.
  public func head() -> Position { state.withLock { Position($0.head) } }

  /// The number of events that were appended to a stream.
  public func version(of stream: StreamName) -> Int { state.withLock { $0.versions[stream] ?? 0 } }

  /// The place of the event with an identity, or nil.
  public func position(of id: EventID) -> Position? { state.withLock { $0.ids[id].map { Position($0) } } }

  /// Reads a page of events in the order of their positions.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    state.withLock { $0.events(query, after: after, through: through, limit: limit) }
  }

  /// Reads a page of events backwards, the newest first.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) -> [StoredEvent] {
    precondition(limit > 0, "a page has room for at least one event, a limit of \(limit) does not")
    return state.withLock { log in
      Array(log.slice(after: after, through: through).reversed().lazy.filter(query.matches).prefix(limit))
    }
  }
}

extension MemoryEventStore: InlineStore {
  package func addInline(_ member: any InlineMember) throws {
    inline.withLock { inline in
      inline.removeAll { $0.member == nil }
      inline.append(Weak(member: member))
    }
    try member.fold(in: self)
    member.settle(isCommitted: true)
  }

  /// Lets those who are kept up to date fold what was appended, before the append returns.
  private func foldInline() {
    for member in inline.withLock({ $0.compactMap(\.member) }) {
      // Nothing in memory can fail to be written.
      try? member.fold(in: self)
      member.settle(isCommitted: true)
    }
  }
}

extension MemoryEventStore: CheckpointStore {
  package func checkpoint(named name: String) -> Position? { checkpoints.withLock { $0[ExactString(name)] } }

  package func setCheckpoint(named name: String, to position: Position, from old: Position?) -> Bool {
    checkpoints.withLock { checkpoints in
      guard checkpoints[ExactString(name)] == old else { return false }
      checkpoints[ExactString(name)] = position
      return true
    }
  }

  package func deleteCheckpoint(named name: String) { checkpoints.withLock { $0[ExactString(name)] = nil } }
}

extension MemoryEventStore: SnapshotStore {
  package func snapshot(of stream: StreamName, decider: String) -> DeciderSnapshot? {
    snapshots.withLock { $0[stream]?[ExactString(decider)] }
  }

  package func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, rewrites: Int) {
    state.withLock { log in
      guard log.rewrites == rewrites else { return }
      snapshots.withLock { $0[stream, default: [:]][ExactString(decider)] = snapshot }
    }
  }

  package func deleteSavedSnapshots() { snapshots.withLock { $0 = [:] } }
}

extension MemoryEventStore: ErasingStore {
  /// How often something was erased.
  public func erasures() -> Int { state.withLock { $0.erasures } }

  /// True if any event has a value of somebody.
  package func hasPersonalFields() -> Bool { state.withLock { !$0.personal.isEmpty } }

  package func makeCache(named name: String, fingerprint: String, rewrites: Int) -> Int? {
    state.withLock { $0.rewrites == rewrites ? caches.make(name, fingerprint) : nil }
  }

  /// Deletes the values of a subject from all events, and all saved lists.
  public func commitErasure(of subject: String) throws -> ErasureReceipt {
    let count = try state.withLock { log in
      let erasures = log.erasures
      let count = try log.erase(subject)
      if log.erasures != erasures {
        caches.deleteAll()
        snapshots.withLock { $0 = [:] }
      }
      return count
    }
    foldInline()
    return ErasureReceipt(fields: count)
  }
}

extension MemoryEventStore: CompactingStore {
  /// Up to where the history was compacted, and how often.
  public func compacted() -> CompactedHistory { state.withLock { $0.compacted } }

  /// How often something was erased or compacted.
  public func rewrites() -> Int { state.withLock { $0.rewrites } }

  /// Compacts the log; what the proof asks for is read in the middle of it, and nobody else reads or appends meanwhile.
  public func commitCompaction(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void
  ) throws -> CompactionReceipt {
    let receipt = try state.withLock { log in
      // Nobody begins to follow meanwhile either.
      try checkpoints.withLock { checkpoints in
        let open = MemoryCompaction(log, checkpoints, source: source, environment: environment)
        let receipt = try compaction.run(in: open, progress: progress)
        guard open.log.rewrites != log.rewrites else { return receipt }
        log = open.log
        caches.hideAll()
        snapshots.withLock { $0 = [:] }
        return receipt
      }
    }
    foldInline()
    return receipt
  }
}

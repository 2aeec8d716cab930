import Foundation
import Synchronization

/// An event store that keeps its log in memory, by the same rules as every other.
public final class MemoryEventStore: EventStore {
  private struct State {
    var events: [StoredEvent] = []
    var streams: [StreamName: [Int]] = [:]
    var ids: [EventID: Int] = [:]
    var transaction = 0
    var receipts: [ExactString: Receipt] = [:]
    /// The places of the events that have values of a subject.
    var personal: [ExactString: Set<Int>] = [:]
    var erasures = 0
  }

  /// The source that events made in this store carry.
  public let source: String
  /// The time, the identifiers and the hook that the store uses.
  public let environment: StoreEnvironment
  /// Tells those who watch the store of its commits.
  public let signal = CommitSignal()
  private let state = Mutex(State())
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
    let receipt = try state.withLock { state in
      if let id = append.commandID, let first = state.receipts[ExactString(id)] { return first }
      for (stream, expected) in append.expectations.sorted(by: { $0.key < $1.key }) {
        let found = state.streams[stream]?.count ?? 0
        if !expected.isMet(by: found) {
          throw EventStoreError.versionConflict(stream: stream, expected: expected, found: found)
        }
      }
      for condition in append.conditions {
        let after = min(condition.after.rawValue, state.events.count)
        if let found = state.events[after...].first(where: condition.noneMatching.matches) {
          throw EventStoreError.conditionConflict(after: condition.after, found: found.position)
        }
      }
      // All of it is checked before any of it is kept.
      var fresh: Set<EventID> = []
      for (offset, event) in prepared.enumerated() {
        if let place = state.ids[event.id] { throw EventStoreError.duplicateEvent(event.id, at: Position(place + 1)) }
        if !fresh.insert(event.id).inserted {
          throw EventStoreError.duplicateEvent(event.id, at: Position(state.events.count + offset + 1))
        }
      }
      if !prepared.isEmpty { state.transaction += 1 }
      for ((entry, id, time), fields) in zip(prepared, fields) {
        let place = state.events.count
        for field in fields where field.object != nil {
          state.personal[ExactString(field.subject), default: []].insert(place)
        }
        state.ids[id] = place
        state.streams[entry.stream, default: []].append(place)
        state.events.append(
          StoredEvent(
            position: Position(place + 1), transaction: state.transaction, stream: entry.stream,
            version: state.streams[entry.stream]?.count ?? 0, id: id, type: entry.event.type,
            schema: entry.event.schema, time: time, tags: entry.event.tags, payload: entry.event.payload,
            metadata: entry.event.metadata))
      }
      let streams = Set(append.entries.map(\.stream)).union(append.expectations.keys)
      let receipt = Receipt(
        position: Position(state.events.count), count: prepared.count,
        transaction: prepared.isEmpty ? nil : state.transaction,
        versions: Dictionary(uniqueKeysWithValues: streams.map { ($0, state.streams[$0]?.count ?? 0) }))
      if let id = append.commandID { state.receipts[ExactString(id)] = receipt }
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
  public func head() -> Position {
    state.withLock { Position($0.events.count) }
  }

  /// The number of events in a stream.
  public func version(of stream: StreamName) -> Int {
    state.withLock { $0.streams[stream]?.count ?? 0 }
  }

  /// The place of the event with an identity, or nil.
  public func position(of id: EventID) -> Position? {
    state.withLock { $0.ids[id].map { Position($0 + 1) } }
  }

  /// Reads a page of events in the order of their positions.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    precondition(limit > 0, "a page has room for at least one event, a limit of \(limit) does not")
    return state.withLock { state in
      let end = min(through?.rawValue ?? .max, state.events.count)
      guard after.rawValue < end else { return [] }
      var page: [StoredEvent] = []
      for event in state.events[after.rawValue..<end] where query.matches(event) {
        page.append(event)
        if page.count == limit { break }
      }
      return page
    }
  }

  /// Reads a page of events backwards, the newest first.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) -> [StoredEvent] {
    precondition(limit > 0, "a page has room for at least one event, a limit of \(limit) does not")
    return state.withLock { state in
      let end = min(through?.rawValue ?? .max, state.events.count)
      guard after.rawValue < end else { return [] }
      return Array(state.events[after.rawValue..<end].reversed().lazy.filter(query.matches).prefix(limit))
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

  package func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, erasures: Int) {
    state.withLock { state in
      guard state.erasures == erasures else { return }
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

  package func makeCache(named name: String, fingerprint: String, erasures: Int) -> Int? {
    state.withLock { $0.erasures == erasures ? caches.make(name, fingerprint) : nil }
  }

  /// Deletes the values of a subject from all events, and all saved lists.
  public func commitErasure(of subject: String) throws -> ErasureReceipt {
    let count = try state.withLock { state in
      guard let places = state.personal[ExactString(subject)] else { return 0 }
      var count = 0
      for place in places {
        let event = state.events[place]
        let (payload, found) = try PersonalPayload.erased(event.payload ?? "", of: subject)
        count += found
        state.events[place] = StoredEvent(
          position: event.position, transaction: event.transaction, stream: event.stream, version: event.version,
          id: event.id, type: event.type, schema: event.schema, time: event.time, tags: event.tags, payload: payload,
          metadata: event.metadata)
      }
      state.personal[ExactString(subject)] = nil
      state.erasures += 1
      caches.deleteAll()
      snapshots.withLock { $0 = [:] }
      return count
    }
    foldInline()
    return ErasureReceipt(fields: count)
  }
}

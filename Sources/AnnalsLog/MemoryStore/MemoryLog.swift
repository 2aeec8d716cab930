import Foundation

/// A log in memory.
///
/// It is a value type, so that a change can be discarded.
struct MemoryLog: Sendable {
  /// The existing events, in the order of their positions.
  private(set) var events: [StoredEvent] = []
  /// The positions of events by type.
  private(set) var types = MemoryTypes()
  /// The last position of an appended event.
  private(set) var head = 0
  private(set) var transaction = 0
  private(set) var versions: [StreamName: Int] = [:]
  /// The positions of events, including removed events.
  private(set) var ids: [EventID: Int] = [:]
  /// The receipts by command id, each with the number of receipts before it.
  private var receipts: [ExactString: (receipt: Receipt, number: Int, time: Date)] = [:]
  /// The positions of the events with personal values, by subject.
  private(set) var personal: [ExactString: Set<Int>] = [:]
  /// For every erasure, the first position that it changed.
  private var erasedFrom: [Int] = []
  /// The number of erasures.
  var erasures: Int { erasedFrom.count }
  private(set) var compacted = CompactedHistory.none
  /// The number of removed streams, in which the replacement of all events counts as one stream.
  private(set) var removals = 0

  /// The number that distinguishes the log from its state before all events were replaced.
  private var rebases = 0

  /// The log's revision.
  var revision: LogRevision { LogRevision(erasures: erasures, compacted: compacted, rebases: rebases) }
  /// The number of commands with a receipt.
  var commandCount: Int { receipts.count }

  /// Returns a command's receipt, or nil if the receipt isn't among the log's first receipts.
  ///
  /// A snapshot passes the number of receipts that the log had when the snapshot was created.
  func receipt(ofCommand id: String, among first: Int = .max) -> Receipt? {
    receipts[ExactString(id)].flatMap { $0.number < first ? $0.receipt : nil }
  }

  /// The commands with a receipt, in the order of their positions.
  var commands: [CommandRecord] {
    receipts.map { id, kept in
      CommandRecord(
        id: id.text, time: kept.time, position: kept.receipt.position, count: kept.receipt.count,
        transaction: kept.receipt.transaction)
    }.sorted { ($0.position, $0.time, ExactString($0.id)) < ($1.position, $1.time, ExactString($1.id)) }
  }

  /// Keeps the receipt of a command.
  mutating func keep(_ receipt: Receipt, ofCommand id: String, at time: Date) {
    receipts[ExactString(id)] = (receipt, receipts.count, time)
  }

  /// Returns a stream's version at a position.
  ///
  /// The method is fast if the position is at or near the log's end.
  func version(of stream: StreamName, at end: Int) -> Int {
    guard let version = versions[stream] else { return 0 }
    return version - (end < head ? slice(after: Position(end), through: nil).count { $0.stream == stream } : 0)
  }

  /// Returns the index of the event at a position, or nil if the event was removed.
  private func index(at position: Int) -> Int? {
    let index = index(after: position - 1)
    return index < events.count && events[index].position.rawValue == position ? index : nil
  }

  /// Returns the index of the first event after a position.
  private func index(after position: Int) -> Int {
    // If no event was removed, the index of the event after a position equals the position.
    if events.count == head { return min(position, head) }
    return events.firstIndexInOrder { $0.position.rawValue > position }
  }

  /// Returns the events after a position, through another position.
  func slice(after: Position, through: Position?) -> ArraySlice<StoredEvent> {
    let end = through.map { index(after: $0.rawValue) } ?? events.count
    let start = index(after: after.rawValue)
    return start < end ? events[start..<end] : []
  }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    var found: [StoredEvent] = []
    for event in slice(after: after, through: through) where query.matches(event) {
      found.append(event)
      if found.count == limit { break }
    }
    return found
  }

  func eventsBackwards(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    return Array(slice(after: after, through: through).reversed().lazy.filter(query.matches).prefix(limit))
  }

  /// Returns the first events of some types, up to a limit.
  func events(of types: [ExactString], after: Position, through: Position, limit: Int) -> [StoredEvent] {
    self.types.positions(of: types, after: after.rawValue, through: through.rawValue, limit: limit).compactMap {
      index(at: $0).map { events[$0] }
    }
  }

  /// Throws if an append isn't allowed.
  func check(_ append: Append) throws {
    try append.check(compacted: compacted, version: { versions[$0] ?? 0 }) { query, position in
      slice(after: position, through: nil).first(where: query.matches)?.position
    }
  }

  /// The parts of an append that don't depend on the log.
  struct Prepared {
    fileprivate let entries: [(entry: Append.Entry, id: EventID, time: Date)]
    fileprivate let fields: [[PersonalField]]

    init(_ append: Append, source: String, _ environment: StoreEnvironment) throws {
      try append.validate()
      fields = try append.cutPersonalFields().map { $0?.fields ?? [] }
      entries = append.identified(by: source, environment)
    }
  }

  /// Throws if an event of an append has the identity of another event.
  func check(_ prepared: Prepared) throws {
    var fresh: Set<EventID> = []
    for (offset, event) in prepared.entries.enumerated() {
      if let known = ids[event.id] { throw EventStoreError.duplicateEvent(event.id, at: Position(known)) }
      if !fresh.insert(event.id).inserted {
        throw EventStoreError.duplicateEvent(event.id, at: Position(head + offset + 1))
      }
    }
  }

  /// Adds the events of an append at the end.
  mutating func append(_ append: Append, _ prepared: Prepared, _ environment: StoreEnvironment) -> Receipt {
    let entries = prepared.entries
    if !entries.isEmpty { transaction += 1 }
    for ((entry, id, time), fields) in zip(entries, prepared.fields) {
      self.append(entry.event, id, at: time, to: entry.stream, fields)
    }
    let streams = Set(append.entries.map(\.stream)).union(append.expectations.keys)
    let receipt = Receipt(
      position: Position(head), count: entries.count, transaction: entries.isEmpty ? nil : transaction,
      versions: Dictionary(uniqueKeysWithValues: streams.map { ($0, versions[$0] ?? 0) }))
    for (id, receipt) in append.receipts(receipt) {
      keep(receipt, ofCommand: id, at: entries.first?.time ?? environment.now())
    }
    return receipt
  }

  private mutating func append(
    _ event: NewEvent, _ id: EventID, at time: Date, to stream: StreamName, _ fields: [PersonalField]
  ) {
    head += 1
    note(fields, at: head)
    ids[id] = head
    types.append(event.type, at: head)
    versions[stream, default: 0] += 1
    events.append(
      StoredEvent(
        position: Position(head), transaction: transaction, stream: stream, version: versions[stream] ?? 0, id: id,
        type: event.type, schema: event.schema, time: time, tags: event.tags, payload: event.payload,
        metadata: event.metadata))
  }

  private mutating func note(_ fields: [PersonalField], at position: Int) {
    for field in fields where field.object != nil {
      personal[ExactString(field.subject), default: []].insert(position)
    }
  }

  /// Deletes the values of a subject, and the digests of commands.
  ///
  /// - Parameters:
  ///   - subject: The subject.
  ///   - drafts: The number of draft commands that were erased. An erasure of draft commands also changes the log's
  ///     revision.
  /// - Returns: The number of erased values and erased draft commands.
  /// - Throws: An error for an unreadable payload.
  mutating func erase(_ subject: String, ofDrafts drafts: Int) throws -> Int {
    let positions = personal[ExactString(subject)] ?? []
    var count = drafts
    for index in positions.compactMap({ index(at: $0) }) {
      let (payload, found) = try PersonalPayload.erased(events[index].payload ?? "", of: subject)
      count += found
      events[index] = events[index].with(payload: payload)
    }
    personal[ExactString(subject)] = nil
    if count == 0 { return 0 }
    erasedFrom.append(positions.min() ?? head + 1)
    receipts = receipts.mapValues { ($0.receipt.withoutDigest(), $0.number, $0.time) }
    return count
  }

  /// Returns the position through which the log has the same events as in an earlier revision.
  func unchanged(since earlier: LogRevision) -> Int {
    guard earlier.compacted == compacted, earlier.rebases == rebases, earlier.erasures <= erasures else { return 0 }
    return erasedFrom.dropFirst(earlier.erasures).min().map { $0 - 1 } ?? head
  }

  /// Removes all events, so that the log starts over.
  mutating func removeAll() {
    let (revision, removals) = (revision, removals)
    self = MemoryLog()
    rebases = revision.afterReplacement.rebases
    self.removals = removals + 1
  }

  /// Removes and replaces events.
  mutating func rewrite(_ plan: CompactionPlan, makeID: () -> EventID) throws {
    for (subject, positions) in personal {
      let rest = positions.filter { plan.changes[Position($0)] == nil }
      personal[subject] = rest.isEmpty ? nil : rest
    }
    var kept: [StoredEvent] = []
    for event in events {
      switch plan.changes[event.position] {
      case nil: kept.append(event)
      case .cut: break
      case .replaced(let new):
        let id = new.id ?? makeID()
        if let position = ids[id] { throw EventStoreError.duplicateEvent(id, at: Position(position)) }
        ids[id] = event.position.rawValue
        note(try new.payload.map { try PersonalPayload(cutting: $0).fields } ?? [], at: event.position.rawValue)
        kept.append(event.replaced(by: new, id: id))
      }
    }
    events = kept
    types = MemoryTypes()
    for event in kept { types.append(event.type, at: event.position.rawValue) }
    removals += plan.removedStreams.count
    if !plan.removedStreams.isEmpty {
      for stream in plan.removedStreams { versions[stream] = nil }
      let old = receipts.sorted { $0.value.number < $1.value.number }
      receipts = [:]
      for (id, (receipt, _, time)) in old {
        if let receipt = plan.receipt(replacing: receipt) { keep(receipt, ofCommand: id.text, at: time) }
      }
    }
    compacted = CompactedHistory(count: compacted.count + 1, horizon: plan.horizon)
  }
}

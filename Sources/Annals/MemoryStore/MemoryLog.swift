import Foundation

/// A log in memory: a value, so that a change can be given up.
struct MemoryLog: Sendable {
  /// The events that are there, in the order of their positions.
  private(set) var events: [StoredEvent] = []
  /// Where the events of a type are.
  private(set) var types = MemoryTypes()
  /// The last position that was given to an event.
  private(set) var head = 0
  private(set) var transaction = 0
  private(set) var versions: [StreamName: Int] = [:]
  /// The positions of events, also of those that were cut.
  private(set) var ids: [EventID: Int] = [:]
  /// By command id: the receipt, and how many commands had one before.
  private var receipts: [ExactString: (receipt: Receipt, number: Int)] = [:]
  /// The positions of the events that have values of a subject.
  private(set) var personal: [ExactString: Set<Int>] = [:]
  /// The first position that each erasure changed.
  private var erasedFrom: [Int] = []
  /// How often something was erased.
  var erasures: Int { erasedFrom.count }
  private(set) var compacted = CompactedHistory.none

  /// Which of its histories the log has.
  var revision: LogRevision { LogRevision(erasures: erasures, compacted: compacted) }
  /// The number of commands that have a receipt.
  var commandCount: Int { receipts.count }

  /// The receipt of a command, if it is one of the first ones.
  func receipt(ofCommand id: String, among first: Int = .max) -> Receipt? {
    receipts[ExactString(id)].flatMap { $0.number < first ? $0.receipt : nil }
  }

  /// Keeps the receipt of a command.
  mutating func keep(_ receipt: Receipt, ofCommand id: String) {
    receipts[ExactString(id)] = (receipt, receipts.count)
  }

  /// The version that a stream had at a position, which is the log's end or not far before it.
  func version(of stream: StreamName, at end: Int) -> Int {
    guard let version = versions[stream] else { return 0 }
    return version - (end < head ? slice(after: Position(end), through: nil).count { $0.stream == stream } : 0)
  }

  /// The event at a position, nil if it was cut.
  private func index(at position: Int) -> Int? {
    let index = index(after: position - 1)
    return index < events.count && events[index].position.rawValue == position ? index : nil
  }

  /// The index of the first event after a position.
  private func index(after position: Int) -> Int {
    // Where nothing was cut the event after a position stands at its number.
    if events.count == head { return min(position, head) }
    return events.firstIndexInOrder { $0.position.rawValue > position }
  }

  /// The events after a position up to another.
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

  /// The first events of some types.
  func events(of types: [ExactString], after: Position, through: Position, limit: Int) -> [StoredEvent] {
    self.types.positions(of: types, after: after.rawValue, through: through.rawValue, limit: limit).compactMap {
      index(at: $0).map { events[$0] }
    }
  }

  /// Throws if an append may not be done.
  func check(_ append: Append) throws {
    try append.check(compacted: compacted, version: { versions[$0] ?? 0 }) { query, position in
      slice(after: position, through: nil).first(where: query.matches)?.position
    }
  }

  mutating func beginTransaction() { transaction += 1 }

  /// Adds an event at the end.
  mutating func append(
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
  ///   - drafts: how many commands of drafts were erased, which changes the revision too.
  /// - Returns: How many values and commands of drafts were erased.
  /// - Throws: An error of a payload that cannot be read.
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
    receipts = receipts.mapValues { ($0.receipt.withoutDigest(), $0.number) }
    return count
  }

  /// Up to where the log has the events that it had in an earlier revision.
  func unchanged(since earlier: LogRevision) -> Int {
    guard earlier.compacted == compacted, earlier.rebases == 0, earlier.erasures <= erasures else { return 0 }
    return erasedFrom.dropFirst(earlier.erasures).min().map { $0 - 1 } ?? head
  }

  /// Cuts and replaces events.
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
    compacted = CompactedHistory(count: compacted.count + 1, horizon: plan.horizon)
  }
}

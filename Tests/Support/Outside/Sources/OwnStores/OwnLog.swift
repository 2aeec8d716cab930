import AnnalsLog
import Foundation

/// A log in memory as a value: a copy of it stands still, so that it is the log that `read` hands over.
struct OwnLog: EventLog {
  /// An event without the values of its personal fields, and the fields.
  private struct Entry {
    var event: StoredEvent
    /// The fields by their numbers; the object of a field is nil once it is erased.
    var fields: [PersonalField] = []

    /// The event as it is read: with the values that are still there.
    func whole() throws -> StoredEvent {
      let objects = fields.enumerated().reduce(into: [:]) { $0[$1.offset] = $1.element.object }
      return objects.isEmpty
        ? event : event.with(payload: try event.payload.map { try PersonalPayload.joined($0, objects) })
    }
  }

  private var entries: [Entry] = []
  private var last = Position(0)
  private var transaction = 0
  private var versions: [StreamName: Int] = [:]
  /// Of all events that ever were, also of those that a compaction cut.
  private var positions: [EventID: Position] = [:]
  private var receipts: [ExactKey: Receipt] = [:]
  private var erasures = 0
  private var compacted = CompactedHistory.none

  func head() -> Position { last }
  func revision() -> LogRevision { LogRevision(erasures: erasures, compacted: compacted) }
  func version(of stream: StreamName) -> Int { versions[stream] ?? 0 }
  func position(of id: EventID) -> Position? { positions[id] }
  func receipt(ofCommand commandID: String) -> Receipt? { receipts[ExactKey(commandID)] }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    let found = slice(after: after, through: through).lazy.filter { query.matches($0.event) }.prefix(limit)
    return try found.map { try $0.whole() }
  }

  func eventsBackwards(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    let found = slice(after: after, through: through).reversed().lazy.filter { query.matches($0.event) }.prefix(limit)
    return try found.map { try $0.whole() }
  }

  /// The entries after a position up to another.
  ///
  /// A compaction leaves holes, so that a position is no index.
  private func slice(after: Position, through: Position?) -> ArraySlice<Entry> {
    func index(after position: Position) -> Int {
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].event.position <= position { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let (start, end) = (index(after: after), through.map(index) ?? entries.count)
    return start < end ? entries[start..<end] : []
  }
}

extension OwnLog {
  /// Counts the events without joining their payloads with personal values.
  func statistics(streamLimit: Int) -> LogStatistics {
    var found = LogStatistics()
    var (types, streams): ([ExactKey: LogStatistics.Part], [ExactKey: LogStatistics.Part]) = ([:], [:])
    func count(_ name: String, _ bytes: Int, in parts: inout [ExactKey: LogStatistics.Part]) {
      var part = parts[ExactKey(name)] ?? LogStatistics.Part(name: name, events: 0, payloadBytes: 0)
      (part.events, part.payloadBytes) = (part.events + 1, part.payloadBytes + bytes)
      parts[ExactKey(name)] = part
    }
    func sorted(_ parts: [ExactKey: LogStatistics.Part]) -> [LogStatistics.Part] {
      parts.values.sorted { first, second in
        first.events == second.events
          ? first.name.utf8.lexicographicallyPrecedes(second.name.utf8) : first.events > second.events
      }
    }
    for (event, fields) in entries.map({ ($0.event, $0.fields) }) {
      let bytes = event.payload?.utf8.count ?? 0
      found.payloadBytes += bytes
      found.personalFields += fields.count { $0.object != nil }
      count(event.type, bytes, in: &types)
      count(event.stream.text, bytes, in: &streams)
      let times = found.times ?? event.time...event.time
      found.times = min(times.lowerBound, event.time)...max(times.upperBound, event.time)
    }
    found.events = entries.count
    found.transactions = Set(entries.map(\.event.transaction)).count
    found.tags = Set(entries.flatMap(\.event.tags)).count
    found.sources = Set(entries.map { ExactKey($0.event.id.source) }).map(\.text)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    found.subjects = Set(entries.flatMap(\.fields).filter { $0.object != nil }.map { ExactKey($0.subject) }).count
    (found.erasures, found.compacted) = (erasures, compacted)
    (found.types, found.streams) = (sorted(types), streams.count)
    found.largestStreams = Array(sorted(streams).prefix(streamLimit))
    return found
  }

  /// The number of events that are there.
  var count: Int { entries.count }
  /// The streams that ever had events, by name.
  var streams: [StreamName] { versions.keys.sorted() }
  /// True if there is a value that an erasure could take away.
  var hasPersonalValues: Bool { entries.contains { $0.fields.contains { $0.object != nil } } }

  /// Appends, or throws; a caller who goes on after an error keeps the log from before.
  mutating func append(
    _ append: Append, _ payloads: [PersonalPayload?], make: () -> (id: EventID, time: Date)
  ) throws -> Receipt {
    if let first = try append.repeated({ receipts[ExactKey($0)] }) { return first }
    try check(append)
    if !append.entries.isEmpty { transaction += 1 }
    for (entry, payload) in zip(append.entries, payloads) {
      let (event, made) = (entry.event, make())
      let id = event.id ?? made.id
      if let known = positions[id] { throw EventStoreError.duplicateEvent(id, at: known) }
      last = Position(last.rawValue + 1)
      positions[id] = last
      versions[entry.stream, default: 0] += 1
      let stored = StoredEvent(
        position: last, transaction: transaction, stream: entry.stream, version: version(of: entry.stream), id: id,
        type: event.type, schema: event.schema, time: event.time ?? made.time, tags: event.tags,
        payload: payload?.payload, metadata: event.metadata)
      entries.append(Entry(event: stored, fields: payload?.fields ?? []))
    }
    let streams = Set(append.entries.map(\.stream)).union(append.expectations.keys)
    let receipt = Receipt(
      position: last, count: append.entries.count, transaction: append.entries.isEmpty ? nil : transaction,
      versions: Dictionary(uniqueKeysWithValues: streams.map { ($0, version(of: $0)) }))
    for (id, receipt) in append.receipts(receipt) { receipts[ExactKey(id)] = receipt }
    return receipt
  }

  private func check(_ append: Append) throws {
    for (stream, expected) in append.expectations where !expected.isMet(by: version(of: stream)) {
      throw EventStoreError.versionConflict(stream: stream, expected: expected, found: version(of: stream))
    }
    for condition in append.conditions {
      // Before the horizon events were cut: what was there cannot be known.
      guard compacted.shows(condition.after) else {
        throw EventStoreError.conditionConflict(after: condition.after, compactedThrough: compacted.horizon)
      }
      if let found = try events(condition.noneMatching, after: condition.after, through: nil, limit: 1).first {
        throw EventStoreError.conditionConflict(after: condition.after, found: found.position)
      }
    }
  }

  /// Takes the values of a subject away, and returns how many there were.
  mutating func erase(_ subject: String) -> Int {
    var count = 0
    for index in entries.indices {
      for (number, field) in entries[index].fields.enumerated()
      where field.object != nil && ExactKey(field.subject) == ExactKey(subject) {
        entries[index].fields[number] = PersonalField(subject: field.subject, object: nil)
        count += 1
      }
    }
    if count > 0 {
      erasures += 1
      receipts = receipts.mapValues { $0.withoutDigest() }
    }
    return count
  }

  /// Cuts and replaces events.
  ///
  /// The identities of all events that ever were stay known.
  mutating func rewrite(_ plan: CompactionPlan, makeID: () -> EventID) throws {
    entries = try entries.compactMap { entry in
      switch plan.changes[entry.event.position] {
      case nil: return entry
      case .cut: return nil
      case .replaced(let new):
        let (id, payload) = (new.id ?? makeID(), try new.payload.map { try PersonalPayload(cutting: $0) })
        if let known = positions[id] { throw EventStoreError.duplicateEvent(id, at: known) }
        positions[id] = entry.event.position
        let event = entry.event.replaced(by: new, id: id).with(payload: payload?.payload)
        return Entry(event: event, fields: payload?.fields ?? [])
      }
    }
    for stream in plan.removedStreams { versions[stream] = nil }
    receipts = receipts.compactMapValues { plan.receipt(replacing: $0) }
    compacted = CompactedHistory(count: compacted.count + 1, horizon: plan.horizon)
  }
}

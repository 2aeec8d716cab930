import Foundation

/// What a branch has of its own: events and receipts, from its fork on.
struct BranchTail: Sendable {
  /// The last position that the branch has in common with its base.
  let fork: Position
  /// The number of the last transaction before the fork.
  private(set) var transaction: Int
  private(set) var events: [StoredEvent] = []
  /// The versions of the streams that it has events of.
  private(set) var versions: [StreamName: Int] = [:]
  private(set) var ids: [EventID: Position] = [:]
  private(set) var receipts: [ExactString: Receipt] = [:]

  init(fork: Position, transaction: Int) { (self.fork, self.transaction) = (fork, transaction) }

  var head: Position { Position(fork.rawValue + events.count) }

  mutating func beginTransaction() { transaction += 1 }

  /// Adds an event at the end.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - id: Its identity.
  ///   - time: Its time.
  ///   - stream: The stream that it goes to.
  ///   - version: The stream's version before.
  mutating func append(_ event: NewEvent, _ id: EventID, at time: Date, to stream: StreamName, after version: Int) {
    let position = Position(head.rawValue + 1)
    (versions[stream], ids[id]) = (version + 1, position)
    events.append(
      StoredEvent(
        position: position, transaction: transaction, stream: stream, version: version + 1, id: id, type: event.type,
        schema: event.schema, time: time, tags: event.tags, payload: event.payload, metadata: event.metadata))
  }

  mutating func keep(_ receipt: Receipt, ofCommand id: String) { receipts[ExactString(id)] = receipt }

  /// The events after a position up to another.
  func slice(after: Position, through: Position?) -> ArraySlice<StoredEvent> {
    let start = max(after.rawValue - fork.rawValue, 0)
    let end = min((through ?? head).rawValue - fork.rawValue, events.count)
    return start < end ? events[start..<end] : []
  }
}

/// A branch at one moment: its base up to the fork, and what it has of its own.
struct BranchMoment: EventLog {
  /// The base, which stands still.
  let base: any EventLog
  let tail: BranchTail

  func head() -> Position { tail.head }

  func revision() throws -> LogRevision {
    let revision = try base.revision()
    guard revision.compacted.shows(tail.fork) else {
      throw EventStoreError(
        .compacted,
        "the branch leaves its base at position \(tail.fork), and the base's history was compacted up to "
          + "\(revision.compacted.horizon) since; what it was at \(tail.fork) is gone: read the branch's commands, and "
          + "execute them on a new branch")
    }
    return revision
  }

  func version(of stream: StreamName) throws -> Int { try tail.versions[stream] ?? baseVersion(of: stream) }

  /// The version that a stream had in the base at the fork.
  private func baseVersion(of stream: StreamName) throws -> Int {
    // What a compaction cut there cannot be counted, and need not be.
    if tail.fork == 0 { return 0 }
    let version = try base.version(of: stream)
    if version == 0 { return 0 }
    _ = try revision()
    // Nothing after the fork was cut, so that the events there can be counted.
    var later = 0
    if try base.head() > tail.fork { try base.forEachEvent(.stream(stream), after: tail.fork) { _ in later += 1 } }
    return version - later
  }

  func position(of id: EventID) throws -> Position? {
    try tail.ids[id] ?? base.position(of: id).flatMap { $0 <= tail.fork ? $0 : nil }
  }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    var found: [StoredEvent] = []
    let end = min(through ?? tail.fork, tail.fork)
    if after < end { found = try base.events(query, after: after, through: end, limit: limit) }
    for event in tail.slice(after: after, through: through) where found.count < limit && query.matches(event) {
      found.append(event)
    }
    return found
  }

  func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    precondition(limit > 0, "a limit is 1 or more, \(limit) is not")
    var found = Array(tail.slice(after: after, through: through).reversed().lazy.filter(query.matches).prefix(limit))
    let end = min(through ?? tail.fork, tail.fork)
    if found.count < limit, after < end {
      found += try base.eventsBackwards(query, after: after, through: end, limit: limit - found.count)
    }
    return found
  }

  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    try batch(after: after, through: through, limit: limit) { try base.batch(after: after, through: $0, limit: limit) }
  }

  func batch(of types: EventTypeChoice, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try batch(after: after, through: through, limit: limit) {
      try base.batch(of: types, after: after, through: $0, limit: limit)
    }
  }

  private func batch(
    after: Position, through: Position, limit: Int, _ read: (_ through: Position) throws -> EventBatch
  ) throws -> EventBatch {
    precondition(limit > 0, "a limit is 1 or more, \(limit) is not")
    let end = min(through, tail.fork)
    if after < end {
      let batch = try read(end)
      if batch.count > 0 { return batch }
    }
    return EventBatch(Array(tail.slice(after: after, through: through).prefix(limit)))
  }

  func receipt(ofCommand commandID: String) throws -> Receipt? {
    if let own = tail.receipts[ExactString(commandID)] { return own }
    return try base.receipt(ofCommand: commandID).flatMap { $0.position <= tail.fork ? $0 : nil }
  }

  /// Throws if an append may not be done.
  func check(_ append: Append) throws {
    try append.check(compacted: revision().compacted, version: version(of:)) { query, position in
      try events(query, after: position, through: nil, limit: 1).first?.position
    }
  }
}

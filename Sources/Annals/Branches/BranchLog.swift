import AnnalsLog
import Foundation

/// A consistent view of a branch: its base up to the fork, and the branch's own events.
struct BranchSnapshot: ClockedLog {
  /// A consistent view of the base.
  let base: any EventLog
  let tail: BranchTail

  var now: Date { base.clockTime }

  func head() -> Position { tail.head }

  func revision() throws -> LogRevision {
    let revision = try base.revision()
    guard revision.compacted.shows(tail.fork) else {
      throw EventStoreError(
        .compacted,
        "the branch starts at position \(tail.fork) of its base. The base was later compacted up to position "
          + "\(revision.compacted.horizon), so the base's state at position \(tail.fork) no longer exists. "
          + "Read the branch's commands, and execute them on a new branch")
    }
    return revision.shown(by: tail.decision)
  }

  func unchanged(since earlier: LogRevision) throws -> Position {
    let revision = try base.revision()
    if earlier.rebases == tail.decision, earlier.isSameHistory(as: revision) { return tail.head }
    guard let then = tail.decisions.last(where: { $0.number == earlier.rebases })?.ground,
      then.revision.isSameHistory(as: earlier)
    else { return 0 }
    // If the base is a branch, its commands may have been re-decided, too.
    let below = then.revision == revision ? then.fork : try base.unchanged(since: then.revision)
    return min(then.fork, tail.fork, below)
  }

  /// Returns the position up to which the branch still contains the events of an earlier decision, except for erased
  /// values.
  func common(with earlier: LogRevision) throws -> Position {
    if earlier.rebases == tail.decision { return tail.head }
    guard let then = tail.decisions.last(where: { $0.number == earlier.rebases })?.ground else { return 0 }
    let below: Position
    if let base = base as? BranchSnapshot {
      below = try base.common(with: then.revision)
    } else {
      // An erasure or a compaction keeps the remaining events. In contrast, Replica.reclone replaces all events.
      below = try base.revision().rebases == then.revision.rebases ? then.fork : 0
    }
    return min(then.fork, tail.fork, below)
  }

  func stableEnd() -> Position? { tail.fork }

  func version(of stream: StreamName) throws -> Int { try tail.version(of: stream) ?? baseVersion(of: stream) }

  /// Returns the version that a stream of the base has at the fork.
  private func baseVersion(of stream: StreamName) throws -> Int {
    // At position 0, every version is 0. Don't count later events, because a compaction may have removed some of them.
    if tail.fork == 0 { return 0 }
    let version = try base.version(of: stream)
    if version == 0 { return 0 }
    _ = try revision()
    // No event after the fork was removed, so the events there can be counted.
    var later = 0
    if try base.head() > tail.fork { try base.forEachEvent(.stream(stream), after: tail.fork) { _ in later += 1 } }
    return version - later
  }

  func position(of id: EventID) throws -> Position? {
    try tail.position(of: id) ?? base.position(of: id).flatMap { $0 <= tail.fork ? $0 : nil }
  }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    var found: [StoredEvent] = []
    let end = min(through ?? tail.fork, tail.fork)
    if after < end { found = try base.events(query, after: after, through: end, limit: limit) }
    guard found.count < limit else { return found }
    return found + tail.events(query, after: after, through: through, limit: limit - found.count)
  }

  func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    var found = tail.events(query, after: after, through: through, limit: limit, newestFirst: true)
    let end = min(through ?? tail.fork, tail.fork)
    if found.count < limit, after < end {
      found += try base.eventsBackwards(query, after: after, through: end, limit: limit - found.count)
    }
    return found
  }

  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    try batch(after: after, through: through, limit: limit) { try base.batch(after: after, through: $0, limit: limit) }
  }

  func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try batch(after: after, through: through, limit: limit) {
      try base.batch(of: types, after: after, through: $0, limit: limit)
    }
  }

  private func batch(
    after: Position, through: Position, limit: Int, _ read: (_ through: Position) throws -> EventBatch
  ) throws -> EventBatch {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    let end = min(through, tail.fork)
    if after < end {
      let batch = try read(end)
      if batch.count > 0 { return batch }
    }
    return EventBatch(tail.events(.all, after: after, through: through, limit: limit))
  }

  func receipt(ofCommand commandID: String) throws -> Receipt? {
    if let own = tail.receipt(ofCommand: commandID) { return own }
    return try base.receipt(ofCommand: commandID).flatMap { $0.position <= tail.fork ? $0 : nil }
  }

  /// Throws if the branch doesn't meet an append's expectations or conditions.
  func check(_ append: Append) throws {
    try append.check(compacted: revision().compacted, version: version(of:)) { query, position in
      try events(query, after: position, through: nil, limit: 1).first?.position
    }
  }
}

import AnnalsLog

/// Methods that apply the remote log's compactions to the copy.
///
/// The horizon is the position through which the remote log was compacted. If the copy's end is at or after the
/// horizon, the same changes are made to its events in one transaction. If the copy's end is before the horizon, the
/// copy can't reach the horizon through valid states, because the remote log no longer has all events. So readers see
/// the copy's former state until the copy reaches the horizon. Before that, the copy receives the remaining events, and
/// placeholders for the removed events, so that positions and versions stay the same. At the horizon, the placeholders
/// are removed.
extension Replica {
  /// Throws if the copy's last event isn't in the remote log.
  ///
  /// If the last event is in the remote log, all earlier events of the copy are, too.
  func checkSame(_ end: ReplicaEnd) async throws {
    guard let last = end.last, let compacting = remote.compacting else { return }
    let before = Position(last.position.rawValue - 1)
    let reading = try await remote.ask([.events(.all, after: before, through: last.position, limit: 1)])
    var ids: [EventID] = []
    if case .events(let events)? = reading.answers.first { ids = events.map(\.id) }
    let former = try await compacting.formerEvents(since: 0, after: before, limit: 1)
    ids += former.filter { $0.position == last.position }.flatMap(\.ids)
    guard ids.contains(last.id) else {
      throw ReplicaDifference(
        position: last.position,
        what: "this copy has event \(last.id) at position \(last.position), but the remote log "
          + (reading.head < last.position
            ? "ends at position \(reading.head)"
            : "has \(ids.isEmpty ? "no event" : ids.map { "event \($0)" }.joined(separator: ", ")) at this position"))
    }
  }

  /// Starts to bring the copy to a horizon that is after the copy's end.
  func begin(after end: ReplicaEnd) async throws {
    let local = local
    let unfinished = try await local.runtime.lanes.run(isolation: nil) { _ in
      try Self.checkFollowers(of: local)
      let unfinished = UnfinishedCopy(
        position: end.head, compactions: try local.revision().compacted.count + 1, end.names)
      try unfinished.begin(in: local)
      return unfinished
    }
    shown.show(unfinished)
  }

  /// Removes the placeholders, and shows the whole copy.
  func complete(_ end: ReplicaEnd, _ revision: LogRevision, isolation: isolated (any Actor)?) async throws {
    try await compact(after: end, to: revision, isolation: isolation)
    let local = local
    try await local.runtime.lanes.run(isolation: nil) { _ in try end.unfinished?.end(in: local) }
    shown.show(nil)
  }

  /// Removes and replaces the copy's events that were removed and replaced in the remote log.
  ///
  /// - Parameters:
  ///   - end: The end of the copy.
  ///   - revision: The remote log's revision. After the call, all its compactions are applied to the copy.
  ///   - isolation: The caller's isolation.
  /// - Throws: ``ReplicaRewritten`` if the remote log has a different revision now, or `EventStoreError`.
  func compact(after end: ReplicaEnd, to revision: LogRevision, isolation: isolated (any Actor)?) async throws {
    let changes = try await changes(since: end.compacted, at: revision)
    let horizon = revision.compacted.horizon
    let claimed = end.demand(revision.number)
    let (local, isWhole) = (local, try UnfinishedCopy(of: local) == nil)
    try await local.committing(nil, isolation: isolation) { _ in
      guard let compacting = local.compacting else { throw EventStoreError.replicaRewritten }
      // The checkpoint allows the compaction before it is made.
      try ReplicaEnd.set(
        end.names.allowed, to: try local.revision().compacted.count + 1, try ReplicaEnd.checkpoints(of: local))
      var isDone = false
      do {
        _ = try compacting.commitCompaction(progress: { _ in }) { log in
          guard try log.checkpoints().first(where: { $0.name == claimed.name })?.position == claimed.position else {
            throw ReplicaOvertaken()
          }
          let plan = try CompactionPlan(following: changes, through: horizon, in: log)
          if plan.changes.isEmpty, try log.revision().compacted.horizon >= horizon { throw NothingLeft() }
          try Self.checkFollowers(log, horizon, isWhole: isWhole)
          let remaining = try log.rewrite(plan)
          try Self.check(plan, in: log)
          return CompactionReceipt(of: plan, remaining: remaining)
        }
        isDone = true
      } catch is NothingLeft {}
      try end.finish(compactions: revision.compacted.count, in: local)
      return ((), isDone)
    }
  }

  /// An error that ends a compaction because another replica of the same copy has already made it.
  private struct NothingLeft: Error {}

  /// Returns the removals and replacements in the remote log, with the current replacement events.
  func changes(since number: Int, at revision: LogRevision) async throws -> CompactionEdits {
    guard let compacting = remote.compacting else { throw EventStoreError.replicaRewritten }
    var changes = CompactionEdits()
    var (position, areMore) = (0 as Position, true)
    while areMore {
      let former = try await compacting.formerEvents(since: number, after: position, limit: pageSize)
      areMore = former.count >= pageSize
      position = former.last?.position ?? position
      let replaced = former.filter { !$0.isCut }.map(\.position)
      for event in former where event.isCut { changes.add(.cut, at: event.position) }
      for start in stride(from: 0, to: replaced.count, by: 256) {
        let some = replaced[start..<min(start + 256, replaced.count)]
        let reading = try await remote.ask(
          some.map { .events(.all, after: Position($0.rawValue - 1), through: $0, limit: 1) })
        if reading.revision != revision { throw ReplicaRewritten(revision: reading.revision) }
        for (position, answer) in zip(some, reading.answers) {
          guard case .events(let events) = answer, let event = events.first else {
            throw EventStoreError(
              .corrupt,
              "a compaction replaced the remote log's event at position \(position), but the remote log doesn't "
                + "contain the replacement event; the remote log is damaged, so restore it from a backup")
          }
          changes.add(
            .replaced(
              by: NewEvent(
                type: event.type, schema: event.schema, payload: event.payload, tags: event.tags, id: event.id)),
            at: position)
        }
      }
      try Task.checkCancellation()
    }
    let now = try await remote.ask([]).revision
    if now != revision { throw ReplicaRewritten(revision: now) }
    return changes
  }

  /// Throws if the replacement events don't have the same identities in the copy as in the remote log.
  private static func check(_ plan: CompactionPlan, in log: any CompactionTransaction) throws {
    for (position, change) in plan.changes {
      guard case .replaced(let new) = change, let id = new.id, try log.position(of: id) != position else { continue }
      throw EventStoreError(
        .corrupt,
        "expected event \(id) at position \(position) of \(type(of: log)), found a different event. The local "
          + "store of a replica must keep the ids of replacement events, but this store doesn't keep them. Test the "
          + "store with `StoreContract` of AnnalsStoreTesting")
    }
  }

  /// Throws if a follower of the copy hasn't handled events that are about to be removed.
  ///
  /// If the copy was never shown with all events, a follower that hasn't handled any event yet is permitted. It then
  /// receives only the remaining events.
  private static func checkFollowers(
    _ log: any CompactionTransaction, _ horizon: Position, isWhole: Bool
  ) throws {
    for (follower, position) in try log.followers() where position < horizon && (isWhole || position > 0) {
      throw CompactionError.followerBehind(follower, at: position, horizon: horizon)
    }
  }

  /// Throws if a follower of the copy has handled events, because the follower can never handle the missing events.
  private static func checkFollowers(of local: any EventStore) throws {
    guard let compacting = local.compacting else { throw EventStoreError.replicaRewritten }
    struct Looked: Error {}
    do {
      _ = try compacting.commitCompaction(progress: { _ in }) { log in
        for (follower, position) in try log.followers() where position > 0 {
          throw EventStoreError.compacted(follower, at: position)
        }
        throw Looked()
      }
    } catch is Looked {}
  }
}

extension EventStoreError {
  /// The error for a follower of a copy that can never handle events that the remote log no longer contains.
  static func compacted(_ follower: FollowerID, at position: Position) -> EventStoreError {
    EventStoreError(
      .compacted,
      "the remote log was compacted, but follower \"\(follower.name)\", version \(follower.version), of this copy has "
        + "handled the events only up to position \(position), and the compaction removed some later events. Remove "
        + "the follower with forgetFollower, or clone the log into an empty store")
  }
}

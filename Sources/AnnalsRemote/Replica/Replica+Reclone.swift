public import AnnalsLog
import Synchronization

extension Replica {
  /// The result of ``Replica/reclone(isolation:progress:)``.
  public struct RecloneReceipt: Hashable, Sendable {
    /// The position of the copy's last event.
    public let position: Position
    /// The last position up to which the old copy equalled the remote log, or `nil` if the copy wasn't replaced.
    ///
    /// The new log's events after this position are new for every reader of the old copy. If a program saved positions
    /// of the copy outside the copy, it must continue at most at this position.
    public let common: Position?

    package init(position: Position, common: Position?) {
      self.position = position
      self.common = common
    }

    /// True if the copy already had the remote log's history, so that the call only copied missing events, if any.
    public var isUnchanged: Bool { common == nil }
  }

  /// Replaces the whole copy with the remote log, if the remote log no longer contains the copy's events.
  ///
  /// Call this method after ``run(isolation:report:)`` or ``catchUp(isolation:progress:)`` has thrown `EventStoreError`
  /// with the code `.replaced` or `.rewritten`, for example because the server was restored from a backup:
  ///
  ///     while !Task.isCancelled {
  ///       do { try await replica.run() } catch let error as EventStoreError where error.code == .replaced {
  ///         logger.error("\(error)")
  ///         try await replica.reclone()
  ///       }
  ///     }
  ///
  /// First, the call tries to catch up. If the copy still fits the remote log, the call has no other effect, and the
  /// receipt's ``RecloneReceipt/isUnchanged`` is true. Otherwise it removes all events of the copy in one transaction,
  /// and then copies the remote log from its first event. The events that the server lost are then lost in the copy,
  /// too. So if you still need these events, make a backup of the copy first.
  ///
  /// Until the copy is complete, reads of ``log`` throw `EventStoreError` (`.busy`), in every process that has the copy
  /// open. Lists on screen keep their rows, and then change in one batch with the cause `ChangeCause.rebase`. If the
  /// call fails or the process ends, the copy is either unchanged, or the next call of any method that copies events
  /// resumes. No reader ever sees a mixture of the two logs, or a part of the new log.
  ///
  /// A follower of the copy keeps its position, but at most ``RecloneReceipt/common``. So it handles every event of the
  /// new log that it hasn't handled yet. The call waits until no follower is handling events. A subscription that has
  /// delivered events throws an error. Saved lists are rebuilt. The copy's drafts remain.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - progress: A closure that is called occasionally with the progress of copying, in the caller's isolation. If
  ///     the closure throws an error, the call stops and throws that error.
  /// - Returns: A receipt, which contains the position up to which the old copy equalled the remote log.
  /// - Throws: `EventStoreError` (`.unsupported`) if the copy's store can't remove all events. `.followerBusy` if a
  ///   follower was handling events for a minute. `.compacted` if a compaction of the remote log removed events that a
  ///   follower of the copy hasn't handled. After each of these errors, the copy is unchanged. The call can also throw
  ///   the other errors of ``catchUp(isolation:progress:)``, for example `.replaced` if the remote log is replaced a
  ///   second time during the call. In that case, repeat the call.
  /// - Complexity: O(n) for n events, which are read a few megabytes at a time.
  @discardableResult
  public func reclone(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void = { _ in }
  ) async throws -> RecloneReceipt {
    let receipt = try await inTurn(isolation: isolation) {
      // An earlier call or another process might have removed the events.
      var (common, hasDiscarded) = (try await recloning(), false)
      while true {
        do {
          let position = try await copy(isolation: isolation, progress)
          return RecloneReceipt(position: position, common: common)
        } catch let error as EventStoreError where !hasDiscarded && [.replaced, .rewritten].contains(error.code) {
          let found = try await discard(isolation: isolation)
          hasDiscarded = found != nil
          if let found { common = found } else { common = try await recloning() ?? common }
        }
      }
    }
    await local.runtime.announceReturn(isolation: isolation)
    return receipt
  }

  /// Returns the last common position of the two logs, or `nil` if the copy isn't being replaced.
  private func recloning() async throws -> Position? {
    try await local.runtime.lanes.run(isolation: nil) { [local] _ in
      try ReplicaEnd.Recloning(of: local, head: local.head())?.common
    }
  }

  /// Removes all events of the copy.
  ///
  /// - Returns: The last position up to which the copy and the remote log were identical, or `nil` if another replica
  ///   has changed the copy in the meantime. In that case, the call has no effect.
  private func discard(isolation: isolated (any Actor)?) async throws -> Position? {
    guard let compacting = local.compacting, let checkpoints = local.checkpoints else {
      throw EventStoreError.unsupported(
        "the removal of all events", by: type(of: local), instead: "clone the remote log into an empty store")
    }
    let now = try await remote.ask([])
    let horizon = now.revision.compacted.horizon
    // A new copy of a compacted log needs the removed events' places.
    if horizon > 0, remote.compacting == nil { throw EventStoreError.replicaRewritten }
    let local = local
    let (revision, head) = try await local.runtime.lanes.run(isolation: nil) { _ in
      try local.read { (try $0.revision(), try $0.head()) }
    }
    let common = try await common(before: Position(head.rawValue + 1))
    let recloning = ReplicaEnd.Recloning(end: now.head, common: common)
    // Without the claims, a follower could save the position of an old event after the events were removed.
    var claims: [String: FollowerClaim] = [:]
    defer { for claim in claims.values { claim.release() } }
    for follower in try await followers(compacting) where claims[follower.name] == nil {
      claims[follower.name] = try await claim(follower.name, checkpoints)
    }
    let claimed = Set(claims.keys)
    do {
      try await local.committing(nil, isolation: isolation) { _ in
        let receipt = try compacting.commitCompaction(progress: { _ in }) { log in
          guard try log.revision() == revision else { throw ReplicaOvertaken() }
          for (follower, position) in try log.followers() {
            guard claimed.contains(follower.name) else { throw ReplicaOvertaken() }
            let start = min(position, common)
            if start > 0, start < horizon { throw EventStoreError.compacted(follower, at: start) }
          }
          let removed = try log.head().rawValue
          try log.removeAll(keeping: ReplicaEnd.checkpoints(from: log.checkpoints(), recloning))
          return CompactionReceipt(
            horizon: 0, cut: removed, replaced: 0, remaining: 0, leftAlone: [], bytesBefore: nil, bytesAfter: nil,
            remnants: nil)
        }
        if receipt.remnants == nil { try ReplicaEnd.keep(hasRemnants: false, 0, in: local) }
        return ((), true)
      }
    } catch is ReplicaOvertaken {
      try Task.checkCancellation()
      return nil
    }
    shown.show(nil)
    current.withLock { status in
      status.activity = .catchingUp
      status.progress = LogProgress(position: 0, end: now.head)
    }
    return common
  }

  /// Returns the followers of the copy.
  private func followers(_ compacting: any CompactingStore) async throws -> [FollowerID] {
    struct Found: Error { let followers: [FollowerID] }
    do {
      try await local.runtime.lanes.run(isolation: nil) { _ in
        _ = try compacting.commitCompaction(progress: { _ in }) {
          throw Found(followers: try $0.followers().map(\.follower))
        }
      }
    } catch let found as Found { return found.followers }
    return []
  }

  /// Claims a follower, or waits until its runner's turn ends.
  private func claim(_ follower: String, _ checkpoints: any CheckpointStore) async throws -> FollowerClaim {
    var failures = 0
    while true {
      do { return try checkpoints.claim(follower: follower) } catch let error as EventStoreError
        where error.code == .followerBusy
      {
        failures += 1
        guard let delay = FollowerRetries.claim.delay(after: failures) else { throw error }
        try await local.environment.sleep(delay)
      }
    }
  }
}

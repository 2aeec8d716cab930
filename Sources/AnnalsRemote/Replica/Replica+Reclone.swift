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

    /// True if neither this call nor another replica replaced the copy since this replica first read it.
    ///
    /// The call then only copied missing events, if any.
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
  /// First, the call tries to catch up. If the copy still fits the remote log, the call has no other effect. Otherwise
  /// it reads the whole remote log, and then replaces all events of the copy in one transaction. So every reader, in
  /// every process that has the copy open, sees either the old copy or the new copy. If the call fails or the process
  /// ends, the copy is unchanged. The events that the server lost are lost in the copy, too. So if you still need these
  /// events, make a backup of the copy first.
  ///
  /// Lists on screen keep their rows, and then change in one batch with the cause `ChangeCause.rebase`. A follower of
  /// the copy keeps its position, but at most ``RecloneReceipt/common``. So it handles every event of the new log that
  /// it hasn't handled yet. The call waits until no follower is handling events. A subscription that has delivered
  /// events throws an error. Saved lists are rebuilt. The copy's drafts remain.
  ///
  /// If several replicas of one copy call this method at the same time, for example in two processes, only one of them
  /// replaces the copy. The other calls continue with the new copy, and their receipts contain
  /// ``RecloneReceipt/common``, too.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - progress: A closure that is called occasionally with the progress of reading and copying, in the caller's
  ///     isolation. If the closure throws an error, the call stops and throws that error.
  /// - Returns: A receipt, which contains the position up to which the old copy equalled the remote log. If another
  ///   replica has replaced the copy since this replica first read the copy, the receipt contains the position for that
  ///   replacement.
  /// - Throws: `EventStoreError` (`.unsupported`) if the copy's store can't replace all events. `.followerBusy` if a
  ///   follower was handling events for a minute. `.compacted` if a compaction of the remote log removed events that a
  ///   follower of the copy hasn't handled. After each of these errors, the copy is unchanged. The call can also throw
  ///   the other errors of ``catchUp(isolation:progress:)``, for example `.replaced` if the remote log is replaced a
  ///   second time during the call. In that case, repeat the call.
  /// - Complexity: O(n) for n events, which are in memory during the call. If the log is too large for that, clone it
  ///   into an empty store instead.
  @discardableResult
  public func reclone(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void = { _ in }
  ) async throws -> RecloneReceipt {
    let receipt = try await inTurn(isolation: isolation) {
      var hasReplaced = false
      while true {
        // The copy is replaced only if it's still the copy that doesn't fit the remote log.
        let names = try await self.names()
        known.withLock { $0 = $0 ?? names }
        do {
          let position = try await copy(isolation: isolation, progress)
          return try await self.receipt(at: position)
        } catch let error as EventStoreError where !hasReplaced && [.replaced, .rewritten].contains(error.code) {
          hasReplaced = try await remote.environment.monitored(StoreOperation(.replicate), isolation: isolation) {
            try await replace(names, isolation: isolation, progress)
          }
        }
      }
    }
    await local.runtime.announceReturn(isolation: isolation)
    return receipt
  }

  /// Reads the names of the copy's checkpoints, which change when the copy is replaced.
  private func names() async throws -> ReplicaNames {
    try await local.runtime.lanes.run(isolation: nil) { [local] _ in ReplicaNames(try local.revision()) }
  }

  /// Creates the receipt of a call, and records that the caller knows the current copy.
  private func receipt(at position: Position) async throws -> RecloneReceipt {
    let names = try await self.names()
    let before = known.withLock { known in
      defer { known = names }
      return known ?? names
    }
    let local = local
    let common = try await local.runtime.lanes.run(isolation: nil) { _ in
      try names.later(than: before).compactMap { try local.checkpoints?.checkpoint(named: $0.common) }.min()
    }
    return RecloneReceipt(position: position, common: common)
  }

  /// Replaces all events of the copy.
  ///
  /// - Parameters:
  ///   - names: The names of the checkpoints of the copy that doesn't fit the remote log.
  ///   - isolation: The caller's isolation.
  ///   - progress: A closure that is called with the progress of reading.
  /// - Returns: False if another replica has changed the copy in the meantime. In that case, the call has no effect.
  /// - Throws: The errors of ``reclone(isolation:progress:)``.
  private func replace(
    _ names: ReplicaNames, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Bool {
    guard let compacting = local.compacting, let checkpoints = local.checkpoints else { throw cannotReplace }
    let old = try await look(compacting)
    guard ReplicaNames(old.revision) == names else { return false }
    let new = try await download(replacing: old, isolation: isolation, progress)
    // Without the claims, a follower could save the position of an old event after the events were replaced. All
    // replicas claim the followers in the same order.
    var claims: [ExactString: FollowerClaim] = [:]
    defer { for claim in claims.values { claim.release() } }
    for follower in try await look(compacting).followers where claims[ExactString(follower.name)] == nil {
      claims[ExactString(follower.name)] = try await claim(follower.name, checkpoints)
    }
    let (local, held) = (local, claims)
    do {
      try await local.committing(nil, isolation: isolation) { [cannotReplace] _ in
        // The transaction deletes the pages of saved lists, also if the lists are on screen.
        local.runtime.prepareErasure()
        let receipt = try compacting.commitCompaction(progress: { _ in }) { log in
          guard let log = log as? any ReplacingTransaction else { throw cannotReplace }
          guard try log.revision() == old.revision, try log.head() == old.head else { throw ReplicaOvertaken() }
          for (follower, position) in try log.followers() {
            guard held[ExactString(follower.name)]?.isHeld == true else { throw ReplicaOvertaken() }
            let start = min(position, new.common)
            if start > 0, start < new.horizon { throw EventStoreError.compacted(follower, at: start) }
          }
          return try new.replace(old, in: log, of: local)
        }
        if receipt.remnants == nil {
          try ReplicaEnd.set(new.names.left, to: nil, try ReplicaEnd.checkpoints(of: local))
        }
        return ((), true)
      }
    } catch is ReplicaOvertaken {
      try Task.checkCancellation()
      return false
    }
    shown.show(nil)
    catchUps.withLock { $0.last = nil }
    return true
  }

  private var cannotReplace: EventStoreError {
    .unsupported(
      "the replacement of all events", by: type(of: local), instead: "clone the remote log into an empty store")
  }

  /// Reads the state of the copy, and throws if its store can't replace all events.
  private func look(_ compacting: any CompactingStore) async throws -> ReplacedCopy {
    struct Found: Error { let copy: ReplacedCopy }
    do {
      try await local.runtime.lanes.run(isolation: nil) { [cannotReplace] _ in
        _ = try compacting.commitCompaction(progress: { _ in }) { log in
          guard log is any ReplacingTransaction else { throw cannotReplace }
          throw Found(
            copy: ReplacedCopy(
              revision: try log.revision(), head: try log.head(), followers: try log.followers().map(\.follower)))
        }
      }
    } catch let found as Found { return found.copy }
    throw cannotReplace
  }

  /// Reads the whole remote log.
  private func download(
    replacing old: ReplacedCopy, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> ReplicaDownload {
    while true {
      do {
        return try await downloadOnce(replacing: old, isolation: isolation, progress)
      } catch is ReplicaRewritten {
        // Values were erased, or the remote log was compacted.
      } catch is ReplicaDifference {
        // The remote log was replaced once more.
      }
      try Task.checkCancellation()
    }
  }

  private func downloadOnce(
    replacing old: ReplacedCopy, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> ReplicaDownload {
    let now = try await remote.ask([])
    let isCompacted = now.revision.compacted.horizon > 0
    if isCompacted, remote.compacting == nil { throw EventStoreError.replicaRewritten }
    let names = ReplicaNames(old.revision.afterReplacement)
    // The events that were removed from a compacted log get placeholders, as in every new copy.
    let unfinished = isCompacted ? UnfinishedCopy(position: 0, compactions: 1, names) : nil
    var reader = ReplicaReader(
      after: ReplicaEnd(revision: now.revision.number, lineage: now.lineage, unfinished, names), pageSize: pageSize)
    var transactions: [ReplicaTransaction] = []
    repeat {
      let page = try await reader.next(from: remote)
      noteContact()
      try Task.checkCancellation()
      transactions += try reader.take(page)
      let reached = LogProgress(position: reader.position, end: page.reading.head)
      current.withLock { status in
        status.activity = .catchingUp
        status.progress = reached
      }
      try progress(reached)
    } while !reader.isAtEnd
    let common = try await common(before: Position(old.head.rawValue + 1))
    let changes = isCompacted ? try await changes(since: 0, at: now.revision) : nil
    // If the remote log was replaced since its events were read, `common` might be wrong. Then this read throws.
    transactions += try reader.take(try await reader.next(from: remote))
    return ReplicaDownload(
      transactions: transactions, changes: changes, common: common, revision: now.revision, lineage: now.lineage,
      names: names)
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

/// The state of a copy that is about to be replaced.
private struct ReplacedCopy: Sendable {
  let revision: LogRevision
  let head: Position
  let followers: [FollowerID]
}

/// The whole remote log, as it was read to replace a copy.
private struct ReplicaDownload: Sendable {
  let transactions: [ReplicaTransaction]
  /// The removals and replacements of the remote log's compactions, or `nil` if it was never compacted.
  let changes: CompactionEdits?
  /// The last position up to which the old copy equals the remote log.
  let common: Position
  let revision: LogRevision
  let lineage: Int
  /// The names of the new copy's checkpoints.
  let names: ReplicaNames

  var horizon: Position { revision.compacted.horizon }

  /// Replaces all events of a copy, in a transaction of the copy's store.
  func replace(
    _ old: ReplacedCopy, in log: any ReplacingTransaction, of local: any EventStore
  ) throws -> CompactionReceipt {
    let checkpoints = checkpoints(from: try log.checkpoints(), ReplicaNames(old.revision))
    let receipts = try log.replaceAll(with: transactions.map(\.append), keeping: checkpoints)
    for (transaction, receipt) in zip(transactions, receipts) { try transaction.check(receipt, local) }
    if let changes {
      let plan = try CompactionPlan(following: changes, through: horizon, in: log)
      _ = try log.rewrite(plan)
      try Replica.check(plan, in: log)
    }
    return CompactionReceipt(
      horizon: horizon, cut: old.head.rawValue, replaced: 0, remaining: transactions.count, leftAlone: [],
      bytesBefore: nil, bytesAfter: nil, remnants: nil)
  }

  /// Returns the checkpoints of the new copy.
  ///
  /// - Parameters:
  ///   - old: The checkpoints of the old copy, such as the positions of followers.
  ///   - replaced: The names of the old copy's own checkpoints.
  /// - Returns: The checkpoints, among them the sealed checkpoints of all earlier copies.
  private func checkpoints(from old: [Checkpoint], _ replaced: ReplicaNames) -> [Checkpoint] {
    let others = old.filter { !ReplicaNotes.contain($0.name) }
      .map { Checkpoint(name: $0.name, position: min($0.position, common)) }
    var notes = [
      (replaced.claimed, ReplicaNames.sealed), (replaced.erased, ReplicaNames.sealed),
      (names.claimed, revision.number), (names.done, revision.number), (names.base, revision.number),
      (names.lineage(revision.number), lineage), (names.common, common.rawValue), (names.left, 1),
    ]
    if changes != nil { notes += [(names.allowed, 1), (names.compacted, revision.compacted.count)] }
    return others + old.filter(ReplicaNames.outlives)
      + notes.map { Checkpoint(name: $0.0, position: Position($0.1)) }
  }
}

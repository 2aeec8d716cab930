public import AnnalsLog
import Synchronization

extension Replica {
  /// Replaces the whole copy with the remote log, if the remote log no longer contains the copy's events.
  ///
  /// Call this method after ``run(isolation:report:)`` or ``catchUp(isolation:progress:)`` has thrown `EventStoreError`
  /// with the code `.replaced` or `.rewritten`, for example because the server was restored from a backup:
  ///
  ///     do { try await replica.run() } catch let error as EventStoreError
  ///       where [.replaced, .rewritten].contains(error.code)
  ///     {
  ///       logger.error("\(error)")
  ///       try await replica.reclone()
  ///     }
  ///
  /// First, the call tries to catch up. If the copy still fits the remote log, the call has no other effect. Otherwise
  /// it reads the whole remote log, and then replaces all events of the copy in one transaction. So every reader, in
  /// every process that has the copy open, sees either the old copy or the whole new copy, also if the call fails or
  /// the process ends. The events that the server lost are lost in the copy, too. So if you still need these events,
  /// make a backup of the copy first.
  ///
  /// Lists on screen keep their rows, and then change in one batch with the cause `ChangeCause.rebase`. A follower of
  /// the copy keeps its position, but at most the last position up to which the old copy equalled the remote log. So it
  /// handles every event of the new log that it hasn't handled yet. If your program saves positions of the copy outside
  /// the copy, call ``common(since:)`` before you use such a position. A subscription that has delivered events throws
  /// an error. Saved lists are rebuilt. The copy's drafts remain.
  ///
  /// The call waits until no follower of the copy is handling events. So don't call this method in a follower's code,
  /// because the call would wait for this code, and throw an error after a minute.
  ///
  /// If several replicas of one copy call this method at the same time, for example in two processes, only one of them
  /// replaces the copy. The other calls continue with the new copy. A call also continues if another replica replaces
  /// the copy a second time.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - progress: A closure that is called occasionally with the progress of reading and copying, in the caller's
  ///     isolation. If the closure throws an error, the call stops and throws that error.
  /// - Returns: The position of the copy's last event.
  /// - Throws: `EventStoreError` (`.unsupported`) if the copy's store can't replace all events. `.followerBusy` if a
  ///   follower was handling events for a minute. `.compacted` if a compaction of the remote log removed events that a
  ///   follower of the copy hasn't handled. After each of these errors, the copy is unchanged. The call can also throw
  ///   the other errors of ``catchUp(isolation:progress:)``, for example `.replaced` if the remote log is replaced
  ///   another time after the call has replaced the copy. In that case, the copy equals the earlier remote log, so
  ///   repeat the call.
  /// - Complexity: O(n) for n events, which are in memory during the call. If the log is too large for that, clone it
  ///   into an empty store instead.
  @discardableResult
  public func reclone(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void = { _ in }
  ) async throws -> Position {
    var replacement = Replacement()
    defer { replacement.release() }
    while true {
      do {
        let position = try await inTurn(isolation: isolation) {
          try await recloneOnce(&replacement, isolation: isolation, progress)
        }
        await local.runtime.announceReturn(isolation: isolation)
        return position
      } catch let busy as BusyFollower {
        // The follower's code might itself wait for this replica, for example in a command. So other callers must be
        // able to take the turn.
        try await replacement.claim(busy.name, of: local)
      }
    }
  }

  /// Returns the last position up to which the copy has the same events as before ``reclone(isolation:progress:)``
  /// replaced it.
  ///
  /// If your program saves positions of the copy outside the copy, for example with an index on another server, save
  /// `LogRevision.rebases` of the copy's revision together with each position. After an event of the old copy, the new
  /// copy can have another event at the same position, also if the process ended during `reclone`. So continue at most
  /// at the position that this method returns:
  ///
  ///     let rebases = try replica.log.revision().rebases
  ///     let common = try replica.common(since: saved.rebases) ?? saved.position
  ///     for try await batch in replica.log.subscription(after: min(saved.position, common)) {
  ///       guard try replica.log.revision().rebases == rebases else { break }
  ///       try await index.put(batch.events, position: batch.position, rebases: rebases)
  ///     }
  ///
  /// If the copy is replaced before the first batch, the number changes, so repeat these steps. If it's replaced later,
  /// the subscription throws an error.
  ///
  /// - Parameter rebases: The number that your program saved. A copy that was never replaced has the number 0.
  /// - Returns: The position, or `nil` if the copy wasn't replaced since then, so that every saved position is valid.
  ///   If the copy never had this number, for example because its file was restored from a backup, the result is 0.
  /// - Throws: The errors of the copy's store.
  /// - Complexity: O(n) for n replacements since then.
  public func common(since rebases: Int) throws -> Position? {
    var (names, common) = (ReplicaNames(try local.revision()), Position?.none)
    while names.rebases > rebases {
      let found = try local.checkpoints?.checkpoint(named: names.common) ?? 0
      common = min(common ?? found, found)
      let earlier = try local.checkpoints?.checkpoint(named: names.replaced)?.rawValue ?? 0
      names = ReplicaNames(rebases: min(earlier, names.rebases - 1))
    }
    return names.rebases == rebases ? common : 0
  }

  /// Catches up, and replaces the copy if it doesn't fit the remote log, in the caller's turn.
  ///
  /// - Throws: ``BusyFollower`` if the call must be repeated after a follower's turn, and the errors of
  ///   ``reclone(isolation:progress:)``.
  private func recloneOnce(
    _ replacement: inout Replacement, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position {
    var hasReplaced = false
    while true {
      // The copy is replaced only if it's still the copy that doesn't fit the remote log.
      let names = try await self.names()
      do {
        return try await copy(isolation: isolation, progress)
      } catch let error as EventStoreError where !hasReplaced && [.replaced, .rewritten].contains(error.code) {
        hasReplaced = try await remote.environment.monitored(StoreOperation(.replicate), isolation: isolation) {
          try await replace(names, &replacement, isolation: isolation, progress)
        }
      }
    }
  }

  /// Reads the names of the copy's checkpoints, which change when the copy is replaced.
  private func names() async throws -> ReplicaNames {
    try await local.runtime.lanes.run(isolation: nil) { [local] _ in ReplicaNames(try local.revision()) }
  }

  /// Replaces all events of the copy.
  ///
  /// - Parameters:
  ///   - names: The names of the checkpoints of the copy that doesn't fit the remote log.
  ///   - replacement: The state of the whole call, which contains the remote log if it was read in an earlier turn.
  ///   - isolation: The caller's isolation.
  ///   - progress: A closure that is called with the progress of reading.
  /// - Returns: False if another replica has changed the copy in the meantime. In that case, the call has no effect.
  /// - Throws: ``BusyFollower``, and the errors of ``reclone(isolation:progress:)``.
  private func replace(
    _ names: ReplicaNames, _ replacement: inout Replacement, isolation: isolated (any Actor)?,
    _ progress: (LogProgress) throws -> Void
  ) async throws -> Bool {
    guard let compacting = local.compacting, let checkpoints = local.checkpoints else { throw cannotReplace }
    let old = try await look(compacting)
    guard ReplicaNames(old.revision) == names else { return false }
    let new = try await download(replacing: old.revision, known: replacement.download, isolation: isolation, progress)
    replacement.download = new
    let common = try await common(of: new)
    // Without the claims, a follower could save the position of an old event after the events were replaced. All
    // replicas claim the followers in the same order.
    for follower in old.followers where !replacement.holds(follower.name) {
      try replacement.claimNow(follower.name, checkpoints)
    }
    let (local, held) = (local, replacement.claims)
    do {
      try await local.committing(nil, isolation: isolation) { [cannotReplace] _ in
        // The transaction deletes the pages of saved lists, also if the lists are on screen.
        local.runtime.prepareErasure()
        _ = try compacting.commitCompaction(progress: { _ in }) { log in
          guard let log = log as? any ReplacingTransaction else { throw cannotReplace }
          guard try log.revision() == old.revision else { throw ReplicaOvertaken() }
          for (follower, position) in try log.followers() {
            guard held[ExactString(follower.name)]?.isHeld == true else { throw ReplicaOvertaken() }
            let start = min(position, common)
            if start > 0, start < new.horizon { throw EventStoreError.compacted(follower, at: start) }
          }
          return try new.replace(ReplicaNames(old.revision), common, in: log)
        }
        return ((), true)
      }
    } catch is ReplicaOvertaken { return false }
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
            copy: ReplacedCopy(revision: try log.revision(), followers: try log.followers().map(\.follower)))
        }
      }
    } catch let found as Found { return found.copy }
    throw cannotReplace
  }

  /// Reads the whole remote log.
  ///
  /// - Parameters:
  ///   - old: The copy's revision.
  ///   - known: The log as it was read in an earlier turn, or `nil`.
  ///   - isolation: The caller's isolation.
  ///   - progress: A closure that is called with the progress of reading.
  /// - Returns: The log.
  /// - Throws: `EventStoreError` (`.rewritten`) if the log was changed during each of several attempts. The errors of
  ///   the remote store, `CancellationError`, and the error of `progress`.
  private func download(
    replacing old: LogRevision, known: ReplicaDownload?, isolation: isolated (any Actor)?,
    _ progress: (LogProgress) throws -> Void
  ) async throws -> ReplicaDownload {
    let names = ReplicaNames(old.afterReplacement)
    var known = known
    for failures in 1... {
      do {
        var download = if let known, known.names == names { known } else { try await beginDownload(names) }
        known = nil
        try await finish(&download, isolation: isolation, progress)
        return download
      } catch is ReplicaRewritten {
        // Values were erased, or the remote log was compacted.
      } catch is ReplicaDifference {
        // The remote log was replaced once more.
      }
      guard let delay = Self.changes.delay(after: failures) else { break }
      try await local.environment.sleep(delay)
    }
    throw EventStoreError(
      .rewritten,
      "the remote log was changed during each of \(Self.changes.attempts) attempts to read the whole log, because "
        + "values were erased, or the log was compacted or replaced. The copy is unchanged. Call reclone() when the "
        + "remote log is changed less often")
  }

  /// The delays while the remote log is being changed, together about a minute.
  private static let changes = FollowerRetries.retrying(
    attempts: 20, firstDelay: .milliseconds(10), largestDelay: .seconds(5))

  private func beginDownload(_ names: ReplicaNames) async throws -> ReplicaDownload {
    let now = try await remote.ask([])
    let isCompacted = now.revision.compacted.horizon > 0
    // The events that were removed from a compacted log get placeholders, as in every new copy.
    let unfinished = isCompacted ? UnfinishedCopy(position: 0, compactions: 1, names) : nil
    let end = ReplicaEnd(revision: now.revision.number, lineage: now.lineage, unfinished, names)
    return ReplicaDownload(
      revision: now.revision, lineage: now.lineage, names: names, reader: ReplicaReader(after: end, pageSize: pageSize))
  }

  /// Reads the rest of the remote log.
  private func finish(
    _ download: inout ReplicaDownload, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws {
    try await read(&download, isolation: isolation, progress)
    guard download.horizon > 0, download.changes == nil else { return }
    download.changes = try await changes(since: 0, at: download.revision)
    // If another log with an equal revision replaced the remote log in the meantime, this read throws.
    try await read(&download, isolation: isolation, progress)
  }

  /// Reads the remote log's events through its end.
  private func read(
    _ download: inout ReplicaDownload, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws {
    repeat {
      let page = try await download.reader.next(from: remote)
      noteContact()
      try Task.checkCancellation()
      try download.take(page)
      let reached = LogProgress(position: download.reader.position, end: page.reading.head)
      current.withLock { status in
        status.activity = .catchingUp
        status.progress = reached
      }
      try progress(reached)
    } while !download.reader.isAtEnd
  }

  /// Returns the last position up to which the copy has the same events as a new log.
  ///
  /// All events are compared, because the logs might differ at a position and have a common event at a later position.
  ///
  /// - Parameter new: The new log.
  /// - Returns: The position, or 0 if the first events differ.
  /// - Throws: The errors of the copy's store, or `CancellationError`.
  private func common(of new: ReplicaDownload) async throws -> Position {
    try await local.runtime.lanes.run(isolation: nil) { [local] isCancelled in
      try local.read { log in
        var common = 0 as Position
        var page = ([] as [StoredEvent])[...]
        for event in new.transactions.lazy.flatMap(\.events) {
          if page.isEmpty {
            if isCancelled() { throw CancellationError() }
            page = try log.events(.all, after: common, through: nil, limit: 1_024)[...]
          }
          let ids = [event.id] + (new.former[event.position] ?? [])
          let ours = page.first?.position == event.position ? page.popFirst() : nil
          // A compaction of the copy removes an event, or gives it another identity, but keeps its former identity.
          guard
            try ours.map({ ids.contains($0.id) }) == true
              || ids.contains(where: { try log.position(of: $0) == event.position })
          else { break }
          common = event.position
        }
        return common
      }
    }
  }
}

/// The state of a call of `Replica.reclone`, which is kept while the call waits for a follower.
private struct Replacement {
  private(set) var claims: [ExactString: FollowerClaim] = [:]
  /// The whole remote log, if it was read.
  var download: ReplicaDownload?

  /// Returns true if a follower is claimed.
  func holds(_ follower: String) -> Bool { claims[ExactString(follower)]?.isHeld == true }

  /// Claims a follower, or throws ``BusyFollower``.
  mutating func claimNow(_ follower: String, _ checkpoints: any CheckpointStore) throws {
    do {
      claims[ExactString(follower)] = try checkpoints.claim(follower: follower)
    } catch let error as EventStoreError where error.code == .followerBusy { throw BusyFollower(name: follower) }
  }

  /// Claims a follower, or waits until its runner's turn ends.
  mutating func claim(_ follower: String, of local: any EventStore) async throws {
    var failures = 0
    while true {
      do {
        claims[ExactString(follower)] = try local.checkpoints?.claim(follower: follower)
        return
      } catch let error as EventStoreError where error.code == .followerBusy {
        failures += 1
        guard let delay = FollowerRetries.claim.delay(after: failures) else { throw error }
        try await local.environment.sleep(delay)
      }
    }
  }

  /// Releases all followers.
  func release() { for claim in claims.values { claim.release() } }
}

/// An error of a call that must wait for a follower.
private struct BusyFollower: Error { let name: String }

/// The state of a copy that is about to be replaced.
private struct ReplacedCopy: Sendable {
  let revision: LogRevision
  let followers: [FollowerID]
}

/// The whole remote log, as it was read to replace a copy.
private struct ReplicaDownload: Sendable {
  let revision: LogRevision
  let lineage: Int
  /// The names of the new copy's checkpoints.
  let names: ReplicaNames
  fileprivate(set) var reader: ReplicaReader
  private(set) var transactions: [ReplicaTransaction] = []
  /// The former identities of events that a compaction of the remote log removed or replaced, by position.
  private(set) var former: [Position: [EventID]] = [:]
  /// The removals and replacements of the remote log's compactions, or `nil` if it was never compacted.
  fileprivate(set) var changes: CompactionEdits?

  fileprivate init(revision: LogRevision, lineage: Int, names: ReplicaNames, reader: ReplicaReader) {
    self.revision = revision
    self.lineage = lineage
    self.names = names
    self.reader = reader
  }

  /// Adds the next page.
  fileprivate mutating func take(_ page: ReplicaReader.Page) throws {
    transactions += try reader.take(page)
    former.merge(page.former) { $1 }
  }

  var horizon: Position { revision.compacted.horizon }

  /// Replaces all events of a copy, in a transaction of the copy's store.
  ///
  /// - Parameters:
  ///   - old: The names of the copy's own checkpoints.
  ///   - common: The last position up to which the copy equals the remote log.
  ///   - log: The copy, in the transaction.
  /// - Returns: A receipt.
  /// - Throws: `EventStoreError`.
  func replace(
    _ old: ReplicaNames, _ common: Position, in log: any ReplacingTransaction
  ) throws -> CompactionReceipt {
    let (cut, checkpoints) = (try log.head().rawValue, checkpoints(from: try log.checkpoints(), common, old))
    try log.replaceAll(with: transactions.map(\.append), keeping: checkpoints)
    var remaining = transactions.reduce(0) { $0 + $1.events.count }
    if let changes {
      remaining = try log.rewrite(try CompactionPlan(following: changes, through: horizon, in: log))
    }
    return CompactionReceipt(
      horizon: horizon, cut: cut, replaced: 0, remaining: remaining, leftAlone: [],
      bytesBefore: nil, bytesAfter: nil, remnants: nil)
  }

  /// Returns the checkpoints of the new copy.
  ///
  /// - Parameters:
  ///   - old: The checkpoints of the old copy, such as the positions of followers.
  ///   - common: The last position up to which the old copy equals the remote log.
  ///   - replaced: The names of the old copy's own checkpoints.
  /// - Returns: The checkpoints, among them the sealed checkpoints of all earlier copies.
  private func checkpoints(
    from old: [Checkpoint], _ common: Position, _ replaced: ReplicaNames
  ) -> [Checkpoint] {
    let others = old.filter { !ReplicaNotes.contain($0.name) }
      .map { Checkpoint(name: $0.name, position: min($0.position, common)) }
    var notes = [
      (replaced.claimed, ReplicaNames.sealed), (replaced.erased, ReplicaNames.sealed),
      (names.claimed, revision.number), (names.done, revision.number), (names.base, revision.number),
      (names.lineage(revision.number), lineage), (names.common, common.rawValue),
      (names.replaced, replaced.rebases), (names.left, 1),
    ]
    if changes != nil { notes += [(names.allowed, 1), (names.compacted, revision.compacted.count)] }
    return others + old.filter(ReplicaNames.outlives)
      + notes.map { Checkpoint(name: $0.0, position: Position($0.1)) }
  }
}

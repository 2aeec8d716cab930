import Synchronization

/// A log on this side that follows a remote one to the byte.
///
/// Its events have the positions, versions, identities, times, metadata and transactions that they have there. Lists,
/// saved lists, followers and the replay tool stand on ``log``, and never wait for the network.
///
///     let replica = Replica(of: server, in: try SQLiteEventStore(path: "books.annals"))
///     try await replica.catchUp()
///     let books = FetchedResultsController(store: replica.log, projection: Shelves())
///     try await replica.execute(.insert(book), on: Bookshop.self, id: "main")
///
/// The copy has whole transactions at every moment, even after a crash: what was cut off is read again. What is erased
/// from the server's log is erased from the copy, and what is compacted there is compacted here. It notices that the
/// server's log is no longer the one that it copied, and stops with an error that says so.
///
/// `Docs/Replicas.md` explains more.
public final class Replica: Sendable {
  /// The log far away, which commands go to.
  public let remote: any RemoteEventStore
  /// The copy, for everything that reads; what appends to it gets the error `readOnly`.
  public let log: any EventStore
  let shown: ReplicaLog
  let local: any EventStore
  /// One call at a time reads from the remote log.
  private let turns = CommandMemory()
  /// When it was last tried to take out of the copy's files what a reader held.
  let sweeps = Mutex<ContinuousClock.Instant?>(nil)
  /// How many events are read at once at most.
  let pageSize: Int

  /// Creates a replica; nothing is read yet.
  ///
  /// - Parameters:
  ///   - remote: The log to follow.
  ///   - local: Where the copy is: an empty store, or one that a replica of the same log has filled. Append nothing
  ///     else to it. Any store that keeps the contract will do; one with ``EventStore/grouping`` is faster.
  public convenience init(of remote: any RemoteEventStore, in local: any EventStore) {
    self.init(of: remote, in: local, pageSize: 8_192)
  }

  package init(of remote: any RemoteEventStore, in local: any EventStore, pageSize: Int) {
    (self.remote, self.local, self.pageSize) = (remote, local, pageSize)
    shown = ReplicaLog(local, source: remote.source)
    log = shown
  }

  /// A copy as those see it who read it while its remote log cannot be reached.
  ///
  /// It is what ``log`` is of a replica. While it is brought past a compaction's horizon, the store that a replica
  /// fills lacks some events of its past; here you get what the copy had before.
  ///
  /// - Parameter local: The store that a replica has filled.
  /// - Returns: The copy; what appends to it gets the error `readOnly`.
  public static func copy(in local: any EventStore) -> any EventStore { ReplicaLog(local, source: local.source) }

  /// Copies what the remote log has and the copy has not.
  ///
  /// Whole transactions are committed as they come. If the connection or the process ends, call it again: it goes on
  /// where it was. Controllers in the caller's isolation have delivered before this returns.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - progress: Called now and then, in the caller's isolation, with how far the copy is; what it throws ends the
  ///     work there.
  /// - Returns: The position of the copy's last event.
  /// - Throws: ``EventStoreError``: `replaced` if the remote log does not have what the copy has, `rewritten` if the
  ///   copy cannot follow its erasures or compactions, or if the copy itself was changed, `compacted` if the remote log
  ///   lacks events or if a follower of the copy can never handle those that were cut; ``CompactionError`` if one has
  ///   to handle them first; what the stores throw; `CancellationError`; what `progress` throws.
  /// - Complexity: O(n) for n new events, read some megabytes at a time.
  @discardableResult
  public func catchUp(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void = { _ in }
  ) async throws -> Position {
    let position = try await turns.inTurn(of: .stream("replica"), isolation: isolation) {
      try await remote.environment.monitored(StoreOperation(.replicate), isolation: isolation) {
        try await follow(isolation: isolation, progress)
      }
    }
    await local.signal.announceReturn(isolation: isolation)
    return position
  }

  /// Waits until the copy has a position, for example that of a command's receipt.
  ///
  /// It reads from the remote log itself, so that nothing needs to run in the background. It asks also if the copy has
  /// as many events already: they may be of another history, in which the position is another event's.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Throws: As ``catchUp(isolation:progress:)``.
  public func wait(for position: Position, isolation: isolated (any Actor)? = #isolation) async throws {
    if try await catchUp(isolation: isolation) >= position { return }
    let wake = RemoteWake(remote)
    var wakes = wake.stream.makeAsyncIterator()
    while try await catchUp(isolation: isolation) < position {
      guard await wakes.next(isolation: nil) != nil else { throw CancellationError() }
    }
  }
}

extension Replica {
  /// Reads and commits until the copy has what the remote log has.
  private func follow(
    isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position {
    while true {
      let end = try await local.signal.lanes.run(isolation: nil) { [local] _ in try ReplicaEnd(of: local) }
      do {
        if let position = try await follow(after: end, isolation: isolation, progress) { return position }
      } catch is ReplicaOvertaken {
        // Another replica fills the same log: go on behind what it has done.
        try Task.checkCancellation()
      } catch let rewritten as ReplicaRewritten {
        try Task.checkCancellation()
        // What was read and not committed may be older: the end is read again.
        let end = try await local.signal.lanes.run(isolation: nil) { [local] _ in try ReplicaEnd(of: local) }
        do {
          try await rewrite(through: rewritten.revision, after: end, isolation: isolation)
        } catch is ReplicaOvertaken {
        } catch is ReplicaRewritten {
        } catch let difference as ReplicaDifference { throw try await error(of: difference) }
      } catch let difference as ReplicaDifference {
        throw try await error(of: difference)
      }
    }
  }

  /// Reads and commits after the copy's end.
  ///
  /// - Returns: The position of the copy's last event; nil if it is past a horizon now, and has to go on from there.
  private func follow(
    after end: ReplicaEnd, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position? {
    if end.hasRemnants { try await sweep(end) }
    // A process before this one may have ended while it erased. The server may have been restored since, to before it.
    if end.done < end.revision { throw ReplicaRewritten(revision: try await remote.ask([]).revision) }
    let end = end.head == 0 ? try await beginning() : end
    // A process before this one may have left it so.
    shown.show(end.unfinished)
    var reader = ReplicaReader(after: end, pageSize: pageSize)
    var page = try await reader.next(from: remote)
    while true {
      try Task.checkCancellation()
      let transactions = try reader.take(page)
      let (head, revision) = (page.reading.head, page.reading.revision)
      if reader.isAtEnd || end.unfinished != nil && reader.position >= revision.compacted.horizon {
        try await commit(transactions, end.revision)
        note(transactions, reader.position, head)
        if end.unfinished != nil { try await complete(end, revision, isolation: isolation) }
        try progress(LogProgress(position: reader.position, end: head))
        return reader.isAtEnd ? reader.position : nil
      }
      // What follows is on its way while this is written.
      let (remote, next) = (remote, reader)
      async let following = next.next(from: remote)
      try await commit(transactions, end.revision)
      note(transactions, reader.position, head)
      try progress(LogProgress(position: reader.position, end: head))
      page = try await following
    }
  }

  /// Begins an empty copy with the history that the remote log has now.
  private func beginning() async throws -> ReplicaEnd {
    let now = try await remote.ask([])
    // What was compacted before has no states up to its horizon.
    let unfinished =
      now.revision.compacted.horizon > 0 ? UnfinishedCopy(position: 0, compactions: try compactions() + 1) : nil
    if unfinished != nil, remote.compacting == nil || local.compacting == nil { throw EventStoreError.replicaRewritten }
    return try await local.signal.lanes.run(isolation: nil) { [local] _ in
      let end = try ReplicaEnd(of: local)
      guard end.head == 0 else { throw ReplicaOvertaken() }
      if let unfinished { try unfinished.begin(in: local) } else { try end.unfinished?.end(in: local) }
      try end.keep(now.revision.number, lineage: now.lineage, in: local)
      return ReplicaEnd(revision: now.revision.number, lineage: now.lineage, unfinished)
    }
  }

  private func note(_ transactions: [ReplicaTransaction], _ position: Position, _ end: Position) {
    guard remote.environment.monitor != nil else { return }
    remote.environment.note(.copiedEvents, .count(transactions.reduce(0) { $0 + $1.events.count }))
    remote.environment.note(.replicaBehind, .level(max(0, end.rawValue - position.rawValue)))
  }

  /// Commits transactions of a revision on the copy's own threads, and notifies those who watch it.
  private func commit(_ transactions: [ReplicaTransaction], _ revision: Int) async throws {
    if transactions.isEmpty { return }
    let local = local
    let outcome = try await local.committing(nil, isolation: nil) { _ in
      let group = try ReplicaTransaction.commit(transactions, of: revision, to: local)
      return (group, !group.receipts.isEmpty)
    }
    if let refusal = outcome.refusal { throw refusal }
  }

  /// Says from where on the two logs differ.
  private func error(of difference: ReplicaDifference) async throws -> EventStoreError {
    var (common, different) = (0, difference.position.rawValue)
    while different - common > 1 {
      let middle = (common + different) / 2
      let known = try await local.signal.lanes.run(isolation: nil) { [local, common] _ in
        try local.eventsBackwards(.all, after: Position(common), through: Position(middle), limit: 1).first
      }
      // Where both have cut everything there is nothing that differs.
      guard let known else {
        common = middle
        continue
      }
      let isThere = try await remote.position(of: known.id) == known.position
      (common, different) = isThere ? (middle, different) : (common, known.position.rawValue)
    }
    return .replicaDiffers(difference.what, common: Position(common))
  }
}

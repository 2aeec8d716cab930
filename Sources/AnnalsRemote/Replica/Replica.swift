public import AnnalsLog
import Foundation
import Synchronization

/// An object that keeps a local copy of a remote event log up to date.
///
/// The events of the copy equal the events of the remote log, byte for byte. For example, they have the same positions,
/// versions, identities, times, metadata and transactions. Lists, saved lists, followers and the replay tool read the
/// local copy (``log``), so they never wait for the network.
///
///     let replica = Replica(of: server, in: try SQLiteEventStore(path: "books.annals"))
///     try await replica.catchUp()
///     let books = FetchedResultsController(store: replica.log, projection: Shelves())
///     try await replica.execute(.insert(book), on: Bookshop["main"])
///
/// The copy always consists of whole transactions, because the replica copies a transaction only after it has received
/// all of the transaction's events. If the program crashes before that, the replica rereads the transaction later. The
/// replica repeats the remote log's erasures and compactions in the copy. If the server's log is replaced with a
/// different log, the replica detects this and stops with an error.
///
/// For details, see `Docs/Replicas.md`.
public final class Replica: Sendable {
  /// The remote log, to which the replica sends commands.
  public let remote: any RemoteEventStore
  /// The local copy of the remote log, for lists and all other readers.
  ///
  /// It is read-only: appends throw `EventStoreError` (`.readOnly`).
  public let log: any EventStore
  let shown: ReplicaLog
  let local: any EventStore
  /// A queue that allows only one call at a time to read from the remote log.
  private let turns = CommandMemory()
  /// The catch-ups so far, so that concurrent waits share one.
  let catchUps = Mutex(CatchUps())
  /// The state that ``status`` returns.
  let current = Mutex(Status())
  /// The time of the last attempt to remove erased values that remained in the copy's files because of a reader.
  let sweeps = Mutex<ContinuousClock.Instant?>(nil)
  /// The maximum number of events per read.
  let pageSize: Int

  /// Creates a replica without reading from the remote log.
  ///
  /// - Parameters:
  ///   - remote: The remote log to copy.
  ///   - local: The store for the copy: an empty store, or a store that a replica of the same log has already filled.
  ///     Don't append events to the store yourself. You can use any store that passes `StoreContract` from
  ///     AnnalsStoreTesting. Copying into a store with `EventStore.grouping` is faster than into a store without it.
  public convenience init(of remote: any RemoteEventStore, in local: any EventStore) {
    self.init(of: remote, in: local, pageSize: 8_192)
  }

  package init(of remote: any RemoteEventStore, in local: any EventStore, pageSize: Int) {
    self.remote = remote
    self.local = local
    self.pageSize = pageSize
    shown = ReplicaLog(local, source: remote.source)
    log = shown
  }

  /// Returns a read-only view of a local copy.
  ///
  /// You can read the view without a connection to the remote log. The view corresponds to a replica's ``log``. Read
  /// the view instead of the store itself: while a replica repeats a compaction of the remote log, the store
  /// temporarily lacks some events. During this time, the view shows the store's state before the compaction.
  ///
  /// - Parameter local: A store that a replica has filled.
  /// - Returns: The view, which is read-only: appends throw `EventStoreError` (`.readOnly`).
  public static func copy(in local: any EventStore) -> any EventStore { ReplicaLog(local, source: local.source) }

  /// Copies the remote log's events that are missing from the copy.
  ///
  /// Every transaction is committed to the copy as soon as all of the transaction's events have arrived. If the
  /// connection or the process fails, call this method again. The new call resumes at the copy's end. Controllers in
  /// the caller's isolation deliver their changes before the call returns.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - progress: A closure that is called occasionally with the progress of copying, in the caller's isolation. If
  ///     the closure throws an error, the call stops and throws that error.
  /// - Returns: The position of the copy's last event.
  /// - Throws: `EventStoreError` (`.replaced`) if the remote log doesn't contain the copy's events.
  ///   `EventStoreError` (`.rewritten`) if the copy can't repeat the remote log's erasures or compactions. The code is
  ///   also `.rewritten` if the copy itself was compacted, or values were erased only from the copy, independently of
  ///   the remote log.
  ///
  ///   The call also throws if a compaction of the remote log removed events that a follower of the copy hasn't handled
  ///   yet. If the copy still contains these events, the error is a `CompactionError`. In that case, run the follower
  ///   first. If the copy doesn't contain these events, the follower can never handle them, and the error is an
  ///   `EventStoreError` (`.compacted`). The code is also `.compacted` if a compaction of the remote log removed an
  ///   event that the copy needs.
  ///
  ///   The call can also throw the errors of both stores, `CancellationError`, and the error of `progress`.
  /// - Complexity: O(n) for n new events, which are read a few megabytes at a time.
  @discardableResult
  public func catchUp(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void = { _ in }
  ) async throws -> Position {
    try await catchUp(sharedFor: nil, isolation: isolation, progress)
  }

  /// Catches up, unless another call has copied a position in a catch-up that began after this call.
  private func catchUp(
    sharedFor wanted: Position?, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position {
    let earlier = catchUps.withLock { $0.begun }
    let position = try await inTurn(isolation: isolation) {
      if let wanted, let last = catchUps.withLock({ $0.last }), last.number > earlier, last.position >= wanted {
        return last.position
      }
      return try await copy(isolation: isolation, progress)
    }
    await local.runtime.announceReturn(isolation: isolation)
    return position
  }

  /// Runs a body while no other call of this replica reads from the remote log.
  func inTurn<T: Sendable>(isolation: isolated (any Actor)?, _ body: () async throws -> T) async throws -> T {
    try await turns.inTurn(of: .stream("replica"), isolation: isolation, body)
  }

  /// Copies the missing events, in the caller's turn.
  func copy(isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void) async throws -> Position {
    let number = catchUps.withLock { $0.begin() }
    do {
      let position = try await remote.environment.monitored(StoreOperation(.replicate), isolation: isolation) {
        try await follow(isolation: isolation, progress)
      }
      catchUps.withLock { $0.last = (number, position) }
      return position
    } catch let error as EventStoreError where error.isLasting {
      current.withLock { $0.activity = .stopped(error) }
      throw error
    }
  }

  /// Waits until the copy contains all events up to a position, for example up to the position in a command's receipt.
  ///
  /// The call itself reads from the remote log, so ``run(isolation:report:)`` doesn't need to be running. The call
  /// reads even if the copy already contains the position, because the remote log might have been replaced with a
  /// different log. Concurrent calls share their reads: while one call reads, other calls wait, and then one of them
  /// reads for all.
  ///
  /// - Parameters:
  ///   - position: The position to wait for.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Throws: The errors of ``catchUp(isolation:progress:)``. `EventStoreError` (`.replaced`) if a replica replaced
  ///   the copy during the call, because the position might belong to the old log. If you know that the position
  ///   belongs to the new log, repeat the call.
  public func wait(for position: Position, isolation: isolated (any Actor)? = #isolation) async throws {
    // Concurrent waits share a read only if no suspension precedes their turns.
    let names = ReplicaNames(try local.revision())
    if try await hasReached(position, in: names, isolation: isolation) { return }
    let wake = RemoteWake(remote)
    var wakes = wake.stream.makeAsyncIterator()
    while try await !hasReached(position, in: names, isolation: isolation) {
      guard await wakes.next(isolation: nil) != nil else { throw CancellationError() }
    }
  }

  /// Catches up, and returns true if the copy contains a position.
  private func hasReached(
    _ position: Position, in names: ReplicaNames, isolation: isolated (any Actor)?
  ) async throws -> Bool {
    let reached = try await catchUp(sharedFor: position, isolation: isolation) { _ in }
    guard catchUps.withLock({ $0.names }) == names else {
      throw EventStoreError(
        .replaced,
        "while the caller waited for position \(position), Replica.reclone replaced all events of the copy. The "
          + "position might belong to the old log, and the server might have lost the event at the position. Check in "
          + "the new log whether the event exists")
    }
    return reached >= position
  }
}

/// The number of a replica's catch-ups, the copy, and the result of the last catch-up.
struct CatchUps {
  private(set) var begun = 0
  /// The names of the copy's checkpoints at the last read of the copy's end.
  var names: ReplicaNames?
  var last: (number: Int, position: Position)?

  mutating func begin() -> Int {
    begun += 1
    return begun
  }
}

extension Replica {
  /// Reads and commits until the copy has all events of the remote log.
  private func follow(
    isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position {
    while true {
      let end = try await self.end()
      catchUps.withLock { $0.names = end.names }
      do {
        if let position = try await advance(after: end, isolation: isolation, progress) { return position }
      } catch let error as EventStoreError where [.replaced, .rewritten].contains(error.code) {
        // If another replica has replaced the copy in the meantime, the error belongs to the old copy.
        if try await self.end().names == end.names { throw error }
      }
      try Task.checkCancellation()
    }
  }

  /// Reads the end of the copy on the copy's own threads.
  private func end() async throws -> ReplicaEnd {
    try await local.runtime.lanes.run(isolation: nil) { [local] _ in try ReplicaEnd(of: local) }
  }

  /// Reads and commits after the copy's end, or repeats the remote log's erasures and compactions.
  ///
  /// - Returns: The position of the copy's last event, or `nil` if the caller must continue from the copy's new end.
  private func advance(
    after end: ReplicaEnd, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position? {
    do {
      return try await follow(after: end, isolation: isolation, progress)
    } catch is ReplicaOvertaken {
      // Another replica has changed the copy in the meantime, so continue after its changes.
      return nil
    } catch let rewritten as ReplicaRewritten {
      try Task.checkCancellation()
      // Events that were read but not committed might be outdated, so continue after the copy's committed end.
      let end = try await self.end()
      do {
        try await rewrite(through: rewritten.revision, after: end, isolation: isolation)
      } catch is ReplicaOvertaken {
      } catch is ReplicaRewritten {
      } catch let difference as ReplicaDifference { throw try await error(of: difference) }
      return nil
    } catch let difference as ReplicaDifference {
      throw try await error(of: difference)
    }
  }

  /// Reads and commits after the copy's end.
  ///
  /// - Returns: The position of the copy's last event. The result is `nil` if the copy has just reached a compaction's
  ///   horizon and the caller must continue from the horizon.
  private func follow(
    after end: ReplicaEnd, isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position? {
    if end.hasRemnants { try await sweep(end) }
    // An earlier process might have stopped during an erasure. Since then, the server might have been restored to a
    // state before the erasure.
    if end.done < end.revision { throw ReplicaRewritten(revision: try await remote.ask([]).revision) }
    let end = end.head == 0 ? try await beginning() : end
    // An earlier process might have left the copy unfinished.
    shown.show(end.unfinished)
    var reader = ReplicaReader(after: end, pageSize: pageSize)
    var page = try await reader.next(from: remote)
    while true {
      noteContact()
      try Task.checkCancellation()
      let transactions = try reader.take(page)
      let (head, revision) = (page.reading.head, page.reading.revision)
      if reader.isAtEnd || end.unfinished != nil && reader.position >= revision.compacted.horizon {
        try await commit(transactions, end)
        if end.unfinished != nil { try await complete(end, revision, isolation: isolation) }
        note(transactions, reader, head)
        try progress(LogProgress(position: reader.position, end: head))
        return reader.isAtEnd ? reader.position : nil
      }
      // Read the next page while this one is written.
      let (remote, next) = (remote, reader)
      async let following = next.next(from: remote)
      try await commit(transactions, end)
      note(transactions, reader, head)
      try progress(LogProgress(position: reader.position, end: head))
      page = try await following
    }
  }

  /// Prepares an empty copy for the remote log's current history.
  private func beginning() async throws -> ReplicaEnd {
    let now = try await remote.ask([])
    // A log that was already compacted has no states before its horizon.
    let isCompacted = now.revision.compacted.horizon > 0
    if isCompacted, remote.compacting == nil || local.compacting == nil { throw EventStoreError.replicaRewritten }
    return try await local.runtime.lanes.run(isolation: nil) { [local] _ in
      let end = try ReplicaEnd(of: local)
      guard end.head == 0 else { throw ReplicaOvertaken() }
      let compactions = try local.revision().compacted.count + 1
      let unfinished = isCompacted ? UnfinishedCopy(position: 0, compactions: compactions, end.names) : nil
      if let unfinished { try unfinished.begin(in: local) } else { try end.unfinished?.end(in: local) }
      try end.keep(now.revision.number, lineage: now.lineage, in: local)
      return ReplicaEnd(revision: now.revision.number, lineage: now.lineage, unfinished, end.names)
    }
  }

  /// Records that the remote log has responded.
  func noteContact() {
    current.withLock { $0.lastContact = .now }
    let environment = remote.environment
    guard environment.monitor != nil else { return }
    environment.note(.replicaContact, .level(Int(environment.now().timeIntervalSince1970)))
  }

  private func note(_ transactions: [ReplicaTransaction], _ reader: ReplicaReader, _ end: Position) {
    let position = reader.position
    current.withLock { status in
      status.activity = reader.isAtEnd ? .current : .catchingUp
      status.progress = LogProgress(position: position, end: end)
    }
    guard remote.environment.monitor != nil else { return }
    remote.environment.note(.copiedEvents, .count(transactions.reduce(0) { $0 + $1.events.count }))
    remote.environment.note(.replicaBehind, .level(max(0, end.rawValue - position.rawValue)))
  }

  /// Commits transactions of a revision on the copy's own threads, and notifies its watchers.
  private func commit(_ transactions: [ReplicaTransaction], _ end: ReplicaEnd) async throws {
    if transactions.isEmpty { return }
    let local = local
    let outcome = try await local.committing(nil, isolation: nil) { _ in
      let group = try ReplicaTransaction.commit(transactions, after: end, to: local)
      return (group, !group.receipts.isEmpty)
    }
    if let refusal = outcome.refusal { throw refusal }
  }

  /// Creates an error with the position up to which the two logs are identical.
  private func error(of difference: ReplicaDifference) async throws -> EventStoreError {
    .replicaDiffers(difference.what, common: try await common(before: difference.position))
  }

  /// Returns the last position up to which the copy and the remote log are identical.
  ///
  /// - Parameter position: A position at which they differ, or the position after the copy's end.
  /// - Returns: The position, or 0 if the logs have no event in common.
  /// - Throws: The errors of both stores.
  private func common(before position: Position) async throws -> Position {
    var (common, different) = (0, position.rawValue)
    while different - common > 1 {
      let middle = Position((common + different) / 2)
      if try await isCommon(middle) { common = middle.rawValue } else { different = middle.rawValue }
    }
    return Position(common)
  }

  /// Returns true if the copy and the remote log have, or had, the same event at a position.
  ///
  /// A compaction of one log removes an event, or gives it another identity, but the log still knows its former
  /// identity.
  private func isCommon(_ position: Position) async throws -> Bool {
    let before = Position(position.rawValue - 1)
    let (ours, isCompacted) = try await local.runtime.lanes.run(isolation: nil) { [local] _ in
      try local.read { log in
        (
          try log.events(.all, after: before, through: position, limit: 1).first,
          try log.revision().compacted.count > 0
        )
      }
    }
    // The remote log also finds the former identity of its event.
    if let ours, try await remote.position(of: ours.id) == position { return true }
    // A copy that was never compacted has all its events, with their first identities.
    guard isCompacted else { return false }
    let reading = try await remote.ask([.events(.all, after: before, through: position, limit: 1)])
    var ids: [EventID] = []
    if case .events(let events)? = reading.answers.first { ids = events.map(\.id) }
    let former = try await remote.compacting?.formerEvents(since: 0, after: before, limit: 1) ?? []
    ids += former.filter { $0.position == position }.flatMap(\.ids)
    return try await local.runtime.lanes.run(isolation: nil) { [local, ids] _ in
      try ids.contains { try local.position(of: $0) == position }
    }
  }
}

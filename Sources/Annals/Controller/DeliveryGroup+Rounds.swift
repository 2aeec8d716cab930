import AnnalsLog
import Dispatch

/// The work for one delivery on a group's thread, which folds events and builds the lists of all live controllers.
///
/// `@unchecked Sendable`: the group's thread writes `end` before the first job is done, and `end` is read only after
/// the last job is done.
final class DeliveryRound: @unchecked Sendable {
  private let store: any EventStore
  private let revision: LogRevision
  private let (start, head): (Position, Position)
  private let jobs: [any AnyRowsJob]
  /// The position through which all jobs fold events, at the end of a transaction.
  private(set) var end: Position

  /// - Parameters:
  ///   - store: The store.
  ///   - tail: The log's end and its revision.
  ///   - start: The lowest position of the controllers' lists.
  ///   - jobs: The jobs that the controllers have lent their rows to.
  init(_ store: any EventStore, _ tail: LogTail, after start: Position, _ jobs: [any AnyRowsJob]) {
    (self.store, revision, self.start, head, self.jobs) = (store, tail.revision, start, tail.head, jobs)
    end = start
  }

  /// Folds the events and builds the lists.
  ///
  /// Call this method once, on the group's thread.
  func run() {
    // If the read fails, the jobs report the reason.
    let size = store.environment.roundSize
    end = (try? EventSource.moving(store, revision).wholeEnd(after: start, of: size, through: head)) ?? head
    for job in jobs { job.run(through: end) { _ in } }
  }

  /// Waits until all jobs are done.
  func done(isolation: isolated (any Actor)?) async {
    for job in jobs { await job.done(isolation: isolation) }
  }
}

extension DeliveryGroup {
  /// The next step for the controllers that follow the log.
  private enum Next {
    /// All changes have been delivered.
    case nothing
    /// A single controller's job uses rows that a round needs.
    case wait(any AnyRowsJob)
    case run(DeliveryRound)
  }

  /// Delivers other writers' commits in the owner's isolation.
  ///
  /// If there are more than a few events, the group's thread folds them first.
  func deliverExternalChanges() {
    // This method is called once more at the end of the round or job.
    guard round == nil, case .run(let next) = next() else { return }
    begin(next)
  }

  /// Delivers the commits that the caller has waited for.
  ///
  /// If there are many events, the group's thread folds them first.
  func deliverReturned(isolation: isolated (any Actor)?) async {
    var goal: Position?
    while true {
      if let round {
        await round.done(isolation: isolation)
        finish(round)
        continue
      }
      let following = ownersMembers
      if let goal, following.allSatisfy({ $0.lentTo == nil }) {
        for member in following { member.takeBackRows() }
        if (following.compactMap(\.missing).min() ?? goal) >= goal { return deliverExternalChanges() }
      }
      let next = next()
      if case .nothing = next { return }
      // Later commits of other writers are not awaited.
      if goal == nil { goal = try? store.head() }
      switch next {
      case .nothing: return
      case .wait(let job): await job.done(isolation: isolation)
      case .run(let round): begin(round)
      }
    }
  }

  /// Runs a job for one controller on the group's thread.
  ///
  /// - Returns: A stream of the positions that the job reaches. The stream finishes when the job is done.
  func run(_ job: any AnyRowsJob, through end: Position) -> AsyncStream<Position> {
    let (reached, continuation) = AsyncStream.makeStream(of: Position.self)
    queue.async { [weak self] in
      job.run(through: end) { continuation.yield($0) }
      continuation.finish()
      self?.hopToOwner { $0.deliverExternalChanges() }
    }
    return reached
  }

  private func next() -> Next {
    let following = ownersMembers
    // Don't use a lazy `compactMap`. It evaluates `lentTo` twice, and the job may end on its thread in between.
    if let job = following.compactMap(\.lentTo).first { return .wait(job) }
    // All jobs of these controllers are done, so this doesn't wait.
    for member in following { member.takeBackRows() }
    // A list that failed with a store error is retried with the other lists, but they don't wait for it.
    guard let start = following.filter({ $0.mayLend && !$0.isFailing }).compactMap(\.missing).min(),
      let tail = try? store.tail(after: start, through: nil, limit: store.environment.shortTail)
    else {
      deliver()
      return .nothing
    }
    for member in following { member.notice(tail.revision) }
    let isRewritten = following.contains { $0.mayLend && mustRebuild(since: $0.revision, by: tail.revision) }
    let isShort = tail.head <= start || tail.batch.last == tail.head
    if isShort, !isRewritten || start.rawValue <= store.environment.shortTail {
      deliver(knowing: tail)
      return .nothing
    }
    var jobs: [any AnyRowsJob] = []
    // Filter the controllers before any rows are lent, because `mayLend` reads rows, and lent rows must not be read.
    for member in following.filter(\.mayLend) {
      let job = member.lendRows()
      if !jobs.contains(where: { $0 === job }) { jobs.append(job) }
    }
    if jobs.isEmpty {
      deliver()
      return .nothing
    }
    return .run(DeliveryRound(store, tail, after: start, jobs))
  }

  /// Returns true if all rows must be rebuilt, because of an erasure, a compaction or the replacement of all events.
  ///
  /// After a re-decision, a branch refolds only its own events. So the result is true for a branch only if the branch
  /// and its earlier revision have no event in common.
  private func mustRebuild(since earlier: LogRevision?, by now: LogRevision) -> Bool {
    guard let earlier, earlier.isSameHistory(as: now) else { return true }
    return earlier.rebases != now.rebases && (try? store.unchanged(since: earlier)) ?? 0 == 0
  }

  private func begin(_ next: DeliveryRound) {
    round = next
    queue.async { [weak self] in
      next.run()
      self?.hopToOwner { group in
        group.finish(next)
        group.deliverExternalChanges()
      }
    }
  }

  /// Delivers the results of a round.
  private func finish(_ finished: DeliveryRound) {
    guard round === finished else { return }
    round = nil
    let end = finished.end
    if let now = try? store.tail(after: end, through: end, limit: 1) {
      deliver(knowing: LogTail(head: end, revision: now.revision, after: end, batch: now.batch))
    } else {
      deliver()
    }
    endLater(finished)
  }

  /// Deinitializes an object on the group's thread.
  ///
  /// Every row of a former list is freed separately, so freeing 100,000 rows blocked the main actor for about 5 ms. The
  /// thread waits briefly until the caller has released its reference too. Without this pause, the thread often
  /// released its reference first, so the caller freed the rows after all.
  ///
  /// - Parameter last: An object that is no longer needed elsewhere.
  func endLater(_ last: consuming some Sendable) {
    queue.asyncAfter(deadline: .now() + .milliseconds(10)) { [last] in withExtendedLifetime(last) {} }
  }
}

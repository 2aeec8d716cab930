import Dispatch

/// What is folded and cut on the group's thread for all controllers that follow the log, to be delivered together.
///
/// `@unchecked Sendable`: `end` is written by that thread before the first job is done, and read after the last one.
final class DeliveryRound: @unchecked Sendable {
  private let store: any EventStore
  private let revision: LogRevision
  private let (start, head): (Position, Position)
  private let jobs: [any AnyRowsJob]
  /// The end of a transaction, up to which all jobs fold.
  private(set) var end: Position

  /// - Parameters:
  ///   - store: The store.
  ///   - tail: The log's end and its revision.
  ///   - start: The position of the list that is furthest behind.
  ///   - jobs: What the controllers have lent their rows to.
  init(_ store: any EventStore, _ tail: LogTail, after start: Position, _ jobs: [any AnyRowsJob]) {
    (self.store, revision, self.start, head, self.jobs) = (store, tail.revision, start, tail.head, jobs)
    end = start
  }

  /// Does the work; called once, on the group's thread.
  func run() {
    // Where that cannot be read, the jobs find out why.
    let size = store.environment.roundSize
    end = (try? EventSource.moving(store, revision).wholeEnd(after: start, of: size, through: head)) ?? head
    for job in jobs { job.run(through: end) { _ in } }
  }

  /// Waits for the end of the work.
  func done(isolation: isolated (any Actor)?) async {
    for job in jobs { await job.done(isolation: isolation) }
  }
}

extension DeliveryGroup {
  /// What is to be done next for the controllers that follow the log.
  private enum Next {
    /// Nothing: all is delivered.
    case nothing
    /// A job of one controller has rows that are needed.
    case wait(any AnyRowsJob)
    case run(DeliveryRound)
  }

  /// Delivers what others have committed, in the owner's isolation: what is more than a few events is folded on the
  /// group's thread first.
  func deliverBesides() {
    // The end of the round, or of the job, leads here again.
    guard round == nil, case .run(let next) = next() else { return }
    begin(next)
  }

  /// Delivers what the caller has committed and waited for; much of it is folded on the group's thread first.
  func deliverReturned(isolation: isolated (any Actor)?) async {
    var goal: Position?
    while true {
      if let round {
        await round.done(isolation: isolation)
        finish(round)
        continue
      }
      let following = ownersMembers
      if let goal, following.allSatisfy({ $0.lentTo == nil }),
        (following.compactMap(\.missing).min() ?? goal) >= goal
      {
        return deliverBesides()
      }
      let next = next()
      if case .nothing = next { return }
      // What others commit from now on is not waited for.
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
  /// - Returns: The positions that are reached on the way, until the job is done.
  func run(_ job: any AnyRowsJob, through end: Position) -> AsyncStream<Position> {
    let (reached, continuation) = AsyncStream.makeStream(of: Position.self)
    queue.async { [weak self] in
      job.run(through: end) { continuation.yield($0) }
      continuation.finish()
      self?.hopToOwner { $0.deliverBesides() }
    }
    return reached
  }

  private func next() -> Next {
    let following = ownersMembers
    // Asked once: the job may end on its thread meanwhile, and a lazy `compactMap` asks twice.
    if let job = following.compactMap(\.lentTo).first { return .wait(job) }
    // A list that the store gave an error for is tried again with the others, and they do not wait for it.
    guard let start = following.filter({ $0.mayLend && !$0.isFailing }).compactMap(\.missing).min(),
      let tail = try? store.tail(after: start, through: nil, limit: store.environment.shortTail)
    else {
      deliver()
      return .nothing
    }
    for member in following { member.notice(tail.revision) }
    // After an erasure or a compaction all rows are folded again; of a branch only what is its own.
    let isRewritten = following.contains {
      $0.mayLend && !($0.revision?.isSameHistory(as: tail.revision) ?? false)
    }
    let isShort = tail.head <= start || tail.batch.last == tail.head
    if isShort, !isRewritten || start.rawValue <= store.environment.shortTail {
      deliver(knowing: tail)
      return .nothing
    }
    var jobs: [any AnyRowsJob] = []
    // Asked of all of them first: who asks for rows that are lent waits for a job that has not begun.
    for member in following.filter(\.mayLend) {
      let job = member.lend()
      if !jobs.contains(where: { $0 === job }) { jobs.append(job) }
    }
    if jobs.isEmpty {
      deliver()
      return .nothing
    }
    return .run(DeliveryRound(store, tail, after: start, jobs))
  }

  private func begin(_ next: DeliveryRound) {
    round = next
    queue.async { [weak self] in
      next.run()
      self?.hopToOwner { group in
        group.finish(next)
        group.deliverBesides()
      }
    }
  }

  /// Delivers what a round has made.
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

  /// Lets go of something on the group's thread.
  ///
  /// Each row of a former list is freed by itself: 100,000 of them held the main actor for some 5 ms. The thread waits
  /// for a moment, until the caller has let go too: it was often quicker, and then the caller freed the rows after all.
  ///
  /// - Parameter last: Something that no one else needs.
  func endLater(_ last: consuming some Sendable) {
    queue.asyncAfter(deadline: .now() + .milliseconds(10)) { [last] in withExtendedLifetime(last) {} }
  }
}

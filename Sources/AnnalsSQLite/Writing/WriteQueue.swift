import AnnalsLog
import Dispatch
import Synchronization

/// A queue that accepts appends from any number of threads, and commits waiting appends together in rounds.
///
/// One of the waiting threads leads a round: it writes all waiting appends in one transaction. Every append is checked
/// against the effects of the appends before it, and one disk sync covers all of them. Threads that arrive during a
/// round join the next round, and one of them leads it. An append returns only after its commit.
final class WriteQueue: Sendable {
  /// The waiting appends of one thread, with their results.
  ///
  /// `@unchecked Sendable`: the leader of the round writes the results before it signals the waiting thread, which
  /// reads them afterwards.
  private final class Request: @unchecked Sendable {
    let group: PreparedGroup
    /// The results of the group's appends, or `nil` until they are available.
    var answers: [Result<Receipt, any Error>]?
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ group: PreparedGroup) {
      self.group = group
    }

    func wait() { semaphore.wait() }
    func wake() { semaphore.signal() }
  }

  private struct State {
    var waiting: [Request] = []
    var isLed = false
    var isClosed = false
    /// The number of threads that were in the last round, or arrived during it.
    var crowd = 0
    /// The duration of the last round in nanoseconds.
    var lastRound: Int64 = 0
    /// The number of coming rounds that begin immediately, because waiting for more threads was useless in the last
    /// round.
    var hurry = 0
  }

  private let state = Mutex(State())
  private let writer: LogWriter
  /// The maximum number of groups per commit, so that no thread waits until very many appends are written.
  private static let roundLimit = 256

  init(_ writer: LogWriter) {
    self.writer = writer
  }

  /// Commits an append, together with other threads' appends.
  func commit(_ append: PreparedAppend) throws -> Receipt {
    let answers = try commit(PreparedGroup([append]))
    guard let answer = answers.first else {
      preconditionFailure("the write queue returned no result for an append. Please report this")
    }
    return try answer.get()
  }

  /// Commits one thread's appends together with other threads' appends.
  ///
  /// - Returns: The results of the appends, up to and including the first refused append.
  func commit(_ group: PreparedGroup) throws -> [Result<Receipt, any Error>] {
    let request = Request(group)
    let leads = try state.withLock { state in
      if state.isClosed { throw ConnectionPool.closed(writer.path) }
      state.waiting.append(request)
      defer { state.isLed = true }
      return !state.isLed
    }
    if !leads { request.wait() }
    // A thread that is woken without a result leads the next round, which begins with its own append.
    if request.answers == nil { lead() }
    guard let answers = request.answers else {
      preconditionFailure("the write queue returned no results for a thread's appends. Please report this")
    }
    return answers
  }

  private func lead() {
    gather()
    let start = ContinuousClock.now
    let round = state.withLock { state in
      defer { state.waiting.removeFirst(min(state.waiting.count, Self.roundLimit)) }
      return Array(state.waiting.prefix(Self.roundLimit))
    }
    let answers = writer.commit(round.map(\.group))
    for (request, answer) in zip(round, answers) { request.answers = answer }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    state.withLock { state in
      // The number is set before the threads are woken, because a thread that immediately returns for another append
      // would count twice.
      state.crowd = round.count + state.waiting.count
      state.lastRound = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
    for request in round.dropFirst() { request.wake() }
    writer.checkpointIfDue()
    let next = state.withLock { state in
      state.isLed = !state.waiting.isEmpty
      return state.waiting.first
    }
    next?.wake()
  }

  /// Waits at the beginning of a round for the threads of the last round, because they are about to append more events.
  ///
  /// If a round began without them, it would sync the disk for one append, and the other threads would wait for that
  /// sync. The wait is at most half as long as the last round. If the wait was useless, the next rounds begin
  /// immediately.
  private func gather() {
    let (crowd, limit) = state.withLock { state in
      if state.hurry > 0 {
        state.hurry -= 1
        return (0, 0 as Int64)
      }
      return (state.crowd, min(state.lastRound / 2, 1_000_000))
    }
    guard crowd > 1 else { return }
    let end = ContinuousClock.now + .nanoseconds(limit)
    while true {
      let isThere = state.withLock { $0.waiting.count >= crowd || $0.isClosed }
      if isThere { return }
      if ContinuousClock.now >= end { break }
      FileSystem.yield()
    }
    state.withLock { if $0.waiting.count <= crowd / 2 { $0.hurry = 8 } }
  }

  /// Refuses further appends, completes the waiting appends, and closes the log.
  func close() {
    state.withLock { $0.isClosed = true }
    writer.close()
  }
}

import Annals
import Dispatch
import Synchronization

/// Takes appends from any number of threads and commits those that wait together.
///
/// One of the threads that wait leads. It writes the appends of all threads that came so far in one transaction. Each
/// append is checked against what those before it did, and the disk is asked once for all of them. Threads that come
/// meanwhile are in the next round, which one of them leads. An append is answered only after the commit that it was
/// in.
final class WriteQueue: Sendable {
  /// An append that waits, or some of one thread, and the answer.
  ///
  /// `@unchecked Sendable`: the leader writes the answer before it signals, and the thread that waits reads it
  /// afterwards.
  private final class Request: @unchecked Sendable {
    let group: PreparedGroup
    /// The answers to the group's appends; nil before there are any.
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
    /// How many threads were there at the end of the last round: those it answered, and those that came meanwhile.
    var crowd = 0
    /// How many nanoseconds the last round took.
    var lastRound: Int64 = 0
    /// How many rounds begin without waiting for the crowd, because the last wait was useless.
    var hurry = 0
  }

  private let state = Mutex(State())
  private let writer: LogWriter
  /// How many appends one commit takes at most, so that no thread waits for a whole crowd.
  private static let roundLimit = 256

  init(_ writer: LogWriter) {
    self.writer = writer
  }

  /// Commits an append, with those of other threads.
  func commit(_ append: PreparedAppend) throws -> Receipt {
    let answers = try commit(PreparedGroup([append]))
    guard let answer = answers.first else { preconditionFailure("an append has a result") }
    return try answer.get()
  }

  /// Commits appends of one thread together, with those of other threads.
  ///
  /// - Returns: An answer for each append, up to the first one that is refused.
  func commit(_ group: PreparedGroup) throws -> [Result<Receipt, any Error>] {
    let request = Request(group)
    let leads = try state.withLock { state in
      if state.isClosed { throw ConnectionPool.closed(writer.path) }
      state.waiting.append(request)
      defer { state.isLed = true }
      return !state.isLed
    }
    if !leads { request.wait() }
    // A thread that is woken without an answer leads the next round, which begins with its own append.
    if request.answers == nil { lead() }
    guard let answers = request.answers else { preconditionFailure("a round resolves its leader's append") }
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
      // Before they are woken: a thread that comes again at once would count twice.
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

  /// Waits for the threads that were just answered, if they are many: they are about to come again.
  ///
  /// A round that begins without them asks the disk for one append, and they wait for it. The wait is shorter than half
  /// a round; if it was useless, the next rounds begin at once.
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

  /// Accepts no more appends, answers those that are there, and closes the log.
  func close() {
    state.withLock { $0.isClosed = true }
    writer.close()
  }
}

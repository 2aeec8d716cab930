import Annals
import Dispatch
import Synchronization

/// Takes appends from any number of threads and commits those that wait together.
///
/// Of the threads that wait one leads: it writes the appends of all that came so far in one transaction, each checked
/// against what those before it did, and asks the disk once for all of them. Whoever comes meanwhile is in the next round,
/// which one of them leads. An append is answered only after the commit that it was in.
final class WriteQueue: Sendable {
  /// An append that waits, and its answer.
  ///
  /// `@unchecked Sendable`: the leader writes the answer before it signals, the one who waits reads it afterwards.
  private final class Request: @unchecked Sendable {
    let append: PreparedAppend
    var answer: Result<Receipt, any Error>?
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ append: PreparedAppend) {
      self.append = append
    }

    func wait() { semaphore.wait() }
    func wake() { semaphore.signal() }
  }

  private struct State {
    var waiting: [Request] = []
    var isLed = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let writer: LogWriter
  /// How many appends one commit takes at most, so that nobody waits for all of a crowd.
  private static let roundLimit = 256

  init(_ writer: LogWriter) {
    self.writer = writer
  }

  /// Commits an append, with those of other threads.
  func commit(_ append: PreparedAppend) throws -> Receipt {
    let request = Request(append)
    let leads = try state.withLock { state in
      if state.isClosed { throw ConnectionPool.closed(writer.path) }
      state.waiting.append(request)
      defer { state.isLed = true }
      return !state.isLed
    }
    if !leads { request.wait() }
    // Whoever is woken without an answer leads the next round, which begins with its own append.
    if request.answer == nil { lead() }
    guard let answer = request.answer else { preconditionFailure("a round answers the one who leads it") }
    return try answer.get()
  }

  private func lead() {
    let round = state.withLock { state in
      defer { state.waiting.removeFirst(min(state.waiting.count, Self.roundLimit)) }
      return Array(state.waiting.prefix(Self.roundLimit))
    }
    let answers = writer.commit(round.map(\.append))
    for (request, answer) in zip(round, answers) { request.answer = answer }
    for request in round.dropFirst() { request.wake() }
    writer.checkpointIfDue()
    let next = state.withLock { state in
      state.isLed = !state.waiting.isEmpty
      return state.waiting.first
    }
    next?.wake()
  }

  /// Lets in no more appends, answers those that are there, and closes the log.
  func close() {
    state.withLock { $0.isClosed = true }
    writer.close()
  }
}

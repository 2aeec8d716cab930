import Annals
import Synchronization

/// Whether this instance can take requests: the log takes appends, and the list is current.
///
/// The service checks the log once a second. A check can hang, for example while another connection holds the log's
/// lock. So readiness depends on the age of the last check that succeeded, and a request for it never waits.
final class Readiness: Sendable {
  private struct State {
    var lastAppend: ContinuousClock.Instant?
    var lastCurrent: ContinuousClock.Instant?
    /// The log's last position at the previous check.
    var head: Position?
    var problem: String?
  }

  private let state = Mutex(State())
  /// The age from which on a check doesn't count.
  let limit: Duration

  init(limit: Duration = .seconds(4)) { self.limit = limit }

  /// Notes that the log took an append.
  ///
  /// - Parameters:
  ///   - head: The log's last position.
  ///   - position: The position that the list shows. Under load, it is always a little behind the log. So it only needs
  ///     to have reached the log's position at the previous check.
  ///   - now: The time of the check.
  func succeeded(head: Position, position: Position, at now: ContinuousClock.Instant = .now) {
    state.withLock { state in
      state.lastAppend = now
      state.problem = nil
      if position >= min(state.head ?? head, head) { state.lastCurrent = now }
      state.head = head
    }
  }

  func failed(_ error: any Error) { state.withLock { $0.problem = "\(error)" } }

  /// Returns the reasons why this instance isn't ready.
  func problems(at now: ContinuousClock.Instant = .now) -> [String] {
    state.withLock { state in
      func isOld(_ time: ContinuousClock.Instant?) -> Bool { time.map { now - $0 >= limit } ?? true }
      var problems: [String] = []
      if isOld(state.lastAppend) {
        problems.append("the log takes no appends" + (state.problem.map { ": \($0)" } ?? ""))
      }
      if isOld(state.lastCurrent) { problems.append("the list is behind the log") }
      return problems
    }
  }
}

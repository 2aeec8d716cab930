import Dispatch
import Synchronization

/// Work on a queue that a task waits for, without blocking a thread of Swift's pool.
final class WaitingJob<T: Sendable>: Sendable {
  private struct State {
    /// The task that waits; nil before it does, and after it was answered.
    var waiting: CheckedContinuation<T, any Error>?
    var isCancelled = false
    var hasBegun = false
  }

  private typealias Body = @Sendable (_ isCancelled: () -> Bool) throws -> T

  private let state = Mutex(State())
  /// What is left to do; let go of before the task is answered, which may then end the program or open the log again.
  private let body: Mutex<Body?>
  /// The code of a follower that waits for the work, if any does: what it calls there is called from inside.
  private let turn = FollowerTurn.current
  /// True if a cancelled task does not wait for work that has not begun.
  private let canBeWithdrawn: Bool

  private init(canBeWithdrawn: Bool, _ body: @escaping Body) {
    self.canBeWithdrawn = canBeWithdrawn
    self.body = Mutex(body)
  }

  /// Runs a body on a queue and waits for it.
  ///
  /// - Parameters:
  ///   - queue: A serial queue.
  ///   - canBeWithdrawn: True if the body does not run when the task is cancelled before it begins. Then the call
  ///     throws `CancellationError` at once. Otherwise the body runs in any case, and can ask.
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - afterwards: Runs on the queue before the task is answered, also if the body did not run.
  ///   - body: Is passed what asks whether the task was cancelled.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws, or `CancellationError`.
  static func run(
    on queue: DispatchQueue, canBeWithdrawn: Bool, isolation: isolated (any Actor)? = #isolation,
    afterwards: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> T
  ) async throws -> T {
    let job = WaitingJob(canBeWithdrawn: canBeWithdrawn, body)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        job.state.withLock { $0.waiting = continuation }
        if job.isCancelled { job.cancel() }
        queue.async {
          let result = job.perform()
          afterwards()
          if let result { job.answer(result) }
        }
      }
    } onCancel: {
      job.cancel()
    }
  }

  /// Does the work; nil if it was withdrawn.
  private func perform() -> Result<T, any Error>? {
    guard begin(), let body = takeBody() else { return nil }
    return Result { try FollowerTurn.$current.withValue(turn) { try body { self.isCancelled } } }
  }

  private func takeBody() -> Body? {
    body.withLock { body in
      defer { body = nil }
      return body
    }
  }

  private var isCancelled: Bool { state.withLock { $0.isCancelled } }

  private func begin() -> Bool {
    state.withLock { state in
      if state.waiting == nil { return false }
      state.hasBegun = true
      return true
    }
  }

  private func cancel() {
    let withdrawn = state.withLock { state -> CheckedContinuation<T, any Error>? in
      state.isCancelled = true
      guard canBeWithdrawn, !state.hasBegun else { return nil }
      defer { state.waiting = nil }
      return state.waiting
    }
    guard let withdrawn else { return }
    _ = takeBody()
    withdrawn.resume(throwing: CancellationError())
  }

  private func answer(_ result: Result<T, any Error>) {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(with: result)
  }
}

import Dispatch
import Synchronization

/// Work on a queue that a task awaits, without blocking a thread of Swift's concurrency pool.
final class WaitingJob<T: Sendable>: Sendable {
  private struct State {
    /// The waiting task, or `nil` before it waits and after it was resumed.
    var waiting: CheckedContinuation<T, any Error>?
    var isCancelled = false
    var hasBegun = false
  }

  private typealias Body = @Sendable (_ isCancelled: () -> Bool) throws -> T

  private let state = Mutex(State())
  /// The remaining work.
  ///
  /// It is released before the task resumes, because the task might exit the program or reopen the log.
  private let body: Mutex<Body?>
  /// The turn of the follower whose code waits for the work, if any, so that calls inside the work belong to this
  /// turn.
  private let turn = FollowerTurn.current
  private let cause = Metadata.cause
  /// True if a cancelled task doesn't wait for work that hasn't begun.
  private let canBeWithdrawn: Bool

  private init(canBeWithdrawn: Bool, _ body: @escaping Body) {
    self.canBeWithdrawn = canBeWithdrawn
    self.body = Mutex(body)
  }

  /// Runs a body on a queue and waits for it.
  ///
  /// - Parameters:
  ///   - queue: A serial queue.
  ///   - canBeWithdrawn: True to skip the body if the task is cancelled before the body begins. The call then throws
  ///     `CancellationError` immediately. If the value is false, the body always runs, and can check for cancellation.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - afterwards: A closure that runs on the queue before the task resumes, even if the body didn't run.
  ///   - body: The work. Its parameter returns whether the task was cancelled.
  /// - Returns: The body's result.
  /// - Throws: The error of `body`, or `CancellationError`.
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

  /// Performs the work, or returns `nil` if it was withdrawn.
  private func perform() -> Result<T, any Error>? {
    guard begin(), let body = takeBody() else { return nil }
    return Result {
      try FollowerTurn.$current.withValue(turn) {
        try Metadata.$cause.withValue(cause) { try body { self.isCancelled } }
      }
    }
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

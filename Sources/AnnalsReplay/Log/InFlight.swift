import Dispatch
import Synchronization

/// A task that another thread does, while you prepare the next one.
final class InFlight<Value: Sendable>: Sendable {
  private let body: Mutex<(@Sendable () throws -> Value)?>
  private let answer = Mutex<Result<Value, any Error>?>(nil)
  private let end = DispatchGroup()

  /// Begins the task.
  ///
  /// - Parameter body: The task, called on another thread.
  init(_ body: @escaping @Sendable () throws -> Value) {
    self.body = Mutex(body)
    end.enter()
    DispatchQueue.global().async { [self] in
      let found = run()
      answer.withLock { $0 = found }
      end.leave()
    }
  }

  /// Runs the body, and lets go of it and of what it holds.
  ///
  /// Otherwise a store would close on the other thread, perhaps after the process has ended.
  private func run() -> Result<Value, any Error> {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    return Result {
      guard let body else { preconditionFailure("a task is done once") }
      return try body()
    }
  }

  /// Waits for the answer.
  func wait() throws -> Value {
    end.wait()
    guard let found = answer.withLock({ $0 }) else { preconditionFailure("a task is left with an answer") }
    return try found.get()
  }
}

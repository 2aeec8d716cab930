import Foundation
import Synchronization

/// Blocking work on a separate thread, so that the calling thread can print the progress.
///
/// A task would not do: if all threads of Swift's pool are waiting callers, the task gets no thread of the pool.
final class InBackground<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  /// Begins the work.
  init(_ work: @escaping @Sendable () throws -> Value) {
    let thread = Thread { [self] in
      let result = Result { try work() }
      self.result.withLock { $0 = result }
      isDone.signal()
    }
    thread.start()
  }

  /// Waits for the work, and calls a closure ten times a second meanwhile.
  func wait(_ look: () -> Void) throws -> Value {
    while true {
      _ = isDone.wait(timeout: .now() + .milliseconds(100))
      if let result = result.withLock({ $0 }) { return try result.get() }
      look()
    }
  }
}

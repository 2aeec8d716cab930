import AnnalsLog
import Dispatch
import Foundation
import Synchronization

/// A lock for a controller without isolation.
///
/// It admits one caller at a time, and remembers the last caller.
///
/// Swift's region isolation lets such a controller move between tasks, but two tasks can't use it in parallel. However,
/// region isolation doesn't know that a commit in the previous task delivers changes to the controller. The lock
/// prevents this delivery and the new task's first call from overlapping, and only the last caller receives deliveries.
final class ExclusiveAccess: Sendable {
  private let lock = NSRecursiveLock()
  private let user = Mutex(CallerID.current)

  /// Makes the caller the controller's user, and excludes other callers while the body runs.
  func use<T>(_ body: () throws -> T) rethrows -> T {
    user.withLock { $0 = .current }
    lock.lock()
    defer { lock.unlock() }
    user.withLock { $0 = .current }
    return try body()
  }

  /// Acquires the lock if the caller was the last caller of the controller, and returns whether it was.
  ///
  /// After every true result, call `leave`. A commit must not wait for the observers of another
  /// controller, so this never blocks on the lock. While the caller is the user, other callers hold the lock only
  /// briefly, to check `user`.
  func enterIfCurrentCaller() -> Bool {
    while user.withLock({ $0 }) == .current {
      guard lock.try() else {
        sched_yield()
        continue
      }
      if user.withLock({ $0 }) == .current { return true }
      lock.unlock()
    }
    return false
  }

  func leave() { lock.unlock() }
}

/// A test for code that runs on the main queue, which is the main actor's executor.
///
/// On Linux, `Thread.isMainThread` is false as soon as the main actor has awaited once, because another thread then
/// drains the main queue. A queue-specific value is correct on every platform (54 ns on Linux).
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

import Dispatch
import Foundation
import Synchronization

/// A lock that remembers the last caller of a controller without isolation and admits one caller at a time.
///
/// Swift's region isolation lets such a controller move between tasks but never be used by two of them in parallel.
/// It can't see a commit of the previous task. The lock orders that commit's delivery and the new owner's first call,
/// and delivery goes to the last caller.
final class ExclusiveAccess: Sendable {
  private let lock = NSRecursiveLock()
  private let user = Mutex(CallerID.current)

  /// Makes the caller the user, and excludes other callers while the body runs.
  func use<T>(_ body: () throws -> T) rethrows -> T {
    user.withLock { $0 = .current }
    lock.lock()
    defer { lock.unlock() }
    user.withLock { $0 = .current }
    return try body()
  }

  /// Enters if the caller used the controller last, and returns whether it did.
  ///
  /// Every true result must be followed by a call of `leave`. A commit must not wait for the observers of another
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

/// Detects the main queue, the main actor's executor.
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

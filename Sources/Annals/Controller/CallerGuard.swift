import Dispatch
import Foundation
import Synchronization

/// Says who used a controller without isolation last, and lets one user in at a time.
///
/// Swift's region isolation lets such a controller go from one task to another, never into two at once. What it cannot
/// see is a commit of the task that had it before: the lock makes that commit's delivery and the new owner's first call
/// wait for each other, and the last caller is the one that is delivered to.
final class CallerGuard: Sendable {
  private let lock = NSRecursiveLock()
  private let user = Mutex(CallerID.current)

  /// Makes the caller the user, and keeps others out while the body runs.
  func use<T>(_ body: () throws -> T) rethrows -> T {
    user.withLock { $0 = .current }
    lock.lock()
    defer { lock.unlock() }
    user.withLock { $0 = .current }
    return try body()
  }

  /// Lets the caller in if it used the controller last; every true answer is followed by a call of `leave`.
  ///
  /// A commit must not wait while the observers of another controller run, so it never waits for the lock: while the
  /// caller is the user, no one else holds it longer than a look at `user` takes.
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

/// Tells whether the caller runs on the main queue, which is the main actor's.
///
/// `Thread.isMainThread` is false on Linux as soon as the main actor has awaited once, because the main queue is then
/// drained by another thread. A value that only the main queue carries is right everywhere (54 ns on Linux).
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

import Dispatch
import Foundation
import Synchronization

/// A thread that notices if a case doesn't end in time.
///
/// The thread counts short waits instead of comparing times, so a process that a debugger stopped isn't too slow.
final class CaseWatch: Sendable {
  private let ended = DispatchSemaphore(value: 0)

  /// Starts to watch.
  ///
  /// - Parameters:
  ///   - memory: The memory of the cases.
  ///   - limit: The longest time of a case.
  ///   - expired: The function to call on the thread for a case that takes longer.
  init(_ memory: CaseMemory, limit: Duration, expired: @escaping @Sendable () -> Void) {
    let wait = max(.milliseconds(1), min(limit / 8, .milliseconds(250)))
    let count = Int((limit / wait).rounded(.up))
    let milliseconds = Int((wait / .milliseconds(1)).rounded(.up))
    Thread.detachNewThread { [ended] in
      var (known, waits) = (0, 0)
      while ended.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut {
        let cases = memory.cases.load(ordering: .relaxed)
        if cases != known { (known, waits) = (cases, 0) } else if cases > 0 { waits += 1 }
        if waits > count { return expired() }
      }
    }
  }

  /// Stops watching.
  func end() { ended.signal() }
}

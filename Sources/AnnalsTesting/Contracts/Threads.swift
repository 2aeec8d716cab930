import Dispatch
import Foundation

/// Runs a body on several threads at the same time, and waits for all of them.
///
/// `DispatchQueue.concurrentPerform` uses only as many threads as the machine has cores. If two bodies wait for each
/// other, one of them may never begin.
///
/// - Parameters:
///   - count: How many threads.
///   - body: Called on each, with its number from 0.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for lane in 0..<count {
    group.enter()
    Thread.detachNewThread {
      body(lane)
      group.leave()
    }
  }
  group.wait()
}

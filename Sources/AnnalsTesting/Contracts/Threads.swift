import Dispatch
import Foundation

/// Runs a body on several threads at a time, and waits for all of them.
///
/// `DispatchQueue.concurrentPerform` takes no more threads than the machine has cores: of two bodies that wait for each
/// other one may never begin.
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

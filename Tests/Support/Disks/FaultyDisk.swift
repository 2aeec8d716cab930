import Foundation
import Synchronization

/// A disk on which one call fails, or all calls of one kind from some moment on.
///
/// Calls are counted on the thread that said begin; those of other threads do not fail.
package final class FaultyDisk: FileWatcher {
  /// Which call fails, and how.
  package struct Plan: Hashable, Sendable, CustomStringConvertible {
    /// The number of the call, the first one is 1; if it is of another kind, the next of the kind fails.
    package let call: Int
    /// The kind of the call.
    package let kind: FileCall
    package let fault: FileFault
    /// True if later calls of the kind fail too.
    package let lasts: Bool

    package init(call: Int, kind: FileCall, fault: FileFault, lasts: Bool) {
      (self.call, self.kind, self.fault, self.lasts) = (call, kind, fault, lasts)
    }

    /// All plans for some calls.
    package static func all(for calls: [FileCall]) -> [Plan] {
      calls.enumerated().flatMap { index, kind in
        kind.faults.flatMap { fault in
          [false, true].map { Plan(call: index + 1, kind: kind, fault: fault, lasts: $0) }
        }
      }
    }

    package var description: String { "call \(call), \(kind), \(fault)\(lasts ? ", and all that follow" : "")" }
  }

  private struct State {
    var calls: [FileCall] = []
    var plan: Plan?
    /// How many calls failed.
    var failed = 0
    var thread: ObjectIdentifier?
  }

  private let state = Mutex(State())

  package var needsSyncs: Bool { false }

  package init() {}

  /// Counts calls from 1 again, and fails as planned.
  package func begin(_ plan: Plan?) {
    state.withLock { $0 = State(plan: plan, thread: ObjectIdentifier(Thread.current)) }
    Thread.current.threadDictionary[Self.mark] = true
  }

  private static let mark = "annals-faulty-disk"

  /// True on a thread that began, and did not mend: there SQLite does not wait for what will not come.
  static var isTrying: Bool { Thread.current.threadDictionary[mark] != nil }

  /// Fails no more.
  package func mend() {
    state.withLock { $0.plan = nil }
    Thread.current.threadDictionary[Self.mark] = nil
  }

  /// The calls since the beginning.
  package var calls: [FileCall] { state.withLock { $0.calls } }

  /// How many calls failed since the beginning.
  package var failed: Int { state.withLock { $0.failed } }

  package func happened(_ event: FileEvent, to name: String) {}

  package func fault(at call: FileCall, on name: String) -> FileFault? {
    state.withLock { state in
      guard state.thread == ObjectIdentifier(Thread.current) else { return nil }
      state.calls.append(call)
      guard let plan = state.plan, call == plan.kind, state.calls.count >= plan.call else { return nil }
      guard state.failed == 0 || plan.lasts else { return nil }
      state.failed += 1
      return plan.fault
    }
  }
}

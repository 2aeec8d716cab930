import Dispatch
import Foundation
import Synchronization

/// A bridge that lets the explorer, which waits for every case, run asynchronous cases.
///
/// The explorer blocks only its own thread. The cases run in the isolation of the check's caller. The bridge passes the
/// explorer's plans to the cases, and passes the cases' results back to the explorer.
final class AsyncBridge: Sendable {
  private struct State {
    var plan: Plan?
    var waiting: CheckedContinuation<Plan?, Never>?
    var verdict: Verdict?
    var record = Record()
    var story = Story()
    var result: Result<CheckReport, any Error>?
  }

  private let state = Mutex(State())
  private let answered = DispatchSemaphore(value: 0)

  /// Starts the explorer.
  func start(_ property: PropertyName, _ settings: CheckSettings, _ context: CaseContext) {
    let thread = Thread { [self] in
      let result = Result {
        try Explorer(property, settings, BridgedRunner(bridge: self), context).explore()
      }
      let waiting = state.withLock { state in
        state.result = result
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume(returning: nil)
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// The next case to run, or `nil` when the explorer is done.
  func next(isolation: isolated (any Actor)? = #isolation) async -> Plan? {
    await withCheckedContinuation { continuation in
      let plan: Plan?? = state.withLock { state in
        if let plan = state.plan {
          state.plan = nil
          return plan
        }
        if state.result != nil { return .some(nil) }
        state.waiting = continuation
        return nil
      }
      if let plan { continuation.resume(returning: plan) }
    }
  }

  /// Passes the result of the case to the explorer.
  func answer(_ verdict: Verdict, _ record: Record, _ story: Story) {
    state.withLock { state in
      state.verdict = verdict
      state.record = record
      state.story = story
    }
    answered.signal()
  }

  /// The explorer's result.
  func result() throws -> CheckReport {
    guard let result = state.withLock({ $0.result }) else { throw CancellationError() }
    return try result.get()
  }

  fileprivate func run(_ plan: Plan) -> Verdict {
    let waiting = state.withLock { state in
      if state.waiting == nil { state.plan = plan }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: plan)
    answered.wait()
    return state.withLock { $0.verdict } ?? .discarded(nil)
  }

  fileprivate var record: Record { state.withLock { $0.record } }
  fileprivate var story: Story { state.withLock { $0.story } }
}

private final class BridgedRunner: CaseRunner {
  let bridge: AsyncBridge

  init(bridge: AsyncBridge) {
    self.bridge = bridge
  }

  func run(_ plan: Plan) -> Verdict { bridge.run(plan) }
  var record: Record { bridge.record }
  var story: Story { bridge.story }
}

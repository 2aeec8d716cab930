import Dispatch
import Synchronization

/// The threads on which a store's asynchronous calls read, decide and commit.
///
/// A lane is a serial queue, which has its own thread while it has work, so no thread of Swift's concurrency pool waits
/// for a disk or a lock. Calls with the same key run one after the other, because concurrent calls would only conflict.
/// Other calls run concurrently, and the store commits concurrent appends together.
package final class WorkLanes: Sendable {
  /// The key of data that two calls must not change at the same time.
  package enum Key: Hashable {
    case stream(StreamName)
    case boundary(EventQuery)
  }

  private struct State {
    var queues: [DispatchQueue] = []
    /// The number of waiting and running calls in every lane.
    var loads: [Int] = []
    /// The lane and the number of calls of every key that has calls.
    var keys: [Key: (lane: Int, count: Int)] = [:]
  }

  /// The maximum number of concurrent calls.
  private static let limit = 16

  private let state = Mutex(State())

  /// Runs a body on a thread of the store, and waits for it without blocking a thread.
  ///
  /// - Parameters:
  ///   - key: The key of the changed data, or `nil` if unknown.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - body: The work. Its parameter returns whether the caller was cancelled.
  /// - Returns: The body's result.
  /// - Throws: The error of `body`, or `CancellationError` if the task is cancelled before the body begins.
  package func run<T: Sendable>(
    _ key: Key? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> T
  ) async throws -> T {
    let (lane, queue) = enter(key)
    return try await WaitingJob.run(
      on: queue, canBeWithdrawn: true, afterwards: { [self] in leave(lane, key) }, body)
  }

  private func enter(_ key: Key?) -> (lane: Int, queue: DispatchQueue) {
    state.withLock { state in
      let lane = key.flatMap { state.keys[$0]?.lane } ?? Self.freest(&state)
      state.loads[lane] += 1
      if let key { state.keys[key, default: (lane, 0)].count += 1 }
      return (lane, state.queues[lane])
    }
  }

  /// Returns the lane with the fewest calls.
  private static func freest(_ state: inout State) -> Int {
    if let free = state.loads.firstIndex(of: 0) { return free }
    if state.queues.count < limit {
      state.queues.append(DispatchQueue(label: "Annals.store.\(state.queues.count)"))
      state.loads.append(0)
      return state.queues.count - 1
    }
    return state.loads.indices.min { state.loads[$0] < state.loads[$1] } ?? 0
  }

  private func leave(_ lane: Int, _ key: Key?) {
    state.withLock { state in
      state.loads[lane] -= 1
      guard let key, let known = state.keys[key] else { return }
      state.keys[key] = known.count == 1 ? nil : (known.lane, known.count - 1)
    }
  }
}

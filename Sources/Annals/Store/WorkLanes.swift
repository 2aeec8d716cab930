import Dispatch
import Synchronization

/// The threads on which a store's asynchronous calls read, decide and commit.
///
/// Each lane is a serial queue: it has a thread of its own while there is work, so that no thread of Swift's pool waits
/// for a disk or a lock. Calls of one key take turns, since they would only meet conflicts with each other. Other calls
/// are under way at the same time, and the store commits together what comes together.
final class WorkLanes: Sendable {
  /// What two calls must not change at the same time.
  enum Key: Hashable {
    case stream(StreamName)
    case boundary(EventQuery)
  }

  private struct State {
    var queues: [DispatchQueue] = []
    /// The number of calls in each lane, waiting or under way.
    var loads: [Int] = []
    /// The lanes of the keys that have calls, and how many.
    var keys: [Key: (lane: Int, count: Int)] = [:]
  }

  /// How many calls are under way at most.
  private static let limit = 16

  private let state = Mutex(State())

  /// Runs a body on a thread of the store, and waits for it without blocking a thread.
  ///
  /// - Parameters:
  ///   - key: What the body changes; nil if that is not known.
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - body: Is passed what asks whether the caller was cancelled.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws; `CancellationError` if the task is cancelled before the body begins.
  func run<T: Sendable>(
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

  /// The lane with the fewest calls.
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

import Synchronization

/// A lease of this worker, and the task that handles the partition's events.
final class HeldLease: Sendable {
  private struct State {
    /// The earliest time at which the lease can expire, according to the local clock.
    var deadline: ContinuousClock.Instant
    var isOver = false
    var isGivenUp = false
    /// True if the partition's work has reached its end position.
    var isDone = false
    var known: [FollowerState]
    var task: Task<Void, any Error>?
  }

  let lease: FollowerLease
  /// The pause until new events might exist.
  let news = Pause()
  /// The pause before a retry.
  let delay = Pause()
  private let state: Mutex<State>

  init(_ lease: FollowerLease, until deadline: ContinuousClock.Instant, _ known: [FollowerState]) {
    self.lease = lease
    state = Mutex(State(deadline: deadline, known: known))
  }

  /// True while the worker is allowed to handle another event.
  var mayHandle: Bool {
    state.withLock { !$0.isOver && !$0.isGivenUp && .now < $0.deadline } && !Task.isCancelled
  }

  /// The progress of all versions of the follower at the last heartbeat.
  var known: [FollowerState] { state.withLock { $0.known } }
  var isDone: Bool {
    get { state.withLock { $0.isDone } }
    set { state.withLock { $0.isDone = newValue } }
  }

  /// Extends the lease.
  func prolong(until deadline: ContinuousClock.Instant, _ known: [FollowerState]) {
    let isNew = state.withLock { state in
      defer { (state.deadline, state.known) = (max(state.deadline, deadline), known) }
      return state.known != known
    }
    if isNew { news.end() }
  }

  /// Releases the partition to another worker, after the event that is being handled.
  func giveUp() {
    state.withLock { $0.isGivenUp = true }
    news.end()
    delay.end()
  }

  /// Cancels the running code, because another worker might have the partition.
  func end() {
    let task = state.withLock { state in
      state.isOver = true
      return state.task
    }
    task?.cancel()
    news.end()
    delay.end()
  }

  /// Ends the lease if it has expired according to the local clock.
  ///
  /// This is necessary because the server might be unreachable.
  func expire() { if state.withLock({ .now >= $0.deadline }) { end() } }

  /// Runs the partition's work in a task that ``end()`` cancels.
  func work(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task(operation: body)
    let isOver = state.withLock { state in
      state.task = task
      return state.isOver
    }
    if isOver { task.cancel() }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

import Synchronization

/// A lease as the worker has it that holds it, and the task that handles the partition's events.
final class HeldLease: Sendable {
  private struct State {
    /// When the lease is over at the earliest, by the clock on this side.
    var deadline: ContinuousClock.Instant
    var isOver = false
    var isGivenUp = false
    /// True if everything is done up to where the worker is to go.
    var isDone = false
    var known: [FollowerState]
    var task: Task<Void, any Error>?
  }

  let lease: FollowerLease
  /// Waits for new events.
  let news = Pause()
  /// Waits before an event is tried again.
  let delay = Pause()
  private let state: Mutex<State>

  init(_ lease: FollowerLease, until deadline: ContinuousClock.Instant, _ known: [FollowerState]) {
    self.lease = lease
    state = Mutex(State(deadline: deadline, known: known))
  }

  /// True while the worker may handle another event.
  var canGoOn: Bool {
    state.withLock { !$0.isOver && !$0.isGivenUp && .now < $0.deadline } && !Task.isCancelled
  }

  /// How far the follower's versions have come, as of the last heartbeat.
  var known: [FollowerState] { state.withLock { $0.known } }
  var isDone: Bool {
    get { state.withLock { $0.isDone } }
    set { state.withLock { $0.isDone = newValue } }
  }

  /// The lease was prolonged.
  func prolong(until deadline: ContinuousClock.Instant, _ known: [FollowerState]) {
    let isNew = state.withLock { state in
      defer { (state.deadline, state.known) = (max(state.deadline, deadline), known) }
      return state.known != known
    }
    if isNew { news.end() }
  }

  /// Lets another worker have the partition, after the event that is being handled.
  func giveUp() {
    state.withLock { $0.isGivenUp = true }
    news.end()
    delay.end()
  }

  /// Another worker has the partition, or may have it: the code that runs is cancelled.
  func end() {
    let task = state.withLock { state in
      state.isOver = true
      return state.task
    }
    task?.cancel()
    news.end()
    delay.end()
  }

  /// Ends what is over by the clock on this side; the server may not be reached to ask it.
  func expire() { if state.withLock({ .now >= $0.deadline }) { end() } }

  /// Runs the work of the partition in a task that ``end()`` cancels.
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

import Synchronization

/// A wait that another task can end.
final class Pause: Sendable {
  private struct State {
    var isDue = false
    var task: Task<Void, any Error>?
  }

  private let state = Mutex(State())

  /// Waits until a duration has passed, the pause is ended, or the task is cancelled.
  ///
  /// If the pause was ended since the last wait, the call returns immediately. Only one task at a time can wait.
  func wait(
    for duration: Duration,
    by sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) async {
    let task = Task { try await sleep(duration) }
    let isDue = state.withLock { state in
      if !state.isDue { state.task = task }
      return state.isDue
    }
    if isDue { task.cancel() }
    await withTaskCancellationHandler {
      _ = try? await task.value
    } onCancel: {
      task.cancel()
    }
    state.withLock { $0 = State() }
  }

  /// Waits until the pause is ended, or until the task is cancelled.
  func wait() async { await wait(for: .seconds(1 << 30)) }

  /// Ends the current wait, or the next wait if no task is waiting.
  func end() {
    let task = state.withLock { state in
      state.isDue = true
      return state.task
    }
    task?.cancel()
  }
}

/// The workers of a follower in this process, which are woken when a stream is resumed.
final class FollowerWorkers: Sendable {
  private let pauses = Mutex<[ObjectIdentifier: Pause]>([:])

  func add(_ pause: Pause) { pauses.withLock { $0[ObjectIdentifier(pause)] = pause } }
  func remove(_ pause: Pause) { pauses.withLock { $0[ObjectIdentifier(pause)] = nil } }

  func wake() {
    for pause in pauses.withLock({ Array($0.values) }) { pause.end() }
  }
}

import AnnalsLog
import Synchronization

/// The running calls of a remote store, whose end can be awaited before the store is closed.
///
/// A command consists of several calls, which read and append. They belong to the command, so a store that drains
/// accepts them until the command has ended.
package final class OpenCalls: Sendable {
  private struct State {
    var count = 0
    var isDraining = false
    /// The callers that wait for the end of the calls, by their numbers.
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiting = 0
  }

  private let state = Mutex(State())
  /// The store's object that has counted the current task's call.
  @TaskLocal private static var counted: ObjectIdentifier?

  package init() {}

  /// Runs a closure as a call, or as a part of the call that runs it.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in.
  ///   - body: The closure.
  /// - Returns: The closure's result.
  /// - Throws: `EventStoreError` (`.closed`) if the store drains or was closed; or the closure's error.
  package func counting<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
  ) async throws -> T {
    let key = ObjectIdentifier(self)
    if Self.counted == key { return try await body() }
    let isRefused = state.withLock { state in
      if !state.isDraining { state.count += 1 }
      return state.isDraining
    }
    if isRefused { throw EventStoreError.storeClosed }
    defer { end() }
    return try await Self.$counted.withValue(key) { try await body() }
  }

  private func end() {
    let waiting = state.withLock { state in
      state.count -= 1
      if state.count > 0 { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Refuses all new calls.
  package func refuse() { state.withLock { $0.isDraining = true } }

  /// Refuses all new calls, and waits until the running calls have ended.
  ///
  /// - Throws: `CancellationError` if the task was cancelled before the calls ended.
  package func drain() async throws {
    let number = state.withLock { state in
      state.isDraining = true
      state.lastWaiting += 1
      return state.lastWaiting
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.count == 0 || Task.isCancelled { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
    if state.withLock({ $0.count > 0 }) { throw CancellationError() }
  }
}

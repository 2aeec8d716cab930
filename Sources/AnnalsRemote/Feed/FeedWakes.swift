import Synchronization

/// The tasks that wait for the next change of a feed.
final class FeedWakes: Sendable {
  private struct State {
    var last = 0
    var wakers: [Int: AsyncStream<Void>.Continuation] = [:]
  }

  private let state = Mutex(State())

  /// The number of tasks that wait or can wait.
  var count: Int { state.withLock { $0.wakers.count } }

  /// Returns a wait for a task.
  ///
  /// A change between two calls ends the next wait. The wait is removed when it is released.
  func join() -> FeedWait {
    let (stream, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.last += 1
      state.wakers[state.last] = waker
      return state.last
    }
    waker.onTermination = { [weak self] _ in self?.remove(number) }
    return FeedWait(wakes: stream.makeAsyncIterator(), waker: waker)
  }

  /// Ends the present waits.
  func wake() {
    let wakers = state.withLock { Array($0.wakers.values) }
    for waker in wakers { waker.yield() }
  }

  private func remove(_ number: Int) {
    // The continuation is released without the lock.
    _ = state.withLock { $0.wakers.removeValue(forKey: number) }
  }
}

/// A task's wait for the next change of a feed.
struct FeedWait {
  fileprivate var wakes: AsyncStream<Void>.Iterator
  fileprivate let waker: AsyncStream<Void>.Continuation

  /// Waits until the feed changes, or until a deadline.
  ///
  /// - Returns: False if the task was cancelled.
  mutating func next(until deadline: ContinuousClock.Instant?, isolation: isolated (any Actor)?) async -> Bool {
    let timer = deadline.map { deadline in
      Task { [waker] in
        try await Task.sleep(until: deadline)
        waker.yield()
      }
    }
    defer { timer?.cancel() }
    return await wakes.next(isolation: isolation) != nil
  }
}

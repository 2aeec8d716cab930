import Dispatch
import Synchronization

/// One catching up of a follower, by which calls from the follower's own code are recognised.
final class FollowerTurn: Sendable {
  /// The turn whose code runs, in its task and in those that it begins.
  @TaskLocal static var current: FollowerTurn?

  private struct State {
    /// The positions of the events that are being handled; nil between two calls of the code.
    var events: [Position]?
    /// Where the code threw; nil if it did not.
    var failure: Position?
    /// True if the event at which the code threw was skipped by it.
    var hasPassed = false
    var isOver = false
  }

  private let follower: ObjectIdentifier
  /// The turn of another follower, whose code catches this one up.
  private let outer: FollowerTurn?
  /// The event at which the code threw before, and how often in a row.
  let failures: (position: Position, count: Int)?
  private let state = Mutex(State())

  init(_ follower: AnyObject, failures: (position: Position, count: Int)?) {
    // A turn that is over is no one's any more; tasks that each begin the next would make a chain of them.
    var outer = Self.current
    while let one = outer, one.state.withLock({ $0.isOver }) { outer = one.outer }
    (self.follower, self.outer, self.failures) = (ObjectIdentifier(follower), outer, failures)
  }

  /// The turn of a follower whose own code calls; nil if another calls.
  static func inside(_ follower: AnyObject) -> FollowerTurn? {
    var turn = current
    while let one = turn {
      // A task that outlives the turn is like any other.
      if one.follower == ObjectIdentifier(follower), !one.state.withLock({ $0.isOver }) { return one }
      turn = one.outer
    }
    return nil
  }

  var events: [Position]? { state.withLock { $0.events } }
  var failure: Position? { state.withLock { $0.failure } }

  func begin(_ events: [Position]) { state.withLock { $0.events = events } }
  func end() { state.withLock { $0.events = nil } }
  func fail(at position: Position) { state.withLock { $0.failure = position } }
  var hasPassed: Bool { state.withLock { $0.hasPassed } }
  func pass() { state.withLock { $0.hasPassed = true } }
  func finish() { state.withLock { $0.isOver = true } }

  /// How often an event has been tried, with this time.
  func attempt(at position: Position) -> Int {
    failures.map { $0.position == position ? $0.count + 1 : 1 } ?? 1
  }
}

/// Lets threads and tasks in one at a time, in the order in which they came.
final class FollowerGate: Sendable {
  private enum Waiter {
    case thread(DispatchSemaphore)
    case task(CheckedContinuation<Bool, Never>)

    func wake(_ isIn: Bool) {
      switch self {
      case .thread(let semaphore): semaphore.signal()
      case .task(let continuation): continuation.resume(returning: isIn)
      }
    }
  }

  private struct State {
    var isHeld = false
    var next = 0
    var waiting: [(number: Int, waiter: Waiter)] = []
    /// Tasks that were cancelled, perhaps before they waited.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  /// Waits on the caller's thread.
  func enter() {
    let semaphore = DispatchSemaphore(value: 0)
    let isIn = state.withLock { state in
      if state.isHeld { state.waiting.append((-1, .thread(semaphore))) }
      defer { state.isHeld = true }
      return !state.isHeld
    }
    if !isIn { semaphore.wait() }
  }

  /// Waits without blocking a thread.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile.
  func enter(isolation: isolated (any Actor)? = #isolation) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    defer { _ = state.withLock { $0.cancelled.remove(number) } }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let isIn = state.withLock { state -> Bool? in
          if state.cancelled.contains(number) { return false }
          if state.isHeld {
            state.waiting.append((number, .task(continuation)))
            return nil
          }
          state.isHeld = true
          return true
        }
        if let isIn { continuation.resume(returning: isIn) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        state.cancelled.insert(number)
        guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
        return state.waiting.remove(at: index).waiter
      }
      waiter?.wake(false)
    }
    if !isIn { throw CancellationError() }
  }

  /// Lets the next one in.
  func leave() {
    let next = state.withLock { state -> Waiter? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst().waiter }
      state.isHeld = false
      return nil
    }
    next?.wake(true)
  }
}

import Dispatch
import Synchronization

/// One run of a follower's `catchUp` (a turn), which identifies calls from the follower's own code.
package final class FollowerTurn: Sendable {
  /// The turn of the running code, in its task and in the tasks that it starts.
  @TaskLocal package static var current: FollowerTurn?

  private struct State {
    /// The positions of the events being handled, or `nil` between two calls of the code.
    var events: [Position]?
    /// The position where the code threw, or `nil`.
    var failure: Position?
    /// True if the code skipped the event at which it threw.
    var hasPassed = false
    var isOver = false
  }

  private let follower: ObjectIdentifier
  /// The turn of another follower, whose code called `catchUp` of this follower.
  private let outer: FollowerTurn?
  /// The event at which the code threw in earlier attempts, and the number of consecutive failures.
  let failures: (position: Position, count: Int)?
  private let state = Mutex(State())

  package init(_ follower: AnyObject, failures: (position: Position, count: Int)?) {
    // Skip finished turns. Otherwise, if every task starts the next task, the tasks would build a growing chain of
    // turns.
    var outer = Self.current
    while let one = outer, one.state.withLock({ $0.isOver }) { outer = one.outer }
    self.follower = ObjectIdentifier(follower)
    self.outer = outer
    self.failures = failures
  }

  /// Returns the turn of the follower whose own code makes this call, or `nil` for other callers.
  package static func inside(_ follower: AnyObject) -> FollowerTurn? {
    var turn = current
    while let one = turn {
      // A task that outlives the turn counts as an ordinary caller.
      if one.follower == ObjectIdentifier(follower), !one.state.withLock({ $0.isOver }) { return one }
      turn = one.outer
    }
    return nil
  }

  /// Runs a follower's code for some events.
  ///
  /// If the events are parts of one stored event, this event is the cause of the code's commands. Several stored events
  /// have no single cause, so a command in the code of a batch gets none.
  package func run<E: Event>(for events: [Recorded<E>], _ body: () throws -> Void) rethrows {
    try Self.$current.withValue(self) {
      try Metadata.$cause.withValue(Self.cause(events), operation: body)
    }
  }

  /// Runs a follower's asynchronous code for some events.
  package func run<E: Event>(
    for events: [Recorded<E>], isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows {
    try await Self.$current.withValue(self) {
      try await Metadata.$cause.withValue(Self.cause(events), operation: body)
    }
  }

  private static func cause<E: Event>(_ events: [Recorded<E>]) -> Metadata? {
    guard let first = events.first, first.position == events.last?.position else { return nil }
    return .caused(by: first)
  }

  var events: [Position]? { state.withLock { $0.events } }
  var failure: Position? { state.withLock { $0.failure } }

  func begin(_ events: [Position]) { state.withLock { $0.events = events } }
  func end() { state.withLock { $0.events = nil } }
  func fail(at position: Position) { state.withLock { $0.failure = position } }
  var hasPassed: Bool { state.withLock { $0.hasPassed } }
  func pass() { state.withLock { $0.hasPassed = true } }
  package func finish() { state.withLock { $0.isOver = true } }

  /// Returns the number of this attempt for an event.
  func attempt(at position: Position) -> Int {
    failures.map { $0.position == position ? $0.count + 1 : 1 } ?? 1
  }
}

/// A gate that admits one thread or task at a time, in the order of arrival.
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
    /// The cancelled tasks, including tasks that might not have started to wait.
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
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
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

  /// Admits the next caller.
  func leave() {
    let next = state.withLock { state -> Waiter? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst().waiter }
      state.isHeld = false
      return nil
    }
    next?.wake(true)
  }
}

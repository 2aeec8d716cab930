import Synchronization

/// The changes of a controller's list, one after the other, for a reader that may be slow.
///
/// A slow reader gets what it missed as one exact change: the list before is always the list after
/// the last one it got. The sequence ends with its controller. Each has one reader; ask the controller for another.
///
///     for await changes in controller.changes { print(changes.new.rows.count) }
public struct ChangeSequence<Row: Annals.Row>: AsyncSequence, Sendable {
  /// A change of the list.
  public typealias Element = Changes<Row>
  /// Nothing is thrown; see ``FetchedResultsController/failure``.
  public typealias Failure = Never

  /// Waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: ChangeSubscription<Row>
    private var wakes: AsyncStream<Void>.Iterator

    init(_ subscription: ChangeSubscription<Row>) {
      self.subscription = subscription
      wakes = subscription.wakes.makeAsyncIterator()
    }

    /// Waits until the list has changed.
    ///
    /// - Parameter isolation: The caller's isolation.
    /// - Returns: What changed since the last call, or nil once the controller is gone or the task is cancelled.
    public mutating func next(isolation: isolated (any Actor)?) async -> Changes<Row>? {
      while true {
        if let changes = subscription.take() { return changes }
        if await wakes.next(isolation: isolation) == nil { return subscription.take() }
      }
    }

    /// Waits until the list has changed.
    ///
    /// - Returns: What changed since the last call, or nil once the controller is gone or the task is cancelled.
    public mutating func next() async -> Changes<Row>? {
      await next(isolation: nil)
    }
  }

  let subscription: ChangeSubscription<Row>

  /// Makes the reader.
  ///
  /// - Returns: The reader.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }
}

/// What a reader has not read yet.
final class ChangeSubscription<Row: Annals.Row>: Sendable {
  private struct State {
    /// The list that the reader knows.
    var known: Results<Row>
    /// The list as it is since then, and why.
    var pending: (list: Results<Row>, cause: ChangeCause)?
    /// How many changes were added, ever.
    var number = 0
  }

  private let state: Mutex<State>
  /// Yields at least once after each change.
  let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init(knowing list: Results<Row>) {
    state = Mutex(State(known: list))
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func add(_ changes: Changes<Row>) {
    state.withLock { state in
      state.pending = (changes.new, (state.pending?.cause ?? []).union(changes.cause))
      state.number += 1
    }
    waker.yield()
  }

  func finish() { waker.finish() }

  /// Goes on with an equal list in the place of one that is known.
  func replace(_ list: Results<Row>, by equal: Results<Row>) {
    state.withLock { state in
      if state.known.storage === list.storage { state.known = equal }
      if let pending = state.pending, pending.list.storage === list.storage { state.pending = (equal, pending.cause) }
    }
  }

  /// Everything since the last call as one change; nil, and nothing is lost, if it comes to nothing.
  func take() -> Changes<Row>? {
    let seen = state.withLock { $0 }
    guard let pending = seen.pending else { return nil }
    // The difference is found without the lock: a delivery must not wait for a reader.
    let changes = Changes(
      from: seen.known, to: pending.list,
      cause: pending.cause.leading(from: seen.known.position, to: pending.list.position))
    if changes.isEmpty { return nil }
    state.withLock { state in
      state.known = pending.list
      // What came meanwhile begins where this ends.
      if state.number == seen.number { state.pending = nil }
    }
    return changes
  }
}

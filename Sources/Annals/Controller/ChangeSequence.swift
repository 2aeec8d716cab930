import Synchronization

/// An asynchronous sequence that delivers the changes to a controller's list, in order.
///
/// If the list changes several times before you read the next element, that element combines all these changes. So the
/// old list of every element (``Changes/old``) is the new list of the previous element. The sequence finishes when its
/// controller is deinitialized. A sequence supports a single reader, so create a sequence for every reader.
///
///     for await changes in controller.changes { print(changes.new.rows.count) }
public struct ChangeSequence<Row: Annals.Row>: AsyncSequence, Sendable {
  /// The changes between two states of the list.
  public typealias Element = Changes<Row>
  /// `Never`, because the sequence doesn't throw errors.
  ///
  /// If the list can't be updated, ``FetchedResultsController/failure`` contains the error.
  public typealias Failure = Never

  /// An iterator that waits for changes to the list.
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
    /// - Returns: The changes since the previous call, or `nil` once the controller is deinitialized or the task is
    ///   cancelled. The first call returns the changes since the sequence was created.
    public mutating func next(isolation: isolated (any Actor)?) async -> Changes<Row>? {
      while true {
        if let changes = subscription.take() { return changes }
        if await wakes.next(isolation: isolation) == nil { return subscription.take() }
      }
    }

    /// Waits until the list has changed.
    ///
    /// - Returns: The changes since the previous call, or `nil` once the controller is deinitialized or the task is
    ///   cancelled. The first call returns the changes since the sequence was created.
    public mutating func next() async -> Changes<Row>? {
      await next(isolation: nil)
    }
  }

  let subscription: ChangeSubscription<Row>

  /// Creates an iterator for the sequence's only reader.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }
}

/// The changes that a reader has not received yet.
final class ChangeSubscription<Row: Annals.Row>: Sendable {
  private struct State {
    /// The last list that the reader received.
    var known: Results<Row>
    /// The latest list and the reasons for its changes.
    var pending: (list: Results<Row>, cause: ChangeCause)?
    /// The number of changes added so far.
    var number = 0
  }

  private let state: Mutex<State>
  /// A stream that yields at least once after every change.
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

  /// Replaces a list that the reader knows by an equal list.
  func replace(_ list: Results<Row>, by equal: Results<Row>) {
    state.withLock { state in
      if state.known.storage === list.storage { state.known = equal }
      if let pending = state.pending, pending.list.storage === list.storage { state.pending = (equal, pending.cause) }
    }
  }

  /// Returns all changes since the last call as one change, or `nil` if they cancel out.
  ///
  /// Changes that cancel out remain pending.
  func take() -> Changes<Row>? {
    let seen = state.withLock { $0 }
    guard let pending = seen.pending else { return nil }
    // The difference is computed without the lock, because a delivery must not wait for a reader.
    let changes = Changes(
      from: seen.known, to: pending.list,
      cause: pending.cause.leading(from: seen.known.position, to: pending.list.position))
    if changes.isEmpty { return nil }
    state.withLock { state in
      state.known = pending.list
      // If changes were added in the meantime, keep them. They begin with the list at the end of this change.
      if state.number == seen.number { state.pending = nil }
    }
    return changes
  }
}

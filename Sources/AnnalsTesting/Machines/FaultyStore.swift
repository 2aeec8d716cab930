public import Annals
import AnnalsLog
import Synchronization

/// A store that wraps another store and makes its calls fail on request.
///
/// Use ``check(on:ways:steps:fileID:line:start:answer:)`` to test every call of a program. You can also inject a single
/// fault:
///
///     let store = FaultyStore(MemoryEventStore())
///     store.fail(StoreFault(.append, number: 1, way: .answerLost))
///
/// Calls are numbered from 1, and the numbering restarts at every call to ``fail(_:)``. Commits, calls to the log
/// during a read, and calls to capabilities such as ``checkpoints`` all count.
public final class FaultyStore: ForwardingEventStore {
  private struct State {
    var calls: FaultedCalls
    var isPaused = false
    /// The appends that returned a receipt.
    var answered: [(append: Append, receipt: Receipt)] = []
  }

  /// The wrapped store.
  public let wrapped: any EventStore
  private let state = Mutex(State(calls: FaultedCalls()))
  /// Whether failures aren't reported, because a check causes them.
  private let isQuiet: Bool

  /// Creates a store that wraps another store, without a fault.
  ///
  /// - Parameter store: The store to wrap.
  public convenience init(_ store: any EventStore) { self.init(store, isQuiet: false) }

  /// Creates a store whose lists and followers can be prevented from reporting their failures.
  init(_ store: any EventStore, isQuiet: Bool) {
    wrapped = store
    self.isQuiet = isQuiet
  }

  /// The wrapped store's environment.
  public var environment: StoreEnvironment {
    var environment = wrapped.environment
    if isQuiet { environment.report = { _ in } }
    return environment
  }

  /// The wrapped store's checkpoint storage, with injected failures.
  public var checkpoints: (any CheckpointStore)? {
    wrapped.checkpoints.map { FaultyCheckpoints(store: $0, calls: self) }
  }
  /// The wrapped store's snapshot storage, with injected failures.
  public var snapshots: (any SnapshotStore)? { wrapped.snapshots.map { FaultySnapshots(store: $0, calls: self) } }
  /// The wrapped store's draft storage, with injected failures.
  public var drafts: (any DraftStore)? { wrapped.drafts.map { FaultyDrafts(store: $0, calls: self) } }
  /// The wrapped store's storage for saved lists, with injected failures.
  public var savedLists: (any SavedListStore)? { wrapped.savedLists.map { FaultySavedLists(store: $0, calls: self) } }
  /// The wrapped store's interface for erasing, with injected failures.
  public var erasing: (any ErasingStore)? { wrapped.erasing.map { FaultyErasing(store: $0, calls: self) } }
  /// The wrapped store's interface for compacting, with injected failures.
  public var compacting: (any CompactingStore)? { wrapped.compacting.map { FaultyCompacting(store: $0, calls: self) } }
  /// `nil`, so that every append is a separate call to ``commit(_:)``, which can fail.
  public var grouping: (any GroupingStore)? { nil }

  /// Restarts the numbering of calls, and sets the fault to inject.
  ///
  /// - Parameter fault: The call that fails and the way it fails, or `nil` for no fault.
  public func fail(_ fault: StoreFault?) { state.withLock { $0 = State(calls: FaultedCalls(fault: fault)) } }

  /// Removes the fault, so that the store's calls no longer fail.
  public func mend() { state.withLock { $0.calls.fault = nil } }

  /// The calls since the last call to ``fail(_:)``, in order.
  public var calls: [StoreFault.Call] { state.withLock { $0.calls.all } }

  /// The number of calls that have failed since the last call to ``fail(_:)``.
  public var failed: Int { state.withLock { $0.calls.failed } }

  /// The appends that have returned a receipt since ``fail(_:)``.
  var answered: [(append: Append, receipt: Receipt)] { state.withLock { $0.answered } }

  /// Runs a body whose calls aren't counted and don't fail.
  func paused<T>(_ body: () throws -> T) rethrows -> T {
    state.withLock { $0.isPaused = true }
    defer { state.withLock { $0.isPaused = false } }
    return try body()
  }

  /// Commits to the wrapped store.
  ///
  /// - Parameter append: The events and conditions to commit.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: Any error from the wrapped store, or the injected error.
  public func commit(_ append: Append) throws -> Receipt {
    let receipt = try pass(.append) { try wrapped.commit(append) }
    state.withLock { $0.answered.append((append, receipt)) }
    return receipt
  }

  /// Reads from the wrapped store.
  ///
  /// - Parameter body: A function that reads from the log. The log's methods can throw the injected error.
  /// - Returns: The result of the body.
  /// - Throws: Any error from the wrapped store or the body, or the injected error.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try wrapped.read { try body(FaultyLog(wrapped: $0, calls: self)) }
  }

  /// Performs a call, or throws the error of the fault.
  func pass<T>(_ call: StoreFault.Call, _ work: () throws -> T) throws -> T {
    let way = state.withLock { $0.isPaused ? nil : $0.calls.pass(call) }
    let name = call.phrase
    switch way {
    case nil: return try work()
    case .notDone: throw EventStoreError(.io, "a FaultyStore made \(name) fail before the call had any effect")
    case .busy:
      throw EventStoreError(
        .busy, "a FaultyStore made \(name) fail before the call had any effect, as if another process held the log")
    case .answerLost:
      _ = try work()
      throw EventStoreError(.io, "the result of \(name) is lost because of a FaultyStore")
    }
  }
}

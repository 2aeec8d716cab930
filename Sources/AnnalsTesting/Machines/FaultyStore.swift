public import Annals
import Synchronization

/// A store between an app and its store, whose calls can be made to fail.
///
/// ``check(on:ways:steps:fileID:line:start:answer:)`` tries each call of a program. By hand you begin a fault yourself:
///
///     let store = FaultyStore(MemoryEventStore())
///     store.fail(StoreFault(.append, number: 1, way: .answerLost))
///
/// Calls are counted from there on: each commit, each answer of the log that a read asks for, and each call of a
/// capability.
public final class FaultyStore: EventStore {
  private struct State {
    var calls: [StoreFault.Call] = []
    var fault: StoreFault?
    var failed = 0
    var isPaused = false
    /// The appends that were answered.
    var answered: [(append: Append, receipt: Receipt)] = []
  }

  let store: any EventStore
  private let state = Mutex(State())

  /// Creates a store in front of another; no call fails yet.
  ///
  /// - Parameter store: The store.
  public init(_ store: any EventStore) { self.store = store }

  /// The other store's source.
  public var source: String { store.source }
  /// The other store's environment.
  public var environment: StoreEnvironment { store.environment }
  /// The other store's signal.
  public var signal: CommitSignal { store.signal }
  /// The other store's checkpoints, whose calls may fail.
  public var checkpoints: (any CheckpointStore)? { store.checkpoints.map { FaultyCheckpoints(store: $0, calls: self) } }
  /// The other store's states, whose calls may fail.
  public var snapshots: (any SnapshotStore)? { store.snapshots.map { FaultySnapshots(store: $0, calls: self) } }
  /// The other store's drafts, whose calls may fail.
  public var drafts: (any DraftStore)? { store.drafts.map { FaultyDrafts(store: $0, calls: self) } }
  /// The other store's lists, whose calls may fail.
  public var savedLists: (any SavedListStore)? { store.savedLists.map { FaultySavedLists(store: $0, calls: self) } }
  /// The other store's lists in its appends.
  public var inlineLists: (any InlineListStore)? { store.inlineLists }
  /// The other store's erasures, which may fail.
  public var erasing: (any ErasingStore)? { store.erasing.map { FaultyErasing(store: $0, calls: self) } }
  /// The other store's compactions, which may fail.
  public var compacting: (any CompactingStore)? { store.compacting.map { FaultyCompacting(store: $0, calls: self) } }
  /// The other store's other writers.
  public var otherWriters: (any OtherWriters)? { store.otherWriters }

  /// Begins to count calls, and lets one fail.
  ///
  /// - Parameter fault: Which call fails, and how; nil for none.
  public func fail(_ fault: StoreFault?) { state.withLock { $0 = State(fault: fault) } }

  /// Lets no call fail any more.
  public func mend() { state.withLock { $0.fault = nil } }

  /// The calls since ``fail(_:)``.
  public var calls: [StoreFault.Call] { state.withLock { $0.calls } }

  /// How many calls failed since ``fail(_:)``.
  public var failed: Int { state.withLock { $0.failed } }

  /// The appends that were answered since ``fail(_:)``.
  var answered: [(append: Append, receipt: Receipt)] { state.withLock { $0.answered } }

  /// Runs a body whose calls are not counted, and do not fail.
  func paused<T>(_ body: () throws -> T) rethrows -> T {
    state.withLock { $0.isPaused = true }
    defer { state.withLock { $0.isPaused = false } }
    return try body()
  }

  /// Commits to the other store.
  ///
  /// - Parameter append: What to commit.
  /// - Returns: Where the events went.
  /// - Throws: What the other store throws, and the error of a call that fails.
  public func commit(_ append: Append) throws -> Receipt {
    let receipt = try pass(.append) { try store.commit(append) }
    state.withLock { $0.answered.append((append, receipt)) }
    return receipt
  }

  /// Reads from the other store.
  ///
  /// - Parameter body: Reads from the log; each answer may fail.
  /// - Returns: What the body returned.
  /// - Throws: What the other store or the body throws, and the error of a call that fails.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try store.read { try body(FaultyLog(log: $0, calls: self)) }
  }

  /// Does the work of a call, or fails.
  func pass<T>(_ call: StoreFault.Call, _ work: () throws -> T) throws -> T {
    let way = state.withLock { state -> StoreFault.Way? in
      if state.isPaused { return nil }
      state.calls.append(call)
      guard let fault = state.fault, state.calls.count >= fault.number else { return nil }
      guard state.failed == 0 ? call == fault.call : fault.lasts else { return nil }
      state.failed += 1
      return fault.way
    }
    let name = "\("ae".contains(call.rawValue.prefix(1)) ? "an" : "a") \(call.rawValue)"
    switch way {
    case nil: return try work()
    case .notDone: throw EventStoreError(.io, "\(name) fails, as a FaultyStore was asked to; nothing was done")
    case .busy:
      throw EventStoreError(
        .busy, "\(name) fails, as a FaultyStore was asked to: another process has the log; nothing was done")
    case .answerLost:
      _ = try work()
      throw EventStoreError(.io, "the answer of \(name) is lost, as a FaultyStore was asked to")
    }
  }
}

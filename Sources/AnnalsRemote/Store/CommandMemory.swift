package import AnnalsLog
import Synchronization

/// An object in which a remote store keeps cached decider states, and one command queue per stream.
///
/// A custom ``RemoteEventStore`` creates one such object, and always returns this object from
/// ``RemoteEventStore/commands``. The library uses the object to execute commands.
public final class CommandMemory: Sendable {
  private struct Turns {
    /// The waiting callers of the keys that are in use.
    ///
    /// A key without an entry isn't in use.
    var waiting: [WorkLanes.Key: [CheckedContinuation<Void, Never>]] = [:]
    /// The log's revision at the last read.
    var revision: LogRevision?
  }

  /// The runtime that holds the decider states and wakes subscriptions.
  package let runtime = StoreRuntime()
  /// The running calls, whose end a store can await before it closes.
  package let calls = OpenCalls()
  /// The running check of the server.
  package let health = HealthCheck()
  private let turns = Mutex(Turns())

  /// Creates an object without any cached states.
  public init() {}

  /// The log's revision at the last read, or `nil` before the first read.
  package var revision: LogRevision? {
    get { turns.withLock { $0.revision } }
    set { turns.withLock { $0.revision = newValue } }
  }

  /// Wakes the store's subscriptions, so that they check for new events.
  ///
  /// A custom store can call this method when its server reports that new events might exist.
  public func announce() { runtime.announceOthers() }

  /// Runs a closure while no other closure for the same key is running.
  ///
  /// The closures of a key run in the order of the calls. Without a key, the closure runs immediately.
  package func inTurn<T>(
    of key: WorkLanes.Key?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
  ) async throws -> T {
    guard let key else { return try await body() }
    await withCheckedContinuation { continuation in
      let isFree = turns.withLock { turns in
        if turns.waiting[key] == nil {
          turns.waiting[key] = []
          return true
        }
        turns.waiting[key]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    defer { leave(key) }
    try Task.checkCancellation()
    return try await body()
  }

  private func leave(_ key: WorkLanes.Key) {
    let next = turns.withLock { turns -> CheckedContinuation<Void, Never>? in
      guard var waiting = turns.waiting[key], !waiting.isEmpty else {
        turns.waiting[key] = nil
        return nil
      }
      let next = waiting.removeFirst()
      turns.waiting[key] = waiting
      return next
    }
    next?.resume()
  }
}

extension RemoteEventStore {
  /// Records the log's revision at a read, and keeps only the cached states whose events haven't changed.
  package func learn(_ revision: LogRevision) async {
    guard let known = commands.revision, known != revision else { return commands.revision = revision }
    var unchanged: Position = 0
    if known.compacted == revision.compacted, known.rebases == revision.rebases, known.erasures < revision.erasures,
      // If the erasures can't be read, all states are rebuilt from the start.
      let erasures = try? await erasures(after: known.erasures, through: revision.erasures),
      let first = erasures.map(\.first).min()
    {
      unchanged = Position(first.rawValue - 1)
    }
    commands.runtime.states.carry(from: known, to: revision, through: unchanged)
    commands.revision = revision
  }
}

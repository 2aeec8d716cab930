import Synchronization

/// What commands on a remote store keep on this side: states of deciders, and who has the turn on a stream.
///
/// A store makes one and answers it with ``RemoteEventStore/commands``. It does nothing else with it.
public final class CommandMemory: Sendable {
  private struct Turns {
    /// Who waits for the turn of each key that is taken.
    var waiting: [WorkLanes.Key: [CheckedContinuation<Void, Never>]] = [:]
    /// The log's revision as it was read last.
    var revision: LogRevision?
  }

  /// Keeps the states of deciders, and wakes subscriptions.
  let signal = CommitSignal()
  private let turns = Mutex(Turns())
  private let viewer = Mutex<(any EventStore)?>(nil)

  /// Creates a memory without states.
  public init() {}

  /// The log's revision as it was read last; nil before anything was read.
  var revision: LogRevision? {
    get { turns.withLock { $0.revision } }
    set { turns.withLock { $0.revision = newValue } }
  }

  /// What the states are kept for: one object for each store.
  func viewer(_ make: () -> any EventStore) -> any EventStore {
    viewer.withLock { viewer in
      let known = viewer ?? make()
      viewer = known
      return known
    }
  }

  /// Wakes the subscriptions of the store: there may be new events.
  public func announce() { signal.announceOthers() }

  /// Runs a body while no other has the turn of a key, in the order of the calls.
  func inTurn<T>(
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
  /// Takes note of the revision that was read: of the states in memory those stay that an erasure did not change.
  func learn(_ revision: LogRevision) async {
    guard let known = commands.revision, known != revision else { return commands.revision = revision }
    var unchanged: Position = 0
    if known.compacted == revision.compacted, known.rebases == revision.rebases, known.erasures < revision.erasures,
      // Without an answer all states are folded again.
      let erasures = try? await erasures(after: known.erasures, through: revision.erasures),
      let first = erasures.map(\.first).min()
    {
      unchanged = Position(first.rawValue - 1)
    }
    commands.signal.states.carry(from: known, to: revision, through: unchanged)
    commands.revision = revision
  }
}

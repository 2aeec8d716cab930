package import AnnalsLog
import Synchronization

/// An object in which a remote store keeps cached decider states, and one command queue per stream.
///
/// A custom ``RemoteEventStore`` creates one such object, and always returns this object from
/// ``RemoteEventStore/commands``. The library uses the object to execute commands.
public final class CommandMemory: Sendable {
  /// A command that waits for its turn, or for the commit of its group.
  struct Waiter {
    /// The command's number in its queue.
    let number: Int
    let continuation: CheckedContinuation<Wake, Never>
    /// The end of the command's last attempt.
    var conflict: CommitConflict?
  }

  /// The end of a wait.
  enum Wake {
    /// The command has the turn, and its last append was refused because of a conflict, if any.
    case turn(after: CommitConflict?)
    case ended(Result<Receipt, any Error>)
  }

  private struct Queue {
    var waiting: [Waiter] = []
    var lastNumber = 0
    /// The group for the command that has the turn.
    var group: CommandGroup?
  }

  private struct Turns {
    /// The queues of the keys that are in use.
    var queues: [WorkLanes.Key: Queue] = [:]
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
    _ = await begin(key)
    defer { pass(key) }
    try Task.checkCancellation()
    return try await body()
  }

  /// Waits for the turn.
  ///
  /// - Parameter key: The key.
  /// - Returns: The caller's number in the queue, and the group of the previous commands.
  func begin(_ key: WorkLanes.Key) async -> (number: Int, group: CommandGroup?) {
    var number = 0
    _ = await withCheckedContinuation { continuation in
      let isFree = turns.withLock { turns in
        let isFree = turns.queues[key] == nil
        turns.queues[key, default: Queue()].lastNumber += 1
        number = turns.queues[key]?.lastNumber ?? 0
        if !isFree { turns.queues[key]?.waiting.append(Waiter(number: number, continuation: continuation)) }
        return isFree
      }
      if isFree { continuation.resume(returning: .turn(after: nil)) }
    }
    return (number, group(key))
  }

  /// True if other callers wait for the turn.
  func hasWaiting(_ key: WorkLanes.Key) -> Bool { turns.withLock { $0.queues[key]?.waiting.isEmpty == false } }

  /// The number of the last caller that waits or has the turn.
  package func lastNumber(_ key: WorkLanes.Key) -> Int { turns.withLock { $0.queues[key]?.lastNumber ?? 0 } }

  /// The group for the caller that has the turn.
  func group(_ key: WorkLanes.Key) -> CommandGroup? { turns.withLock { $0.queues[key]?.group } }

  /// Passes the turn to the next caller, or commits a group.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - group: A group for the next caller, or nil.
  ///   - store: The store that commits the group, or nil without a group.
  func pass(_ key: WorkLanes.Key, _ group: CommandGroup? = nil, to store: (any RemoteGroupingStore)? = nil) {
    let next: Waiter? = turns.withLock { turns in
      let isOver = turns.queues[key]?.waiting.isEmpty != false
      let isDue = group.map { !$0.isEmpty && (isOver || $0.isFull) } ?? false
      turns.queues[key]?.group = isDue ? nil : group
      if !isDue {
        if !isOver { return turns.queues[key]?.waiting.removeFirst() }
        turns.queues[key] = nil
      }
      return nil
    }
    if let next { return next.continuation.resume(returning: .turn(after: next.conflict)) }
    if let group, let store, !group.isEmpty { commit(group, key, to: store) }
  }

  /// Commits a group in a separate task, so that the cancellation of one command doesn't affect the other commands.
  private func commit(_ group: CommandGroup, _ key: WorkLanes.Key, to store: any RemoteGroupingStore) {
    Task {
      var again: [Waiter] = []
      for (waiter, wake) in await group.commit(to: store) {
        switch wake {
        // Callers that continue before the turn passes on can share the next commit.
        case .ended: waiter.continuation.resume(returning: wake)
        case .turn(let conflict):
          again.append(Waiter(number: waiter.number, continuation: waiter.continuation, conflict: conflict))
        }
      }
      turns.withLock { $0.queues[key]?.waiting.insert(contentsOf: again, at: 0) }
      pass(key)
    }
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

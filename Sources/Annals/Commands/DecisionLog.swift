package import AnnalsLog

/// The log on which a transaction decides its commands, with the memory for the decider states.
///
/// For a local store, every read returns the log's current events. For a remote store, the log contains only the events
/// that were already read.
package final class DecisionLog {
  let log: any EventLog
  package let environment: StoreEnvironment
  let runtime: StoreRuntime
  /// The object under which the decider states are kept in memory.
  let owner: any StateOwner
  /// The store, if it keeps commands in addition to their events.
  let keeper: (any CommandKeeper)?
  /// The store, or nil if the log is already a consistent view.
  private let store: (any EventStore)?
  /// The log that the keeper's log is based on.
  private(set) lazy var base = keeper.map { DecisionLog($0.base) }

  /// Creates the log of a local store.
  init(_ store: any EventStore) {
    self.store = store
    log = store
    environment = store.environment
    runtime = store.runtime
    keeper = store as? any CommandKeeper
    owner = keeper?.stateOwner ?? store
  }

  /// Creates a log that is a consistent view of a remote store.
  ///
  /// - Parameters:
  ///   - view: The view.
  ///   - environment: The remote store's environment.
  ///   - runtime: The runtime that keeps the decider states.
  ///   - owner: The object under which the decider states are kept in memory.
  package init(
    _ view: any EventLog, environment: StoreEnvironment, runtime: StoreRuntime, owner: any StateOwner
  ) {
    store = nil
    log = view
    self.environment = environment
    self.runtime = runtime
    keeper = nil
    self.owner = owner
  }

  /// The storage for saved states, or nil if the store doesn't save states.
  var snapshots: (any SnapshotStore)? { store?.snapshots }

  /// Calls a closure with a consistent view of the log.
  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try store?.read(body) ?? body(log) }

  /// Returns whether the log, at a revision, still contains the events of a place that was recorded at an earlier
  /// revision.
  ///
  /// If the log already has an even later revision, the result is false, because the given revision can no longer be
  /// checked.
  func stillHas(_ place: StateVersion, in revision: LogRevision) throws -> Bool {
    try read { try $0.revision() == revision && $0.unchanged(since: place.revision) >= place.position }
  }
}

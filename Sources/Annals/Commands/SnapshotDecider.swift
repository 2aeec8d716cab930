/// A decider whose state is saved regularly, so that the first command after a launch doesn't need to replay all
/// events.
///
/// A store keeps recently used states of all deciders in memory (``StoreEnvironment/stateBudget``). For a snapshot
/// decider, the store also saves the states of streams and boundaries along with the events.
///
///     struct Ledger: SnapshotDecider {
///       var balance = 0
///       …
///     }
///
/// A saved state contains only information that is also in the events, so you can delete saved states at any time
/// (``EventStore/deleteSnapshots()``). If a saved state is missing or damaged, all events of the stream or boundary are
/// replayed. All events are also replayed if one of these properties has changed since the state was saved:
///
/// - the stream or the boundary, or the decider's type
/// - ``stateVersion``
/// - the events' schema or upcasters
/// - the name or type of a stored property of the state
///
/// The store can't detect a change in the code of `evolve`. If you change `evolve` so that it produces a different
/// state from the same events, increase ``stateVersion``. Otherwise, decisions are based on states that the old code
/// produced. In tests, `ensureKept(_:in:)` of `AnnalsTesting` detects such a change. You can also find the outdated
/// states in an existing log: build a command-line tool for your app with `ReplayTool` of `AnnalsReplay`, and run the
/// tool's `verify` subcommand.
///
/// A state is saved only if decoding its encoded form results in an equal state. The store checks this before every
/// save. The check also works for sets and dictionaries, although their order varies. If a state can't be saved,
/// ``EventStore/cacheReport(of:)`` contains the reason. For example, the state may contain a number that JSON can't
/// represent, such as NaN. Custom `Codable` code may also omit a value, or write a set's elements in varying order. The
/// store retries the save after ``snapshotInterval`` more events.
public protocol SnapshotDecider: Decider, Codable {
  /// The version number of the code that builds the state, by default 1.
  ///
  /// Increase it when `evolve` produces a different state from the same events, for example after a bug fix. Saved
  /// states with a different number aren't used.
  static var stateVersion: Int { get }

  /// The number of new events after which a state is saved, by default 256.
  static var snapshotInterval: Int { get }
}

extension SnapshotDecider {
  /// The default version, which is 1.
  public static var stateVersion: Int { 1 }

  /// The default number of new events after which a state is saved, which is 256.
  ///
  /// Applying 256 events takes about as long as writing one state.
  public static var snapshotInterval: Int { 256 }
}

extension EventStore {
  /// Deletes the saved states of all deciders, so that the states are rebuilt from the events when they're needed.
  ///
  /// - Throws: ``EventStoreError`` (`.unsupported` if the store doesn't save states).
  public func deleteSnapshots() throws {
    guard let snapshots else { throw EventStoreError.unsupported("snapshots", by: Self.self) }
    try snapshots.deleteSnapshots()
  }
}

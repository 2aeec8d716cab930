/// A decider whose state is saved regularly, so that the first command after a launch doesn't need to replay all
/// events.
///
/// A store keeps the states of all deciders in memory (``StoreEnvironment/stateBudget``). For a snapshot decider, the
/// store also saves the states of streams and boundaries along with the events.
///
///     struct Ledger: SnapshotDecider {
///       var balance = 0
///       …
///     }
///
/// A kept state contains only information that is also in the events. Its key consists of the stream or the boundary,
/// the decider's type, ``stateVersion``, the events' schema and upcasters, and the properties of the state. If one of
/// these has changed since the state was kept, or if the state is missing or damaged, all events are replayed. You can
/// delete kept states at any time (``EventStore/deleteSnapshots()``).
///
/// The code of `evolve` can't be compared. If you change `evolve` so that it produces a different state from the same
/// events, increase ``stateVersion``. Otherwise commands are decided on states that the former code produced. In tests,
/// `ensureKept(_:in:)` of `AnnalsTesting` detects such a change. In a log, `verify` of a command-line tool that you
/// build for your app finds them.
///
/// A state is kept only if decoding its encoded form results in an equal state. The store checks this for every state,
/// including states with sets and dictionaries. If a state can't be kept, ``EventStore/snapshotReport(of:)`` contains
/// the reason. For example, the state contains a number that JSON can't represent, such as NaN, or custom `Codable`
/// code omits a value or encodes the elements of a set. The store tries to keep the state again after
/// ``snapshotInterval`` more events.
public protocol SnapshotDecider: Decider, Codable {
  /// The version number of the state's code, by default 1.
  ///
  /// Increase it when `evolve` produces a different state from the same events, for example after a bug fix. Kept
  /// states with a different number aren't used.
  static var stateVersion: Int { get }

  /// The number of events to apply before the state is kept, by default 256.
  static var snapshotInterval: Int { get }
}

extension SnapshotDecider {
  /// The first version.
  public static var stateVersion: Int { 1 }

  /// The default of 256 events, which take about as long to apply as a state takes to write.
  public static var snapshotInterval: Int { 256 }
}

extension EventStore {
  /// Deletes the kept states of all deciders, which are then rebuilt from the events.
  ///
  /// - Throws: ``EventStoreError`` (`.unsupported` if the store keeps no states).
  public func deleteSnapshots() throws {
    guard let snapshots else { throw EventStoreError.unsupported("snapshots", by: Self.self) }
    try snapshots.deleteSnapshots()
  }
}

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
/// A saved state contains only information that is also in the events. Its key consists of the stream or the boundary,
/// the decider's type, ``stateVersion``, the events' schema and upcasters, and the names and types of the state's
/// stored properties. If one of these has changed since the state was saved, or if the state is missing or damaged, all
/// events are replayed. You can delete saved states at any time (``EventStore/deleteSnapshots()``).
///
/// The store can't detect a change in the code of `evolve`. If you change `evolve` so that it produces a different
/// state from the same events, increase ``stateVersion``. Otherwise, commands are decided using states that the old
/// code produced. In tests, `ensureKept(_:in:)` of `AnnalsTesting` detects such a change. In an existing log, the
/// `verify` command of a command-line tool that you build for your app finds states that such a change affects.
///
/// A state is saved only if decoding its encoded form results in an equal state. The store checks this for every state,
/// including states with sets and dictionaries. If a state can't be saved, ``EventStore/snapshotReport(of:)`` contains
/// the reason. For example, the state contains a number that JSON can't represent, such as NaN. Another example is
/// custom `Codable` code that omits a value, or writes a set's elements in an order that varies. The store tries to
/// save the state again after ``snapshotInterval`` more events.
public protocol SnapshotDecider: Decider, Codable {
  /// The version number of the state's code, by default 1.
  ///
  /// Increase it when `evolve` produces a different state from the same events, for example after a bug fix. Saved
  /// states with a different number aren't used.
  static var stateVersion: Int { get }

  /// The number of events to apply before the state is saved, by default 256.
  static var snapshotInterval: Int { get }
}

extension SnapshotDecider {
  /// The default version, which is 1.
  public static var stateVersion: Int { 1 }

  /// The default of 256 events, which take about as long to apply as a state takes to write.
  public static var snapshotInterval: Int { 256 }
}

extension EventStore {
  /// Deletes the saved states of all deciders, which are then rebuilt from the events.
  ///
  /// - Throws: ``EventStoreError`` (`.unsupported` if the store doesn't save states).
  public func deleteSnapshots() throws {
    guard let snapshots else { throw EventStoreError.unsupported("snapshots", by: Self.self) }
    try snapshots.deleteSnapshots()
  }
}

/// A decider whose state is saved now and then, so that the first command after a start need not fold all events.
///
/// A store keeps the states of all deciders in memory (``StoreEnvironment/stateBudget``). This one's are also kept
/// beside the events, of streams and of boundaries.
///
///     struct Ledger: SnapshotDecider {
///       var balance = 0
///       …
///     }
///
/// A kept state is a copy of what the events say. It is known by the stream or the boundary, the decider's type,
/// ``stateVersion``, the events' schema and upcasters, and the properties of the state. If one of these is another than
/// when the state was kept, or if the state is missing or damaged, all events are folded. You may delete it at any time
/// (``EventStore/deleteSnapshots()``).
///
/// The code of `evolve` can't be compared. If you change `evolve` so that it makes another state of the same events,
/// raise ``stateVersion``. Otherwise commands are decided on states that the former code made. `ensureKept(_:in:)` of
/// `AnnalsTesting` is the law for it, and `verify` of an app's own tool finds such states in a log.
///
/// A state is kept if its coding leads to the same state again, which is checked each time. Sets and dictionaries are
/// kept like everything else. ``EventStore/snapshotReport(of:)`` says why a state cannot be kept: it has a number that
/// JSON cannot hold, such as NaN, or its coding leaves something out, or its coding writes the elements of a set
/// itself. It is tried again after ``snapshotInterval`` more events.
public protocol SnapshotDecider: Decider, Codable {
  /// The number of the state's code, by default 1.
  ///
  /// Raise it when `evolve` makes another state of the same events, for example after you correct it. States of another
  /// number are not used.
  static var stateVersion: Int { get }

  /// How many events are folded before the state is kept; by default 256.
  static var snapshotInterval: Int { get }
}

extension SnapshotDecider {
  /// The first version.
  public static var stateVersion: Int { 1 }

  /// 256 events, which take about as long to fold as a state takes to be written.
  public static var snapshotInterval: Int { 256 }
}

extension EventStore {
  /// Deletes the states of deciders that were kept; they are made of the events again.
  ///
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no states.
  public func deleteSnapshots() throws {
    guard let snapshots else { throw EventStoreError.unsupported("snapshots", by: Self.self) }
    try snapshots.deleteSnapshots()
  }
}

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
/// ``stateVersion``, the events' schema and upcasters, and the properties of the state. It is checked when it is read.
/// You may delete it at any time (``EventStore/deleteSnapshots()``). Where it is missing, damaged or made by other
/// code, all events are folded.
///
/// A state is kept if its coding leads to the same state again, which is checked each time. Sets and dictionaries are
/// kept like everything else. ``EventStore/snapshotReport(of:)`` says why a state cannot be kept: it has a number that
/// JSON cannot hold, such as NaN, or its coding leaves something out, or its coding writes the elements of a set
/// itself. It is tried again after ``snapshotInterval`` more events.
public protocol SnapshotDecider: Decider, Codable {
  /// The number of the state's code, raised when `evolve` makes another state of the same events; by default 1.
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

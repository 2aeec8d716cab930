/// A store for decider states, so that the first command after a program's start applies only events that are newer
/// than the saved state.
///
/// This is a capability of an ``EventStore``, available through ``EventStore/snapshots``. A `SnapshotDecider` uses this
/// capability. The states are stored along with the events. You can delete the states at any time, because they are
/// rebuilt from the events.
///
/// The state of a `BoundaryDecider` belongs to a boundary instead of a stream. A boundary is a query that selects
/// events. To save or read such a state, the library passes the boundary's query, as a string, in the parameter
/// `stream` of this protocol's methods. It also adds a suffix to the name in the parameter `decider`, to distinguish
/// boundaries from streams.
public protocol SnapshotStore: Sendable {
  /// Returns the saved state of a stream.
  ///
  /// - Parameters:
  ///   - stream: The stream, or a boundary's query as a string.
  ///   - decider: The name of the decider's type, with a suffix if the state belongs to a boundary.
  /// - Returns: The state, or `nil` if it doesn't exist or is damaged.
  /// - Throws: ``EventStoreError``.
  func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot?

  /// Saves a state, which replaces the decider's former state for the stream.
  ///
  /// If the log has a different revision now, the call has no effect.
  ///
  /// - Parameters:
  ///   - snapshot: The state to save.
  ///   - stream: The stream, or a boundary's query as a string.
  ///   - decider: The name of the decider's type, with a suffix if the state belongs to a boundary.
  ///   - revision: The log's revision when the events for the state were read.
  /// - Throws: ``EventStoreError``.
  func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, revision: LogRevision) throws

  /// Deletes all saved states.
  ///
  /// - Throws: ``EventStoreError``.
  func deleteSnapshots() throws
}

/// A decider's saved state, built from the events of a stream or from the events inside a boundary.
///
/// A boundary is a query that selects the events for a command's decision (`BoundaryDecider`).
public struct DeciderSnapshot: Hashable, Sendable {
  /// A string that changes with everything that the state depends on, except for the events.
  ///
  /// A state with an outdated fingerprint isn't used.
  public let fingerprint: String
  /// The stream's version, or for a boundary, the number of events that were applied to the state.
  public let version: Int
  /// The position of the stream's last event, or for a boundary, the log's last position when the events were read.
  public let position: Position
  /// The state as JSON.
  public let state: String

  /// Creates a state to save.
  ///
  /// - Parameters:
  ///   - fingerprint: A string that changes with everything that the state depends on, except for the events.
  ///
  ///     A state with an outdated fingerprint isn't used.
  ///   - version: The stream's version, or for a boundary, the number of events that were applied to the state.
  ///   - position: The position of the stream's last event, or for a boundary, the log's last position when the events
  ///     were read.
  ///   - state: The state as JSON.
  public init(fingerprint: String, version: Int, position: Position, state: String) {
    self.fingerprint = fingerprint
    self.version = version
    self.position = position
    self.state = state
  }
}

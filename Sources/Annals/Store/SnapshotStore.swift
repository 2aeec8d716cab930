/// A store for decider states, which are stored along with the events of an event store.
///
/// States can be deleted at any time, because the events contain all data. This is a capability of an ``EventStore``,
/// available through ``EventStore/snapshots``. A ``SnapshotDecider`` uses it.
///
/// The state of a ``BoundaryDecider`` belongs to a boundary, not to a stream. In that case the parameter `of` contains
/// the boundary as a string, and the parameter `decider` indicates that the string is a boundary.
public protocol SnapshotStore: Sendable {
  /// Returns the saved state of a stream.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - decider: The decider's name.
  /// - Returns: The state, or `nil` if it doesn't exist or is damaged.
  /// - Throws: ``EventStoreError``.
  func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot?

  /// Saves a state, replacing the stream's former state, unless the log has a different revision now.
  ///
  /// - Parameters:
  ///   - snapshot: The state.
  ///   - stream: The stream.
  ///   - decider: The decider's name.
  ///   - revision: The revision of the log that the events were read from.
  /// - Throws: ``EventStoreError``.
  func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, revision: LogRevision) throws

  /// Deletes all states.
  ///
  /// - Throws: ``EventStoreError``.
  func deleteSnapshots() throws
}

/// A decider's state, built from the events of its stream or from the events inside its boundary.
public struct DeciderSnapshot: Hashable, Sendable {
  /// A fingerprint of everything that the state depends on, except for the events.
  public let fingerprint: String
  /// The stream's version, or the number of folded events in a boundary.
  public let version: Int
  /// The position of the stream's last event, or for a boundary, the log's end at the time of the read.
  public let position: Position
  /// The state as JSON.
  public let state: String

  /// Creates a state to save.
  ///
  /// - Parameters:
  ///   - fingerprint: A fingerprint of everything that the state depends on, except for the events.
  ///   - version: The stream's version, or the number of folded events in a boundary.
  ///   - position: The position of the stream's last event, or for a boundary, the log's end at the time of the read.
  ///   - state: The state as JSON.
  public init(fingerprint: String, version: Int, position: Position, state: String) {
    (self.fingerprint, self.version, self.position, self.state) = (fingerprint, version, position, state)
  }
}

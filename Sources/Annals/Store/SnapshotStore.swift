/// Keeps states of deciders beside the events of a store.
///
/// Each of them may be gone at any time: the events say the same. This is a capability of an ``EventStore``: see
/// ``EventStore/snapshots``. A ``SnapshotDecider`` makes use of it.
///
/// For a state inside a boundary, the stream's name is the boundary as text, and the decider's name says so.
public protocol SnapshotStore: Sendable {
  /// The state that was kept of a stream.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - decider: The decider's name.
  /// - Returns: The state; nil if there is none, or if it is not as it was written.
  /// - Throws: ``EventStoreError``.
  func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot?

  /// Keeps a state in the place of the one that was kept of the stream, unless the log has another revision by now.
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

/// A decider's state after some events of its stream, or inside its boundary.
public struct DeciderSnapshot: Hashable, Sendable {
  /// What the state depends on beside the events.
  public let fingerprint: String
  /// The stream's version; of a boundary, the number of its events that were folded.
  public let version: Int
  /// The position of the stream's last event; of a boundary, the end of the log when it was read.
  public let position: Position
  /// The state as JSON.
  public let state: String

  /// Creates a state to be kept.
  ///
  /// - Parameters:
  ///   - fingerprint: What the state depends on beside the events.
  ///   - version: The stream's version; of a boundary, the number of its events that were folded.
  ///   - position: The position of the stream's last event; of a boundary, the end of the log when it was read.
  ///   - state: The state as JSON.
  public init(fingerprint: String, version: Int, position: Position, state: String) {
    (self.fingerprint, self.version, self.position, self.state) = (fingerprint, version, position, state)
  }
}

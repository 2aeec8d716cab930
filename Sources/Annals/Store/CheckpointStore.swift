/// A store for checkpoints, which are stored along with the events of an event store.
///
/// A checkpoint is a named position in the log. This is a capability of an ``EventStore``, available through
/// ``EventStore/checkpoints``. ``EventFollower`` requires it.
public protocol CheckpointStore: Sendable {
  /// Returns the position of a checkpoint.
  ///
  /// - Parameter name: The checkpoint's name.
  /// - Returns: The position, or `nil` if the checkpoint doesn't exist.
  /// - Throws: ``EventStoreError``.
  func checkpoint(named name: String) throws -> Position?

  /// Moves a checkpoint to a position, provided the checkpoint still has the position that the caller expects.
  ///
  /// The comparison and the change are atomic, even with concurrent processes.
  ///
  /// - Parameters:
  ///   - name: The checkpoint's name.
  ///   - position: The new position.
  ///   - old: The expected position, or `nil` to create the checkpoint.
  /// - Returns: False if the checkpoint has a different position. In that case the stored data are unchanged.
  /// - Throws: ``EventStoreError``.
  func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool

  /// Deletes a checkpoint.
  ///
  /// - Parameter name: The checkpoint's name. Deleting a missing checkpoint isn't an error.
  /// - Throws: ``EventStoreError``.
  func deleteCheckpoint(named name: String) throws
}

/// An interface for storing checkpoints next to a log's events.
///
/// A checkpoint is a named position in the log. For example, an ``EventFollower`` saves the position up to which it has
/// handled the events. An ``EventStore`` that can store checkpoints returns this interface from
/// ``EventStore/checkpoints``.
public protocol CheckpointStore: Sendable {
  /// Returns the position of a checkpoint.
  ///
  /// - Parameter name: The checkpoint's name.
  /// - Returns: The position, or `nil` if the checkpoint doesn't exist.
  /// - Throws: ``EventStoreError``.
  func checkpoint(named name: String) throws -> Position?

  /// Moves a checkpoint to a new position if it still has the position that the caller expects.
  ///
  /// The comparison and the change are atomic, even with concurrent processes.
  ///
  /// - Parameters:
  ///   - name: The checkpoint's name.
  ///   - position: The new position.
  ///   - old: The position that the checkpoint must have now, or `nil` if the checkpoint must not exist yet.
  /// - Returns: True if the checkpoint was moved or created. False if the checkpoint's position didn't match `old`, so
  ///   the checkpoint is unchanged.
  /// - Throws: ``EventStoreError``.
  func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool

  /// Deletes a checkpoint.
  ///
  /// - Parameter name: The checkpoint's name. If no checkpoint has this name, the call doesn't throw.
  /// - Throws: ``EventStoreError``.
  func deleteCheckpoint(named name: String) throws
}

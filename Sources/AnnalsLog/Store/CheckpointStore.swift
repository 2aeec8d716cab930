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

  /// Claims the right to run a follower, so that only one runner at a time handles the follower's events.
  ///
  /// The claim excludes every other runner that uses the same log, in this process and in others. It must end when the
  /// process ends, even if the process is killed. ``FollowerClaims`` is enough for a log that only one store can open.
  ///
  /// - Parameter follower: The follower's name. All versions of a follower share one claim, because otherwise two
  ///   versions would both handle a new event.
  /// - Returns: The claim, which lasts until it's released or deallocated.
  /// - Throws: ``EventStoreError`` (`.followerBusy`) if another runner has the claim. The call doesn't wait.
  func claim(follower: String) throws -> FollowerClaim
}

/// A store of checkpoints next to a log whose events `Replica.reclone` can replace.
package protocol ReplaceableCheckpointStore: CheckpointStore {
  /// Returns ``LogRevision/rebases`` of the log's revision.
  func rebases() throws -> Int

  /// Moves a checkpoint as ``CheckpointStore/setCheckpoint(named:to:from:)`` does, but only if the log's events weren't
  /// replaced.
  ///
  /// A position of the old log can have the same number as a position of the new log. So the checkpoint's old position
  /// alone doesn't show that the checkpoint belongs to the same log.
  ///
  /// - Parameters:
  ///   - name: The checkpoint's name.
  ///   - position: The new position.
  ///   - old: The position that the checkpoint must have now, or `nil` if the checkpoint must not exist yet.
  ///   - rebases: The value that ``rebases()`` must have now.
  /// - Returns: True if the checkpoint was moved or created.
  /// - Throws: ``EventStoreError``.
  func setCheckpoint(named name: String, to position: Position, from old: Position?, at rebases: Int) throws -> Bool
}

/// Keeps, beside the events of a store, how far someone has come in them.
///
/// A capability of an ``EventStore``: see ``EventStore/checkpoints``. ``EventFollower`` needs it.
public protocol CheckpointStore: Sendable {
  /// The position that a name has reached.
  ///
  /// - Parameter name: The name.
  /// - Returns: The position; nil if the name never began.
  /// - Throws: ``EventStoreError``.
  func checkpoint(named name: String) throws -> Position?

  /// Keeps the position that a name has reached, if the name still is where the caller believes it to be.
  ///
  /// The comparison and the change are one step, also beside other processes.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - position: The position that it has reached.
  ///   - old: The position where it was; nil if it begins.
  /// - Returns: False if the name is elsewhere by now; nothing was changed then.
  /// - Throws: ``EventStoreError``.
  func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool

  /// Forgets a name.
  ///
  /// - Parameter name: The name; one that never began is no error.
  /// - Throws: ``EventStoreError``.
  func deleteCheckpoint(named name: String) throws
}

/// A store that keeps, beside its events, how far somebody has come in them.
package protocol CheckpointStore: EventStore {
  /// Up to where something of a name has come, nil if it never began.
  func checkpoint(named name: String) throws -> Position?

  /// Notes up to where something of a name has come, if it is where it was.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - position: Up to where it has come.
  ///   - old: Where it was; nil if it begins.
  /// - Returns: False if it is somewhere else by now; nothing was noted then.
  /// - Throws: ``EventStoreError``.
  func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool

  /// Forgets the checkpoint of a name.
  func deleteCheckpoint(named name: String) throws
}

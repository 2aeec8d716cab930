/// A log inside a compaction's transaction, which is invisible to other readers until the commit.
///
/// You can read the log as you read the store, and reads immediately include the changes that ``rewrite(_:)`` made. You
/// can't append events.
public protocol CompactionTransaction: EventLog {
  /// Returns the names of all streams that ever contained events.
  ///
  /// - Returns: The names, sorted.
  /// - Throws: ``EventStoreError``.
  func streams() throws -> [StreamName]

  /// Returns the checkpoints that are stored along with the events.
  ///
  /// - Returns: The checkpoints, or an empty array if the store doesn't support them.
  /// - Throws: ``EventStoreError``.
  func checkpoints() throws -> [Checkpoint]

  /// Removes and replaces events, records the plan's horizon, and deletes saved lists and saved states.
  ///
  /// - Parameter plan: The changes to make.
  /// - Returns: The number of events that remain in the log.
  /// - Throws: ``EventStoreError``.
  func rewrite(_ plan: CompactionPlan) throws -> Int
}

extension CompactionTransaction {
  /// Returns the log's followers and the positions that they have handled, sorted by the names of their checkpoints.
  func followers() throws -> [(follower: FollowerID, position: Position)] {
    try checkpoints().sorted { $0.name < $1.name }.compactMap { checkpoint in
      FollowerCheckpoint(checkpoint.name).map { (FollowerID($0.name, version: $0.version), checkpoint.position) }
    }
  }
}

/// A named position in a log.
public struct Checkpoint: Hashable, Sendable {
  /// The checkpoint's name.
  public let name: String
  /// The checkpoint's position.
  public let position: Position

  /// Creates a checkpoint.
  ///
  /// - Parameters:
  ///   - name: The checkpoint's name.
  ///   - position: The checkpoint's position.
  public init(name: String, position: Position) { (self.name, self.position) = (name, position) }
}

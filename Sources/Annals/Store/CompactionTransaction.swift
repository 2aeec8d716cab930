/// A log as its store hands it to a compaction: inside one transaction, which no one else sees until it is committed.
///
/// It reads as the store reads, and what was rewritten is read at once. It appends nothing.
public protocol CompactionTransaction: EventLog {
  /// The names of all streams that ever had events.
  ///
  /// - Returns: The names, in order.
  /// - Throws: ``EventStoreError``.
  func streams() throws -> [StreamName]

  /// The checkpoints that are kept beside the log.
  ///
  /// - Returns: The checkpoints; none if the store keeps none.
  /// - Throws: ``EventStoreError``.
  func checkpoints() throws -> [Checkpoint]

  /// Cuts and replaces events, notes the plan's horizon, and deletes what was saved of lists and states.
  ///
  /// - Parameter plan: What to cut and to replace.
  /// - Returns: The number of events that are left in the log.
  /// - Throws: ``EventStoreError``.
  func rewrite(_ plan: CompactionPlan) throws -> Int
}

extension CompactionTransaction {
  /// The followers of the log and the positions that they have handled, in the order of the names of their checkpoints.
  func followers() throws -> [(follower: FollowerID, position: Position)] {
    try checkpoints().sorted { $0.name < $1.name }.compactMap { checkpoint in
      FollowerCheckpoint(checkpoint.name).map { (FollowerID($0.name, version: $0.version), checkpoint.position) }
    }
  }
}

/// How far someone has come in a log.
public struct Checkpoint: Hashable, Sendable {
  /// The name under which it is kept.
  public let name: String
  /// The position that was reached.
  public let position: Position

  /// Creates a checkpoint.
  ///
  /// - Parameters:
  ///   - name: The name under which it is kept.
  ///   - position: The position that was reached.
  public init(name: String, position: Position) { (self.name, self.position) = (name, position) }
}

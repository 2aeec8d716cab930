/// A view of a log inside a compaction's transaction.
///
/// You can read it like the store, but you can't append events. Reads from this view include the changes that
/// ``rewrite(_:)`` made. Other readers see these changes only after the commit.
public protocol CompactionTransaction: EventLog {
  /// Returns the names of all streams that contain events now or contained events at any time.
  ///
  /// - Returns: The sorted names.
  /// - Throws: ``EventStoreError``.
  func streams() throws -> [StreamName]

  /// Returns the checkpoints that are stored next to the events.
  ///
  /// - Returns: The checkpoints, or an empty array if the store doesn't support them.
  /// - Throws: ``EventStoreError``.
  func checkpoints() throws -> [Checkpoint]

  /// Removes and replaces events, records the plan's ``CompactionPlan/horizon``, and deletes saved lists and states.
  ///
  /// - Parameter plan: The events to remove or replace.
  /// - Returns: The number of events that remain in the log.
  /// - Throws: ``EventStoreError``.
  func rewrite(_ plan: CompactionPlan) throws -> Int
}

/// A compaction's transaction that can also replace all events of the log.
package protocol ReplacingTransaction: CompactionTransaction {
  /// Replaces all events, as if the log were new.
  ///
  /// The call also removes the receipts of commands, the records of erasures and compactions, saved lists and saved
  /// states. Positions, versions and transaction numbers start over. The log's drafts remain. Afterwards, the log's
  /// revision is ``LogRevision/afterReplacement``, so lists, followers and caches notice the change.
  ///
  /// - Parameters:
  ///   - appends: The new events.
  ///   - checkpoints: The checkpoints that the log has afterwards.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n) for n old and new events.
  func replaceAll(with appends: [Append], keeping checkpoints: [Checkpoint]) throws
}

extension CompactionTransaction {
  /// Returns the log's followers and the positions that they have handled, sorted by the names of their checkpoints.
  package func followers() throws -> [(follower: FollowerID, position: Position)] {
    try checkpoints().sorted { $0.name < $1.name }.compactMap { checkpoint in
      FollowerCheckpoint(checkpoint.name).map { (FollowerID($0.name, version: $0.version), checkpoint.position) }
    }
  }
}

/// A named position in a log, for example the position up to which a follower has handled the log's events.
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
  public init(name: String, position: Position) {
    self.name = name
    self.position = position
  }
}

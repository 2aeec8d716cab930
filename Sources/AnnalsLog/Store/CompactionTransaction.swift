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

  /// Removes all events, so that the log is as empty as a new log, and can then receive the events of another log.
  ///
  /// `Replica.reclone(isolation:progress:)` calls this method. The call also removes the receipts of commands, the
  /// records of erasures and compactions, saved lists, saved states, and all checkpoints. Positions, versions,
  /// transaction numbers and identities start over. The log's drafts remain. Only ``LogRevision/rebases`` of the log's
  /// revision isn't 0 afterwards: it's greater than the `LogRevision.number` of all earlier revisions. So lists,
  /// followers and caches that were built from the removed events notice the change.
  ///
  /// The default implementation throws an error.
  ///
  /// - Parameter checkpoints: The checkpoints that the log has afterwards.
  /// - Throws: ``EventStoreError``, with the code `.unsupported` if the store can't remove all events.
  /// - Complexity: O(n) for n events, without loading the events into memory.
  func removeAll(keeping checkpoints: [Checkpoint]) throws
}

extension CompactionTransaction {
  /// Throws an `EventStoreError` (`.unsupported`), because the store can't remove all events.
  public func removeAll(keeping checkpoints: [Checkpoint]) throws {
    throw EventStoreError.unsupported(
      "the removal of all events", by: Self.self, instead: "clone the remote log into an empty store")
  }
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

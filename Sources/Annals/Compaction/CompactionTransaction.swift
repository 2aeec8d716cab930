/// A log as its store hands it to a compaction: inside one transaction, which nobody else sees until it is committed.
///
/// It reads as the store reads, and what was rewritten is read at once. It appends nothing.
public protocol CompactionTransaction: EventStore {
  /// The names of all streams that ever had events.
  ///
  /// - Returns: The names, in order.
  /// - Throws: ``EventStoreError``.
  func streams() throws -> [StreamName]

  /// How far those have come who handle events one after the other, by the names under which it is kept.
  ///
  /// - Returns: The names and positions; none if the store keeps none.
  /// - Throws: ``EventStoreError``.
  func checkpoints() throws -> [(name: String, position: Position)]

  /// Cuts and replaces events, notes the plan's horizon, and deletes what was saved of lists and states.
  ///
  /// - Parameter plan: What to cut and to replace.
  /// - Returns: The number of events that are left in the log.
  /// - Throws: ``EventStoreError``.
  func rewrite(_ plan: CompactionPlan) throws -> Int
}

/// Says what becomes of events.
package protocol CompactionRule: Sendable {
  /// Adds what becomes of a log's events up to a position.
  func plan(_ log: any CompactionTransaction, through end: Position, into plan: inout CompactionPlan) throws
}

/// Something that must be equal before and after.
package protocol CompactionProof: Sendable {
  /// What tells whether an event matters here.
  func reader() throws -> (StoredEvent) -> Bool

  /// What is to be compared, folded from a log at some positions in ascending order.
  ///
  /// - Throws: What keeps it from being folded.
  func fold(_ log: any CompactionTransaction, _ plan: CompactionPlan, at positions: [Position]) throws
    -> any CompactionFold

  /// What it is called, in an error.
  var name: String { get }
}

/// What was folded, to be compared.
package protocol CompactionFold {
  /// The first difference between what was folded before and this, which was folded after; nil if all is equal.
  func difference(from before: any CompactionFold) -> CompactionError.Difference?
}

import AnnalsLog

/// A rule that decides which events a compaction removes or replaces.
package protocol CompactionRule: Sendable {
  /// Decides which of a log's events, up to a position, are removed or replaced, and adds these changes to a plan.
  func plan(_ log: any CompactionTransaction, through end: Position, into plan: inout CompactionPlan) throws
}

/// A check that a result, such as a list or a decider's state, is equal before and after a compaction.
package protocol CompactionProof: Sendable {
  /// Returns a function that returns whether an event affects the result.
  func reader() throws -> (StoredEvent) -> Bool

  /// Folds the result from a log at some positions in ascending order.
  ///
  /// - Throws: An error if the result can't be folded.
  func fold(_ log: any CompactionTransaction, _ plan: CompactionPlan, at positions: [Position]) throws
    -> any CompactionFold

  /// The name of the proof for errors.
  var name: String { get }
}

/// A result that was folded from a log, for a comparison.
package protocol CompactionFold {
  /// Returns the first difference between the earlier result and this later result, or nil if they are equal.
  func difference(from before: any CompactionFold) -> CompactionDifference?

  /// Returns all differences between the earlier result and this later result.
  func differences(from before: any CompactionFold) -> [CompactionDifference]

  /// Returns the part of the result that a later comparison needs.
  ///
  /// This part stays in memory while the log is rewritten and folded.
  func remembered() -> any CompactionFold
}

extension CompactionFold {
  /// Returns the first difference.
  package func differences(from before: any CompactionFold) -> [CompactionDifference] {
    difference(from: before).map { [$0] } ?? []
  }

  /// Returns the whole result.
  package func remembered() -> any CompactionFold { self }
}

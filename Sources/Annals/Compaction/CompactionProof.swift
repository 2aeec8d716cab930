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

  /// What is enough of it to be compared with later, while the log is rewritten and folded again.
  func remembered() -> any CompactionFold
}

extension CompactionFold {
  /// All of it.
  package func remembered() -> any CompactionFold { self }
}

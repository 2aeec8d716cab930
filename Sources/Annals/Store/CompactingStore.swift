/// A store that compacts its log: it removes events after a proof that the remaining events produce the same state.
///
/// This is a capability of an ``EventStore``, available through ``EventStore/compacting``. `Docs/Compaction.md`
/// describes which events are removed, which are kept, and how the result is proven.
public protocol CompactingStore: Sendable {
  /// Performs a compaction in one transaction, or throws and leaves the log unchanged.
  ///
  /// The store opens a transaction, passes it to `work`, and commits it if `work` returns. `work` reads the events, and
  /// computes from them the state that must stay equal, for example the rows of lists. It then removes and replaces
  /// events, computes the state from the remaining events, and compares the two states. Positions, versions, identities
  /// and command ids are never reused. Saved lists and saved states are rebuilt. Apps call
  /// `EventStore.compact(_:progress:isolation:)` instead of this method, because it also notifies the store's watchers.
  ///
  /// - Parameters:
  ///   - progress: A closure that is called when the store begins a step after `work`, such as
  ///     ``CompactionStep/shrinking``. Errors from the closure are ignored, because the log is already compacted.
  ///   - work: A closure that performs the compaction. If it throws, the store rolls the transaction back.
  /// - Returns: The receipt of `work`, to which the store adds the sizes of its files.
  /// - Throws: ``EventStoreError``, or the error of `work`. The log is then unchanged.
  func commitCompaction(
    progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt
}

/// A step of a compaction.
public enum CompactionStep: Hashable, Sendable, CaseIterable {
  /// The step that reads the events and calls the compaction's rules.
  case reading
  /// The step that uses the original events to compute the state that must stay equal.
  case remembering
  /// The step that removes and replaces events.
  case rewriting
  /// The step that computes the same state from the remaining events, and compares the two states.
  case proving
  /// The step that shrinks the files after the compaction was committed.
  case shrinking
}

/// A store that compacts its log: it removes events after a proof that the remaining events produce the same state.
///
/// This is a capability of an ``EventStore``, available through ``EventStore/compacting``. `Docs/Compaction.md`
/// describes which events are removed, which are kept, and how the result is proven.
public protocol CompactingStore: Sendable {
  /// Performs a compaction in one transaction, or throws and leaves the log unchanged.
  ///
  /// The store opens a transaction, passes it to `work`, and commits it if `work` returns. `work` reads the events and
  /// computes the state that must stay equal. It then removes and replaces events, computes the state from the
  /// remaining events, and compares the two states. Positions, versions, identities and command ids are never reused.
  /// Saved lists and saved states are rebuilt. Apps call `EventStore.compact(_:progress:isolation:)` instead of this
  /// method, because it also notifies the store's watchers.
  ///
  /// - Parameters:
  ///   - progress: A closure that is called when the store begins its own steps after `work`. Errors from the closure
  ///     are ignored, because the log is already compacted.
  ///   - work: A closure that performs the compaction. An error rolls the transaction back.
  /// - Returns: The receipt of `work`, to which the store adds the sizes of its files.
  /// - Throws: ``EventStoreError``, or the error of `work`. The log is then unchanged.
  func commitCompaction(
    progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt
}

/// A step of a compaction.
public enum CompactionStep: Hashable, Sendable, CaseIterable {
  /// Reading the events and calling the rules.
  case reading
  /// Computing the state that must stay equal from the original events.
  case remembering
  /// Removing and replacing events.
  case rewriting
  /// Computing the same state from the remaining events, and comparing the two states.
  case proving
  /// Shrinking the files after the finished compaction.
  case shrinking
}

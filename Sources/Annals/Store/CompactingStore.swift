/// A store that compacts its log to fewer events, after a proof that they produce the same state.
///
/// This is a capability of an ``EventStore``, available through ``EventStore/compacting``. `Docs/Compaction.md`
/// describes which events are removed, which are kept, and how the result is proven.
public protocol CompactingStore: Sendable {
  /// Performs a compaction in one transaction, or throws and leaves the log unchanged.
  ///
  /// The store opens a transaction, passes it to `work`, and commits it if `work` returns. `work` reads the events and
  /// remembers the state that must stay equal. It then removes and replaces events, reads the remaining events, and
  /// compares the result. Positions, versions, identities and command ids are never reused. Saved lists and saved
  /// states are rebuilt. Call `EventStore.compact(_:progress:isolation:)` instead, which also notifies the store's
  /// watchers.
  ///
  /// - Parameters:
  ///   - progress: A closure that is called when the store begins its own steps after `work`. Its errors are ignored,
  ///     because the log is already compacted.
  ///   - work: A closure that performs the compaction. An error rolls the transaction back.
  /// - Returns: The receipt of `work`, completed with the store's knowledge of its files.
  /// - Throws: ``EventStoreError``, or the error of `work`. The log is then unchanged.
  func commitCompaction(
    progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt
}

/// A step of a compaction.
public enum CompactionStep: Hashable, Sendable, CaseIterable {
  /// Reading the events and calling the rules.
  case reading
  /// Folding the state that must stay equal, from the original log.
  case remembering
  /// Removing and replacing events.
  case rewriting
  /// Folding the same state from the remaining events, and comparing it.
  case proving
  /// Shrinking the files after the finished compaction.
  case shrinking
}

/// An interface for compacting a log.
///
/// A compaction replaces a log's events with fewer events that produce the same lists and decider states.
///
/// An ``EventStore`` that can compact its log returns this interface from ``EventStore/compacting``. A compaction
/// builds lists and states, first from the original events and then from the remaining events. The compaction is
/// committed only if the results are equal. `Docs/Compaction.md` describes which events are removed, which events are
/// kept, and how the comparison works.
public protocol CompactingStore: Sendable {
  /// Performs a compaction in one transaction, or throws and leaves the log unchanged.
  ///
  /// The store opens a transaction, passes it to `work`, and commits it if `work` returns. `work` reads the events, and
  /// builds the lists and decider states that must stay equal. It then removes and replaces events, rebuilds the lists
  /// and states from the remaining events, and compares the results. The positions, versions, identities and command
  /// ids of removed events are never reused, except the versions and command ids of ``CompactionPlan/removedStreams``.
  /// Saved lists and saved states are rebuilt. Apps call
  /// `EventStore.compact(_:progress:isolation:)` instead of this method, because `compact` also notifies the store's
  /// watchers.
  ///
  /// - Parameters:
  ///   - progress: A closure that the store calls when it begins a step after `work`, such as
  ///     ``CompactionStep/shrinking``. The store ignores errors from the closure, because the log is already compacted.
  ///   - work: A closure that performs the compaction. If it throws, the store rolls the transaction back.
  /// - Returns: The receipt that `work` returned, to which the store adds the sizes of its files.
  /// - Throws: ``EventStoreError``, or the error of `work`. In both cases, the log is unchanged.
  func commitCompaction(
    progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt
}

/// A step of a compaction, reported while the compaction runs.
public enum CompactionStep: Hashable, Sendable, CaseIterable {
  /// The step that reads the events, and calls the compaction's rules to decide which events are removed or replaced.
  case reading
  /// The step that uses the original events to build the lists and decider states that must stay equal.
  case remembering
  /// The step that removes and replaces events.
  case rewriting
  /// The step that uses the remaining events to rebuild the lists and decider states that must stay equal, and compares
  /// them with the original results.
  case proving
  /// The step that shrinks the store's files, after the compaction was committed.
  case shrinking
}

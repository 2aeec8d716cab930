/// Compacts the log of a store: fewer events that say the same, after it is proven that they do.
///
/// A capability of an ``EventStore``: see ``EventStore/compacting``. `Docs/Compaction.md` says what is cut, what stays,
/// and what is proven.
public protocol CompactingStore: Sendable {
  /// Does the work of a compaction in one transaction, or throws and changes nothing.
  ///
  /// The store opens a transaction, hands it to the work, and commits it if the work returns. The work reads the
  /// events, remembers what must be equal, has events cut and replaced, reads what is left and compares. Positions,
  /// versions, identities and command ids that were given stay given. Lists and states that were saved are made again.
  /// Call `EventStore.compact(_:progress:isolation:)` instead, which also notifies the store's watchers.
  ///
  /// - Parameters:
  ///   - progress: Called as the store begins a part of its own after the work. What it throws is ignored, because the
  ///     log is compacted by then.
  ///   - work: Does the work. What it throws ends the transaction.
  /// - Returns: What the work returned, with what the store knows of its files.
  /// - Throws: ``EventStoreError``, and what the work throws; the log is then as it was.
  func commitCompaction(
    progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt
}

/// A part of a compaction's work.
public enum CompactionStep: Hashable, Sendable, CaseIterable {
  /// The events are read, and the rules are asked.
  case reading
  /// What must be equal is folded from the log as it is.
  case remembering
  /// Events are cut and replaced.
  case rewriting
  /// What must be equal is folded from what is left, and compared.
  case proving
  /// The files are made shorter; the compaction is done by then.
  case shrinking
}

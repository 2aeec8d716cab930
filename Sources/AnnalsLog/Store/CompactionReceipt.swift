/// The result of a compaction.
public struct CompactionReceipt: Hashable, Sendable {
  /// A stream that the compaction left unchanged, because a rule couldn't read one of the stream's events.
  public struct LeftAlone: Hashable, Sendable {
    /// The stream's name.
    public let stream: StreamName
    /// The position of the unreadable event.
    public let position: Position
    /// The reason why the event couldn't be read.
    public let reason: String
  }

  /// The position through which the log is compacted now, or 0 for a log that was never compacted.
  ///
  /// If this compaction didn't change the log, it is the horizon of the last compaction that changed the log.
  public let horizon: Position
  /// The number of events that were removed.
  public let cut: Int
  /// The number of events that were replaced.
  public let replaced: Int
  /// The number of events that the log contains now.
  public let remaining: Int
  /// The streams that the compaction left unchanged because of unreadable events, sorted by name.
  public let leftAlone: [LeftAlone]
  /// The data outside of the removed streams that refers to these streams, or an empty array if no stream was removed.
  ///
  /// Every reference is a `CompactionError`, and the error's code is the kind of the reference. The references are
  /// grouped by kind, in this order:
  /// - ``CompactionError/Code/notEqual``: a row of a list, or a decider's state
  /// - ``CompactionError/Code/followerBehind``: a follower
  /// - ``CompactionError/Code/draft``: a saved draft
  /// - ``CompactionError/Code/undoStep``: a step of an undo history
  /// - ``CompactionError/Code/relatedEvent``: an event of another stream, in the order of the log
  ///
  /// Only the ``blockingReferences`` prevent the removal.
  public package(set) var references: [CompactionError] = []
  /// The ``references`` that prevent the removal: followers, and the rows, states and drafts that you didn't allow.
  ///
  /// Only the receipt of a dry run contains such references.
  public package(set) var blockingReferences: [CompactionError] = []
  /// The total size of the log's files before the compaction in bytes, or `nil` for a store without files.
  public let bytesBefore: Int?
  /// The total size of the log's files after the compaction in bytes, or `nil` for a store without files.
  public let bytesAfter: Int?
  /// The reason why the store's files didn't shrink, and how to shrink them.
  ///
  /// It is `nil` if the files shrank or didn't need to shrink.
  public let remnants: String?

  package init(
    horizon: Position, cut: Int, replaced: Int, remaining: Int, leftAlone: [LeftAlone], bytesBefore: Int?,
    bytesAfter: Int?, remnants: String?
  ) {
    self.horizon = horizon
    self.cut = cut
    self.replaced = replaced
    self.remaining = remaining
    self.leftAlone = leftAlone
    self.bytesBefore = bytesBefore
    self.bytesAfter = bytesAfter
    self.remnants = remnants
  }

  /// True if the compaction didn't remove or replace any event.
  ///
  /// For example, this is true if every rule returned exactly the events that it received.
  public var isUnchanged: Bool { cut == 0 && replaced == 0 }

  /// Returns a copy of the receipt with information about the store's files.
  ///
  /// - Parameters:
  ///   - bytesBefore: The total size of the files before the compaction, in bytes, or `nil` if the store has no files.
  ///   - bytesAfter: The total size of the files after the compaction, in bytes, or `nil` if the store has no files.
  ///   - remnants: The reason why the files didn't shrink, and how to shrink them, or `nil` if they shrank.
  /// - Returns: The completed receipt.
  public func with(bytesBefore: Int?, bytesAfter: Int?, remnants: String?) -> CompactionReceipt {
    var receipt = CompactionReceipt(
      horizon: horizon, cut: cut, replaced: replaced, remaining: remaining, leftAlone: leftAlone,
      bytesBefore: bytesBefore, bytesAfter: bytesAfter, remnants: remnants)
    receipt.references = references
    receipt.blockingReferences = blockingReferences
    return receipt
  }
}

extension CompactionReceipt {
  /// Creates the receipt of a compaction that was checked on a copy of the log.
  ///
  /// For example, call this initializer in a custom remote store, after the server has made the plan's changes in its
  /// own log.
  ///
  /// - Parameters:
  ///   - plan: The plan with the removed and replaced events.
  ///   - remaining: The number of events that the log contains after these changes, as returned by
  ///     `CompactionTransaction.rewrite(_:)`.
  public init(of plan: CompactionPlan, remaining: Int) {
    self.init(
      horizon: plan.horizon, cut: plan.cutCount, replaced: plan.replacedCount, remaining: remaining, leftAlone: [],
      bytesBefore: nil, bytesAfter: nil, remnants: nil)
  }
}

/// The result of a compaction.
public struct CompactionReceipt: Hashable, Sendable {
  /// A stream that stays unchanged, because a rule couldn't read one of its events.
  public struct LeftAlone: Hashable, Sendable {
    /// The stream's name.
    public let stream: StreamName
    /// The position of the unreadable event.
    public let position: Position
    /// The reason why the event couldn't be read.
    public let reason: String
  }

  /// The position through which the log's history is compacted now, or 0 for a log that was never compacted.
  ///
  /// If this compaction didn't change the log, the value is the position from an earlier compaction.
  public let horizon: Position
  /// The number of events that were removed.
  public let cut: Int
  /// The number of events that were replaced.
  public let replaced: Int
  /// The number of events that the log contains now.
  public let remaining: Int
  /// The unchanged streams with unreadable events, sorted by name.
  public let leftAlone: [LeftAlone]
  /// The sizes of the log's files before and after the compaction, or `nil` for a store without files.
  public let bytes: Bytes?
  /// The reason why the files didn't shrink, with the remedy, or `nil` if they shrank or didn't need to shrink.
  public let remnants: String?

  /// The size of a log's files in bytes.
  public struct Bytes: Hashable, Sendable {
    /// The size before the compaction in bytes.
    public let before: Int
    /// The size after the compaction in bytes.
    public let after: Int

    /// Creates the sizes that a store measured.
    ///
    /// - Parameters:
    ///   - before: The size before the compaction in bytes.
    ///   - after: The size after the compaction in bytes.
    public init(before: Int, after: Int) { (self.before, self.after) = (before, after) }
  }

  /// True if no event was removed or replaced, because every rule returned the events that it received.
  public var isUnchanged: Bool { cut == 0 && replaced == 0 }

  /// Returns the same receipt with information about the store's files.
  ///
  /// - Parameters:
  ///   - bytes: The sizes of the files before and after the compaction.
  ///   - remnants: The reason why the files didn't shrink, with the remedy, or `nil` if they shrank.
  /// - Returns: The completed receipt.
  public func with(bytes: Bytes?, remnants: String?) -> CompactionReceipt {
    CompactionReceipt(
      horizon: horizon, cut: cut, replaced: replaced, remaining: remaining, leftAlone: leftAlone, bytes: bytes,
      remnants: remnants)
  }
}

extension CompactionReceipt {
  /// Creates the receipt for a plan that was proven on another store.
  ///
  /// - Parameters:
  ///   - plan: The removed and replaced events.
  ///   - remaining: The number of events that the log contains now.
  public init(of plan: CompactionPlan, remaining: Int) {
    self.init(
      horizon: plan.horizon, cut: plan.cutCount, replaced: plan.replacedCount, remaining: remaining, leftAlone: [],
      bytes: nil, remnants: nil)
  }
}

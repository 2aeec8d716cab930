/// What a compaction did.
public struct CompactionReceipt: Hashable, Sendable {
  /// A stream that was left as it is, because a rule could not read one of its events.
  public struct LeftAlone: Hashable, Sendable {
    /// The stream.
    public let stream: StreamName
    /// The event that could not be read.
    public let position: Position
    /// Why not.
    public let reason: String
  }

  /// The position up to which the log's history is compacted now; 0 if nothing ever was.
  ///
  /// It is the position of this compaction, or of an earlier one if this one changed nothing.
  public let horizon: Position
  /// The number of events that were cut.
  public let cut: Int
  /// The number of events in whose place others stand now.
  public let replaced: Int
  /// The number of events that the log has now.
  public let remaining: Int
  /// The streams that were left as they are because an event in them could not be read, in the order of their names.
  public let leftAlone: [LeftAlone]
  /// The bytes of the log's files before and after; nil of a store without files.
  public let bytes: Bytes?
  /// Why the files did not get shorter, and what to do; nil if they did, or if there was no reason to.
  public let remnants: String?

  /// The bytes of a log's files.
  public struct Bytes: Hashable, Sendable {
    /// The bytes before the compaction.
    public let before: Int
    /// The bytes after it.
    public let after: Int

    /// Creates what a store measured.
    ///
    /// - Parameters:
    ///   - before: The bytes before the compaction.
    ///   - after: The bytes after it.
    public init(before: Int, after: Int) { (self.before, self.after) = (before, after) }
  }

  /// True if no event was cut or replaced: every rule returned what it was given.
  public var isUnchanged: Bool { cut == 0 && replaced == 0 }

  /// The same receipt, with what a store knows of its files.
  ///
  /// - Parameters:
  ///   - bytes: The bytes before and after.
  ///   - remnants: Why the files did not get shorter, and what to do; nil if they did.
  /// - Returns: The receipt.
  public func with(bytes: Bytes?, remnants: String?) -> CompactionReceipt {
    CompactionReceipt(
      horizon: horizon, cut: cut, replaced: replaced, remaining: remaining, leftAlone: leftAlone, bytes: bytes,
      remnants: remnants)
  }
}

extension CompactionReceipt {
  /// Creates the receipt of a plan that was proven elsewhere, as a store does that follows it.
  ///
  /// - Parameters:
  ///   - plan: What was cut and replaced.
  ///   - remaining: The number of events that the log has now.
  public init(of plan: CompactionPlan, remaining: Int) {
    self.init(
      horizon: plan.horizon, cut: plan.cutCount, replaced: plan.replacedCount, remaining: remaining, leftAlone: [],
      bytes: nil, remnants: nil)
  }
}

/// A version of a log's history, which changes whenever existing events are changed or removed.
///
/// An append doesn't change the revision. An erasure or a compaction does, and so does re-deciding a branch's commands.
/// If you derived rows, states or saved lists from the events of one revision, rebuild them for the next revision,
/// starting at the position that ``EventLog/unchanged(since:)`` returns.
public struct LogRevision: Hashable, Sendable {
  /// The number of erasures in the log, as counted by an ``ErasingStore``.
  public let erasures: Int
  /// The number of compactions, as counted by a ``CompactingStore``, and the position through which the log was
  /// compacted.
  public let compacted: CompactedHistory
  /// A number that increases whenever a ``Branch`` re-decides its commands.
  ///
  /// The number is 0 in a log that isn't a branch.
  public let rebases: Int

  /// Creates a revision, for use in a custom store.
  ///
  /// - Parameters:
  ///   - erasures: The number of erasures, at least 0.
  ///   - compacted: The number of compactions, and the position through which the log was compacted.
  ///   - rebases: A number that increases whenever a branch re-decides its commands, at least 0.
  public init(erasures: Int = 0, compacted: CompactedHistory = .none, rebases: Int = 0) {
    (self.erasures, self.compacted, self.rebases) = (erasures, compacted, rebases)
  }

  /// The revision of a log whose events are all unchanged.
  public static let original = LogRevision()

  /// The sum of ``erasures``, the number of compactions, and ``rebases``, which never decreases.
  public var number: Int { erasures + compacted.count + rebases }

  /// True if only a branch's own events may differ between the two revisions.
  func isSameHistory(as other: LogRevision) -> Bool { erasures == other.erasures && compacted == other.compacted }

  /// Returns the same revision with a different value of ``rebases``.
  func shown(by rebases: Int) -> LogRevision {
    LogRevision(erasures: erasures, compacted: compacted, rebases: rebases)
  }
}

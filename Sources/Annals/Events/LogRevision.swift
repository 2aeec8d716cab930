/// Tells one history of a log from another: how often the log became something else than what was appended.
///
/// An append does not change the revision. An erasure, a compaction, or a branch whose commands are decided again does.
/// Whatever you derived from the events of one revision (rows, states, saved lists) you derive again at the next, from
/// the position on that ``EventLog/unchanged(since:)`` answers.
public struct LogRevision: Hashable, Sendable {
  /// How often something was erased from the log; see ``ErasingStore``.
  public let erasures: Int
  /// Up to where the history was compacted, and how often; see ``CompactingStore``.
  public let compacted: CompactedHistory
  /// Which of its decisions a ``Branch`` shows.
  ///
  /// It is a larger number each time the branch's commands were decided again, and 0 in a log that is no branch.
  public let rebases: Int

  /// Creates a revision, as a store does.
  ///
  /// - Parameters:
  ///   - erasures: How often something was erased, 0 or more.
  ///   - compacted: Up to where the history was compacted, and how often.
  ///   - rebases: Which of its decisions a branch shows, 0 or more.
  public init(erasures: Int = 0, compacted: CompactedHistory = .none, rebases: Int = 0) {
    (self.erasures, self.compacted, self.rebases) = (erasures, compacted, rebases)
  }

  /// The revision of a log that has every event as it was appended.
  public static let original = LogRevision()

  /// The number of erasures, compactions and decisions of a branch, which only grows.
  public var number: Int { erasures + compacted.count + rebases }

  /// True if nothing but a branch's own events may differ between the two.
  func isSameHistory(as other: LogRevision) -> Bool { erasures == other.erasures && compacted == other.compacted }

  /// The same history, as a branch shows it.
  func shown(by rebases: Int) -> LogRevision {
    LogRevision(erasures: erasures, compacted: compacted, rebases: rebases)
  }
}

/// Tells one history of a log from another: how often the log became something else than what was appended.
///
/// An append does not change the revision. An erasure or a compaction does. Whatever you derived from the events of one
/// revision (rows, states, saved lists) you derive again at the next.
public struct LogRevision: Hashable, Sendable {
  /// How often something was erased from the log; see ``ErasingStore``.
  public let erasures: Int
  /// Up to where the history was compacted, and how often; see ``CompactingStore``.
  public let compacted: CompactedHistory

  /// Creates a revision, as a store does.
  ///
  /// - Parameters:
  ///   - erasures: How often something was erased, 0 or more.
  ///   - compacted: Up to where the history was compacted, and how often.
  public init(erasures: Int = 0, compacted: CompactedHistory = .none) {
    (self.erasures, self.compacted) = (erasures, compacted)
  }

  /// The revision of a log that has every event as it was appended.
  public static let original = LogRevision()

  /// The number of erasures and compactions, which only grows.
  public var number: Int { erasures + compacted.count }
}

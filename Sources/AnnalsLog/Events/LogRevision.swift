/// A version of a log's history, which changes whenever existing events are changed or removed.
///
/// An append doesn't change the revision. An erasure or a compaction changes it. In a `Branch`, the revision also
/// changes when the branch *re-decides* its commands: the branch calls `decide` with a newer state, and replaces the
/// commands' events. In a replica's copy, the revision also changes when `Replica.reclone(isolation:progress:)`
/// replaces all events.
///
/// If you derived rows, states or saved lists from the events of one revision, rebuild them for the next revision.
/// Results up to the position that ``EventLog/unchanged(since:)`` returns are still correct.
public struct LogRevision: Hashable, Sendable {
  /// The number of erasures in the log, which an ``ErasingStore`` counts.
  public let erasures: Int
  /// The number of compactions, which a ``CompactingStore`` counts, and the position through which the log was
  /// compacted.
  public let compacted: CompactedHistory
  /// A number that increases whenever a `Branch` re-decides its commands, as described for ``LogRevision``.
  ///
  /// In a log that isn't a branch, the number increases whenever `Replica.reclone` replaces all events. Before that, it
  /// is 0.
  public let rebases: Int

  /// Creates a revision, for use in a custom store.
  ///
  /// - Parameters:
  ///   - erasures: The number of erasures, at least 0.
  ///   - compacted: The number of compactions, and the position through which the log was compacted.
  ///   - rebases: A number that increases whenever a branch re-decides its commands, or a replica replaces all
  ///     events, at least 0.
  public init(erasures: Int = 0, compacted: CompactedHistory = .none, rebases: Int = 0) {
    self.erasures = erasures
    self.compacted = compacted
    self.rebases = rebases
  }

  /// The revision of a log in which no events were ever changed or removed.
  public static let original = LogRevision()

  /// The sum of ``erasures``, the number of compactions, and ``rebases``.
  ///
  /// A log's number never decreases.
  public var number: Int { erasures + compacted.count + rebases }

  /// Returns true if the counts of erasures and compactions are equal.
  package func isSameHistory(as other: LogRevision) -> Bool {
    erasures == other.erasures && compacted == other.compacted
  }

  /// The revision of this log after all events are replaced.
  ///
  /// The counts of erasures and compactions start over, but the ``number`` must not decrease.
  package var afterReplacement: LogRevision { LogRevision(rebases: number + 1) }

  /// Returns the same revision with a different value of ``rebases``.
  package func shown(by rebases: Int) -> LogRevision {
    LogRevision(erasures: erasures, compacted: compacted, rebases: rebases)
  }
}

import AnnalsLog

/// The causes of a list's next batch of changes.
package struct PendingCauses: Hashable, Sendable {
  /// The causes since the last delivery.
  package private(set) var next: ChangeCause = []
  /// The causes of changes that weren't reported, because the list's content was the same.
  package private(set) var unreported: ChangeCause = []

  /// Creates an empty set of causes.
  package init() {}

  /// Adds causes of the next batch.
  package mutating func insert(_ causes: ChangeCause) { next.formUnion(causes) }

  /// Removes the causes of a list that is about to be shown, and keeps the causes that were added later.
  package mutating func take(_ causes: ChangeCause) { next.subtract(causes) }

  /// Records that a list with the same content was shown without a notification.
  ///
  /// Only the cause ``ChangeCause/rebase`` is remembered. The next batch may move to an earlier position, so it reports
  /// this reason.
  package mutating func keepQuiet(_ causes: ChangeCause) { unreported.formUnion(causes.intersection(.rebase)) }

  /// Records that observers are notified of all causes.
  package mutating func report() { unreported = [] }
}

extension ChangeCause {
  /// Creates the causes of the difference between two revisions of a log.
  ///
  /// - Parameters:
  ///   - earlier: The revision of the former list.
  ///   - later: The revision of the new list.
  package init(from earlier: LogRevision, to later: LogRevision) {
    self = []
    if later.erasures != earlier.erasures { insert(.erasure) }
    if later.compacted != earlier.compacted { insert(.compaction) }
    if later.rebases != earlier.rebases { insert(.rebase) }
  }
}

import AnnalsLog

extension EventStoreError {
  /// True if retrying never helps.
  ///
  /// Followers and replicas of a remote log stop at such an error.
  package var isLasting: Bool {
    switch code {
    case .replaced, .rewritten, .compacted, .corrupt, .notALog, .newerFormat, .readOnly, .unsupported, .closed,
      .invalidAppend, .otherPartitions:
      true
    default: false
    }
  }
}

extension EventStoreError {
  /// True if retrying never helps.
  ///
  /// Code that follows a remote log ends with such an error.
  var isLasting: Bool {
    switch code {
    case .replaced, .rewritten, .compacted, .corrupt, .notALog, .newerFormat, .readOnly, .unsupported, .closed,
      .invalidAppend, .otherPartitions:
      true
    default: false
    }
  }
}

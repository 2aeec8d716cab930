extension EventStoreError {
  /// True if trying again does not help, however often: what follows a remote log then ends.
  var isLasting: Bool {
    switch code {
    case .replaced, .rewritten, .compacted, .corrupt, .notALog, .newerFormat, .readOnly, .unsupported, .closed,
      .invalidAppend, .otherPartitions:
      true
    default: false
    }
  }
}

extension Timeline {
  /// True if a part of the rows that were saved is lost.
  var isLost: Bool { shared.origin?.isLost ?? false }
}

extension Timeline.State {
  /// True if a part of the rows that were saved is lost.
  var isLost: Bool { rows.entries.origin?.isLost ?? false }
}

extension Timeline {
  /// True if a part of the saved rows is lost.
  var isLost: Bool { shared.origin?.isLost ?? false }
}

extension Timeline.State {
  /// True if a part of the saved rows is lost.
  var isLost: Bool { rows.entries.origin?.isLost ?? false }
}

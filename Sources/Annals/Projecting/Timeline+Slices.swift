extension Timeline {
  /// The number of events to fold before the caller may interrupt.
  private static var sliceSize: Int { 4_096 }

  /// A long range that is folded in slices.
  struct OpenRun {
    let run: EventRun<Row>
    /// The state at the live end before the run began.
    let start: State
  }

  /// Folds events into the live rows up to a position, and reports progress every few thousand events.
  ///
  /// - Parameters:
  ///   - end: The position.
  ///   - between: A closure that is called with the reached position, between transactions and at the end. If it
  ///     throws, the work ends at the reached position, and the rows folded so far are kept.
  /// - Throws: Errors of `advance(through:)` and of `between`.
  func advance(through end: Position, _ between: (Position) throws -> Void) throws {
    guard live.position < end else { return }
    var told = live.position
    try withoutActuallyEscaping(between) { between in
      try advance(through: end) { reached in
        if reached.rawValue - told.rawValue >= Self.sliceSize {
          told = reached
          try between(reached)
        }
        return true
      }
    }
    try between(live.position)
  }

  /// Folds a few thousand events on the way to a position, in whole transactions.
  ///
  /// The run stays open until the position is reached, `endSlices()` is called, or the live rows are used in another
  /// way.
  ///
  /// - Returns: The reached position, or `nil` if there are no more events to fold.
  /// - Throws: The same errors as `advance(through:)`.
  func advanceBySlice(through end: Position) throws -> Position? {
    try checkEventType(isStored: live.position > 0)
    return try inOneRevision { source in
      if shared.openRun == nil {
        let end = reachable(end)
        let part = try endOfSlices(through: end)
        guard live.position < end else { return nil }
        try open(through: part, from: source)
      }
      let start = live.position
      let mark = nextMark(after: start, through: end).flatMap {
        $0 - start.rawValue < Self.sliceSize && keepsForErasures() ? $0 : nil
      }
      let reached = try foldSlice(from: source) {
        $0.rawValue - start.rawValue < Self.sliceSize && $0.rawValue < mark ?? .max
      }
      if let mark, reached.rawValue >= mark {
        // Unfinished rows are settled before they are kept.
        endSlices()
        keepForErasures()
      }
      return reached
    }
  }
}

extension Timeline {
  /// How many events are folded before the caller may say that it is enough.
  private static var sliceSize: Int { 4_096 }

  /// A long stretch that is folded a slice at a time.
  struct OpenRun {
    let run: EventRun<Row>
    /// The live end before it began.
    let start: State
  }

  /// Folds the live end up to a position, and tells every few thousand events how far it is.
  ///
  /// - Parameters:
  ///   - end: The position.
  ///   - between: Called with the position that was reached, between two transactions and at the end; what it throws
  ///     ends the work there, and what was folded stays.
  /// - Throws: What `advance(through:)` throws, and what `between` does.
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

  /// Folds some thousand events on the way to a position, whole transactions.
  ///
  /// What the way needs stays open until the position is reached, `endSlices()` is called, or anything else is asked of
  /// the live end.
  ///
  /// - Returns: The position that was reached; nil if there is nothing more to fold.
  /// - Throws: As `advance(through:)`.
  func advanceBySlice(through end: Position) throws -> Position? {
    try checkEventType()
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
        // Rows that are being built are settled before they are kept.
        endSlices()
        keepForErasures()
      }
      return reached
    }
  }
}

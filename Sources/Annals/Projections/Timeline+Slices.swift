extension Timeline {
  /// How many events are folded before somebody may say that it is enough.
  private static var sliceSize: Int { 4_096 }

  /// Folds the live end up to a position, some thousand events at a time.
  ///
  /// - Parameters:
  ///   - end: The position.
  ///   - between: Called with the position that was reached, between two transactions; what it throws ends the work there, and
  ///     what was folded stays.
  /// - Throws: What `advance(through:)` throws, and what `between` does.
  func advance(through end: Position, _ between: (Position) throws -> Void) throws {
    while let slice = try sliceEnd(through: end) {
      try advance(through: slice)
      try between(live.position)
    }
  }

  /// Where the next slice ends: with a transaction; nil if there is nothing more to fold.
  func sliceEnd(through end: Position) throws -> Position? {
    if live.position >= end { return nil }
    let wanted = live.position.rawValue + Self.sliceSize
    if wanted >= end.rawValue { return end }
    var last = Position(wanted - 1)
    var transaction: Int?
    while true {
      let page = try store.events(.all, after: last, through: end, limit: 256)
      for event in page {
        if transaction ?? event.transaction != event.transaction { return last }
        (transaction, last) = (event.transaction, event.position)
      }
      if page.count < 256 { return end }
    }
  }
}

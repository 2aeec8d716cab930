import Annals

/// Finds the ends of transactions around a position.
struct TransactionSteps {
  let log: LogExtent
  /// Throws if the task was cancelled.
  var check: () throws -> Void = {}

  /// The end of the transaction some transactions after or before a position.
  ///
  /// Before the first one is 0; after the last one is the log's end. Backwards from the middle of a transaction, its
  /// own start is the first step. What was compacted is one step.
  func position(_ count: Int, from start: Position) throws -> Position {
    count < 0 ? try backwards(-count, start) : try forwards(count, start)
  }

  private func forwards(_ count: Int, _ start: Position) throws -> Position {
    var (position, left) = (start, count)
    let horizon = log.compacted.horizon
    if position < horizon, left > 0 { (position, left) = (horizon, left - 1) }
    while left > 0, position < log.end {
      try check()
      let page = try log.store.events(.all, after: position, through: log.end, limit: 128)
      guard let first = page.first else { return log.end }
      var last = first
      var hasPassed = false
      for event in page.dropFirst() {
        if event.transaction != last.transaction {
          (position, left, hasPassed) = (last.position, left - 1, true)
          if left == 0 { return position }
        }
        last = event
      }
      if page.count < 128 { return log.end }
      // The page ends in a transaction whose end is elsewhere.
      if !hasPassed {
        position = try log.store.index.transaction(of: last).upperBound
        left -= 1
      }
    }
    return min(position, log.end)
  }

  private func backwards(_ count: Int, _ start: Position) throws -> Position {
    var (position, left) = (start, count)
    let horizon = log.compacted.horizon
    while left > 0, position > 0 {
      try check()
      if position <= horizon { return 0 }
      let page = try log.store.eventsBackwards(.all, after: 0, through: position, limit: 128)
      guard let first = page.first else { return 0 }
      var last = first
      var hasPassed = false
      for event in page.dropFirst() {
        if event.transaction != last.transaction {
          (position, left, hasPassed) = (event.position, left - 1, true)
          if position <= horizon { return left == 0 ? horizon : 0 }
          if left == 0 { return position }
        }
        last = event
      }
      if page.count < 128 { return 0 }
      if !hasPassed {
        position = try log.store.index.transaction(of: last).lowerBound.before
        left -= 1
      }
    }
    return position < horizon ? 0 : position
  }
}

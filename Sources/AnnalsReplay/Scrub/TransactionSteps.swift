import Annals

/// Finds the ends of transactions around a position.
struct TransactionSteps {
  let log: LogExtent
  /// Throws if the task was cancelled.
  var check: () throws -> Void = {}

  /// Returns the end of the transaction some transactions after or before a position.
  ///
  /// Before the first one is 0, and after the last one is the end of the log. Backwards from the middle of a
  /// transaction, its own start is the first step. Compacted history is one step.
  func position(_ count: Int, from start: Position) throws -> Position {
    let (forwards, horizon) = (count > 0, log.compacted.horizon)
    var (position, left) = (start, abs(count))
    if forwards, left > 0, position < horizon { (position, left) = (horizon, left - 1) }
    while left > 0, forwards ? position < log.end : position > 0 {
      try check()
      if !forwards, position <= horizon { return 0 }
      let page = try log.page(.all, from: position, forwards: forwards, limit: 128)
      guard var last = page.first else { return forwards ? log.end : 0 }
      let before = position
      for event in page.dropFirst() {
        if event.transaction != last.transaction {
          (position, left) = (forwards ? last.position : event.position, left - 1)
          if !forwards, position <= horizon { return left == 0 ? horizon : 0 }
          if left == 0 { return position }
        }
        last = event
      }
      if page.count < 128 { return forwards ? log.end : 0 }
      // The transaction at the page's end has its other end elsewhere.
      if position == before {
        let whole = try log.store.index.transaction(of: last)
        position = forwards ? whole.upperBound : whole.lowerBound.before
        left -= 1
      }
    }
    return forwards ? min(position, log.end) : position < horizon ? 0 : position
  }
}

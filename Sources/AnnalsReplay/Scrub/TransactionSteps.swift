import Annals
import AnnalsSQLite

/// Finds the ends of transactions around a position.
struct TransactionSteps {
  let log: LogExtent
  /// Throws if the task was cancelled.
  var check: () throws -> Void = {}

  /// The end of the transaction some transactions after or before a position.
  ///
  /// Before the first one is 0; after the last one is the log's end. Backwards from the middle of a transaction, its own
  /// start is the first step. What was compacted is one step.
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
        position = try end(of: last)
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
        position = try log.startOfTransaction(of: last).before
        left -= 1
      }
    }
    return position < horizon ? 0 : position
  }

  /// The last position of an event's transaction.
  func end(of event: StoredEvent) throws -> Position {
    if let store = log.store as? SQLiteEventStore {
      return try store.range(ofTransaction: event.transaction)?.upperBound ?? event.position
    }
    var last = event.position
    while true {
      let page = try log.store.events(.all, after: last, through: log.end, limit: 128)
      let own = page.prefix { $0.transaction == event.transaction }
      last = own.last?.position ?? last
      if own.count < 128 { return last }
    }
  }
}

extension LogExtent {
  /// The event at a position, or the last one before it.
  func event(at position: Position) throws -> StoredEvent? {
    position == 0 ? nil : try store.eventsBackwards(.all, after: 0, through: position, limit: 1).first
  }

  /// The first position of an event's transaction.
  func startOfTransaction(of event: StoredEvent) throws -> Position {
    if let store = store as? SQLiteEventStore {
      return try store.range(ofTransaction: event.transaction)?.lowerBound ?? event.position
    }
    var first = event.position
    while first > 1 {
      let more = try store.eventsBackwards(.all, after: 0, through: first.before, limit: 64)
      let own = more.prefix { $0.transaction == event.transaction }
      first = own.last?.position ?? first
      if own.count < 64 { break }
    }
    return first
  }
}

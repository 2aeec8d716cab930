import Annals

/// What one batch contains.
enum Batching {
  case transaction
  case events(Int)

  init(_ text: String) throws {
    switch text {
    case "transaction": self = .transaction
    case "event": self = .events(1)
    default:
      guard let count = Arguments.wholeNumber(text), count > 0 else {
        throw ReplayError.usage("--batch: expected transaction, event or a number from 1, found \"\(text)\"")
      }
      self = .events(count)
    }
  }

  /// Calls a closure with the end of each batch between two positions, in order.
  func forEachEnd(
    _ session: Session, _ log: LogExtent, after from: Position, through to: Position,
    _ body: (Position) throws -> Void
  ) throws {
    try forEachBatch(session, log, after: from, through: to) { end, _ in try body(end) }
  }

  /// Calls a closure with the end of each batch between two positions, and with its events, in order.
  ///
  /// Of a batch of more than a thousand events it is given none.
  ///
  /// The compacted part is one batch, because only its last state remains.
  func forEachBatch(
    _ session: Session, _ log: LogExtent, after from: Position, through to: Position,
    _ body: (Position, [StoredEvent]) throws -> Void
  ) throws {
    let horizon = log.compacted.horizon
    var (last, transaction, count) = (nil as Position?, 0, 0)
    var events: [StoredEvent] = []
    func end(at position: Position) throws {
      try body(position, count == events.count ? events : [])
      events.removeAll(keepingCapacity: true)
      count = 0
    }
    try session.forEachEvent(of: log.store, after: from, through: to) { event in
      if let last {
        let isWhole =
          if last <= horizon { event.position > horizon } else {
            switch self {
            case .transaction: event.transaction != transaction
            case .events(let size): count == size
            }
          }
        if isWhole { try end(at: max(last, horizon)) }
      }
      (last, transaction) = (event.position, event.transaction)
      count += 1
      if count <= ListBatch.namedEvents { events.append(event) }
    }
    if let last { try end(at: max(last, min(horizon, to))) }
  }
}

package import Foundation

/// A log that shows another log's events in a different form, without some events, or only up to a position.
///
/// Positions, versions and receipts are the same in the view and in the other log.
///
///     func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
///       try wrapped.read { log in try body(EventLogView(of: log) { key.decrypt($0) }) }
///     }
///
/// The view passes queries to the other log. So a query selects events by the types, tags and streams that the other
/// log contains, not by the view's form of the events.
public struct EventLogView: EventLog {
  private let log: any EventLog
  private let end: Position?
  private let mayChange: @Sendable (_ after: Position, _ through: Position) -> Bool
  private let transform: (@Sendable (StoredEvent) throws -> StoredEvent?)?

  /// Creates a view that changes or hides events.
  ///
  /// - Parameters:
  ///   - log: The log to view.
  ///   - mayChange: A closure that returns whether `transform` might change or hide events in a range. Its arguments
  ///     are the position before the range, and the range's last position. If the closure returns false, the view can
  ///     return the range's events as bytes, without calling `transform`, which is faster. The default always returns
  ///     true.
  ///   - transform: A closure that returns an event in the view's form, or `nil` to hide the event. The closure must
  ///     not change the event's position, transaction, stream, version and identity.
  public init(
    of log: any EventLog,
    mayChange: @escaping @Sendable (_ after: Position, _ through: Position) -> Bool = { _, _ in true },
    transform: @escaping @Sendable (StoredEvent) throws -> StoredEvent?
  ) {
    self.log = log
    end = nil
    self.mayChange = mayChange
    self.transform = transform
  }

  /// Creates a view that ends at a position, and hides all later events.
  ///
  /// - Parameters:
  ///   - log: The log to view.
  ///   - end: The last position of the view, which is the position of a transaction's last event, or 0. A compaction
  ///     must not have removed events after this position.
  public init(of log: any EventLog, through end: Position) {
    self.log = log
    self.end = end
    mayChange = { _, _ in false }
    transform = nil
  }

  private func last(_ position: Position?) -> Position? {
    guard let end else { return position }
    return min(position ?? end, end)
  }

  /// Returns the view's last position.
  public func head() throws -> Position { try end ?? log.head() }

  /// Returns the other log's revision.
  public func revision() throws -> LogRevision { try log.revision() }

  /// Returns the position through which the view's events haven't changed since an earlier revision.
  public func unchanged(since earlier: LogRevision) throws -> Position {
    let unchanged = try log.unchanged(since: earlier)
    return end.map { min(unchanged, $0) } ?? unchanged
  }

  /// Returns the position after which a `Branch` can replace the view's events, or `nil` if all events are final.
  ///
  /// A branch replaces a command's events when it calls `decide` for the command with a newer state.
  public func stableEnd() throws -> Position? {
    try log.stableEnd().map { stable in end.map { min(stable, $0) } ?? stable }
  }

  /// Returns a stream's version at the view's last position.
  public func version(of stream: StreamName) throws -> Int {
    // The versions of a stream have no gaps, so the next event's version gives the number of events before it.
    let next = try end.flatMap { try log.events(.stream(stream), after: $0, through: nil, limit: 1).first }
    return try next.map { $0.version - 1 } ?? log.version(of: stream)
  }

  /// Returns an event's position, or `nil` if the event is after the view's last position or was never in the log.
  public func position(of id: EventID) throws -> Position? {
    guard let position = try log.position(of: id), position <= end ?? position else { return nil }
    return position
  }

  /// Returns the receipt of a command in the other log.
  public func receipt(ofCommand commandID: String) throws -> Receipt? { try log.receipt(ofCommand: commandID) }

  /// Reads the events that match a query, in the view's form.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    guard let transform else { return try log.events(query, after: after, through: last(through), limit: limit) }
    var found: [StoredEvent] = []
    var after = after
    while true {
      let read = try log.events(query, after: after, through: through, limit: limit)
      for event in read {
        if let event = try transform(event) { found.append(event) }
        if found.count == limit { return found }
      }
      guard read.count == limit, let last = read.last else { return found }
      after = last.position
    }
  }

  /// Reads the events that match a query, newest first, in the view's form.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    guard let transform else {
      return try log.eventsBackwards(query, after: after, through: last(through), limit: limit)
    }
    var found: [StoredEvent] = []
    var through = through
    while true {
      let read = try log.eventsBackwards(query, after: after, through: through, limit: limit)
      for event in read {
        if let event = try transform(event) { found.append(event) }
        if found.count == limit { return found }
      }
      guard read.count == limit, let first = read.last, first.position > 1 else { return found }
      through = Position(first.position.rawValue - 1)
    }
  }

  /// Reads events of all types as a batch, in the view's form.
  public func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    guard let transform else { return try log.batch(after: after, through: last(through) ?? through, limit: limit) }
    var after = after
    while true {
      let batch = try log.batch(after: after, through: through, limit: limit)
      guard let last = batch.last, mayChange(after, last) else { return batch }
      let events = try batch.events.compactMap(transform)
      if !events.isEmpty { return EventBatch(events) }
      // An empty batch would mean that the range has no more events.
      after = last
    }
  }

  /// Reads events of the requested types as a batch, in the view's form.
  public func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    // The view can change an event's type, so the types are known only after the events were transformed.
    guard transform == nil else { return try batch(after: after, through: through, limit: limit) }
    return try log.batch(of: types, after: after, through: last(through) ?? through, limit: limit)
  }
}

extension EventLogView: ClockedLog {
  package var now: Date { log.clockTime }
}

public import Foundation

/// A log that wraps another log.
///
/// The protocol's extension forwards all members to the wrapped log. So a conforming type declares only ``wrapped`` and
/// the members that it changes. A type that changes the events must implement all methods that return events. To change
/// events, use an ``EventLogView``, which implements all of these methods.
public protocol ForwardingEventLog: EventLog {
  /// The wrapped log.
  var wrapped: any EventLog { get }
}

extension ForwardingEventLog {
  /// Returns the position of the wrapped log's last event.
  public func head() throws -> Position { try wrapped.head() }
  /// Returns the wrapped log's revision.
  public func revision() throws -> LogRevision { try wrapped.revision() }
  /// Returns the position through which the wrapped log's events haven't changed since an earlier revision.
  public func unchanged(since earlier: LogRevision) throws -> Position { try wrapped.unchanged(since: earlier) }
  /// Returns the wrapped log's position after which a `Branch` can replace events, or `nil` if all events are final.
  ///
  /// A branch replaces a command's events when it calls `decide` for the command with a newer state.
  public func stableEnd() throws -> Position? { try wrapped.stableEnd() }
  /// Returns a stream's version in the wrapped log.
  public func version(of stream: StreamName) throws -> Int { try wrapped.version(of: stream) }
  /// Returns an event's position in the wrapped log.
  public func position(of id: EventID) throws -> Position? { try wrapped.position(of: id) }
  /// Returns the position at which the wrapped log ended at a point in time.
  public func position(at time: Date) throws -> Position { try wrapped.position(at: time) }
  /// Returns the receipt of the command that was committed to the wrapped log under an id.
  public func receipt(ofCommand commandID: String) throws -> Receipt? { try wrapped.receipt(ofCommand: commandID) }

  /// Reads the wrapped log's events that match a query.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try wrapped.events(query, after: after, through: through, limit: limit)
  }

  /// Reads the wrapped log's events that match a query, newest first.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try wrapped.eventsBackwards(query, after: after, through: through, limit: limit)
  }

  /// Reads the wrapped log's events as a batch.
  public func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    try wrapped.batch(after: after, through: through, limit: limit)
  }

  /// Reads the wrapped log's events of the requested types as a batch.
  public func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try wrapped.batch(of: types, after: after, through: through, limit: limit)
  }

  /// Reads the wrapped log's events after a position, together with the log's last position and revision.
  public func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    try wrapped.tail(after: after, through: through, limit: limit)
  }

  /// Reads a stream's events after a position from the wrapped log.
  public func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    try wrapped.tail(of: stream, after: after)
  }

  /// Reads a stream's events after the event with the given position and version, from the wrapped log.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    try wrapped.tail(of: stream, after: after, version: version)
  }
}

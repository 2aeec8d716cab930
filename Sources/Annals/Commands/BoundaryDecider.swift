/// A decider whose state is built from all events that a command depends on, regardless of the events' streams.
///
/// A query over tags and event types selects these events. This query is the command's boundary, which the
/// specification dcb.events calls a "dynamic consistency boundary". The command's events are appended only if no event
/// that matches the query was appended since the decision. Commands whose boundaries don't overlap never conflict.
///
///     struct Seats: BoundaryDecider {
///       static func boundary(for command: Command) -> EventQuery { .tagged("seat:\(command.seat)") }
///       …
///     }
///     try store.execute(.book(seat: 7), on: .boundary(Seats.self))
///
/// A command's events are appended to one stream, ``stream(for:)``. By default, the stream is named after the decider's
/// ``Decider/category``. Give the events the tags that the query requires. Without these tags, the events are outside
/// the next command's boundary, so the next decision ignores the events.
public protocol BoundaryDecider: Decider {
  /// Returns the query for exactly the events that the decision on a command depends on.
  ///
  /// In the query, use the current names of event types. The query also matches events that are stored under former
  /// names, and older events that an ``Upcaster`` converts to these types.
  ///
  /// - Parameter command: The command to execute.
  /// - Returns: The query.
  static func boundary(for command: Command) -> EventQuery

  /// Returns the stream to which a command's events are appended, by default the stream that is named after the
  /// decider's category, such as `Seats`.
  ///
  /// If another ``Decider`` handles commands for the same thing, return that decider's stream, so that the other
  /// decider also gets the events of this decider:
  ///
  ///     static func stream(for command: Command) -> StreamName { Card.stream(command.card) }
  ///
  /// Only ``boundary(for:)`` determines which events a command depends on. So if a command depends on all events of the
  /// stream, the boundary must also contain the stream.
  ///
  /// - Parameter command: The command to execute.
  /// - Returns: The stream's name.
  static func stream(for command: Command) -> StreamName
}

extension BoundaryDecider {
  /// Returns the stream that is named after the decider's category.
  public static func stream(for command: Command) -> StreamName { StreamName(category) }
}

/// A decider whose state is built from all events that a command depends on, regardless of their stream.
///
/// A query over tags and types selects these events. The query is the command's boundary, which the specification
/// dcb.events calls a "dynamic consistency boundary". The command's events are appended only if the query matches no
/// event that was appended after the decision. Commands whose boundaries don't overlap never conflict.
///
///     struct Seats: BoundaryDecider {
///       static func boundary(for command: Command) -> EventQuery { .tagged("seat:\(command.seat)") }
///       …
///     }
///     try store.execute(.book(seat: 7), on: Seats.self)
///
/// The events of a command are appended to one stream, ``stream(for:)``. By default, this is the category's stream.
/// Give the events the tags that the boundary queries. Without these tags, the events are outside the boundary of the
/// next command, so the next decision ignores them.
public protocol BoundaryDecider: Decider {
  /// The query for exactly the events that the decision on a command depends on.
  ///
  /// Use the current names of event types. The query also matches events that are stored under former names, and events
  /// that upcasters turn into events of these types.
  ///
  /// - Parameter command: The command to execute.
  /// - Returns: The query.
  static func boundary(for command: Command) -> EventQuery

  /// The stream to which the events of a command are appended, by default the stream named after the category, such as
  /// `Seats`.
  ///
  /// If a ``Decider`` handles other commands for the same thing, return that decider's stream, so that it also sees the
  /// events of this decider:
  ///
  ///     static func stream(for command: Command) -> StreamName { Card.stream(command.card) }
  ///
  /// Only ``boundary(for:)`` determines which events a command depends on. So if a command depends on all events of the
  /// stream, name the stream in the boundary, too.
  ///
  /// - Parameter command: The command to execute.
  /// - Returns: The stream's name.
  static func stream(for command: Command) -> StreamName
}

extension BoundaryDecider {
  /// The stream that is named after the category.
  public static func stream(for command: Command) -> StreamName { StreamName(category) }
}

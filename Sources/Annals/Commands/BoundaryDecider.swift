/// A decider whose state is built from all events that a command depends on, in any stream.
///
/// A query over tags and types selects these events. It is the command's boundary (dcb.events, "dynamic consistency
/// boundary"). The command's events are appended only if the query matches no event that was appended after the
/// decision. Commands whose boundaries don't overlap never conflict.
///
///     struct Seats: BoundaryDecider {
///       static func boundary(for command: Command) -> EventQuery { .tagged("seat:\(command.seat)") }
///       …
///     }
///     try store.execute(.book(seat: 7), on: Seats.self)
///
/// The events of a command are appended to one stream, ``stream(for:)``. By default, this is the category's stream.
/// Give the events the tags that the boundary queries. Otherwise they are outside the boundary of the next command,
/// which then doesn't see them.
public protocol BoundaryDecider: Decider {
  /// The query for exactly the events that the decision on a command depends on.
  ///
  /// Use the current names of event types. The query also matches events that are stored under former names, and events
  /// that upcasters turn into events of these types.
  ///
  /// - Parameter command: The command to execute.
  /// - Returns: The query.
  static func boundary(for command: Command) -> EventQuery

  /// The stream to which the events of a command are appended, by default the stream named after the category, `Seats`.
  ///
  /// If a ``Decider`` decides about the same thing, return its stream, so that both deciders see the other's events:
  ///
  ///     static func stream(for command: Command) -> StreamName { Card.stream(command.card) }
  ///
  /// The stream doesn't affect which events a command depends on. Only ``boundary(for:)`` does. So a decider that must
  /// see all events of the stream also names the stream in its boundary.
  ///
  /// - Parameter command: The command to execute.
  /// - Returns: The stream's name.
  static func stream(for command: Command) -> StreamName
}

extension BoundaryDecider {
  /// The stream that is named after the category.
  public static func stream(for command: Command) -> StreamName { StreamName(category) }
}

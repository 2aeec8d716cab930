/// A decider whose state is folded from all events that a command depends on, in whatever streams they are.
///
/// A query over tags and types says which events these are. It is the command's boundary (dcb.events, "dynamic
/// consistency boundary"). The command's events are appended only if nothing that the query matches was appended
/// meanwhile. Two commands whose boundaries have nothing in common never disturb each other.
///
///     struct Seats: BoundaryDecider {
///       static func boundary(for command: Command) -> EventQuery { .tagged("seat:\(command.seat)") }
///       …
///     }
///     try store.execute(.book(seat: 7), on: Seats.self)
///
/// The events go to the stream that the category names. Give them the tags that the boundary asks for: what a command
/// decides must lie inside the boundary of the next one, or the next one does not see it.
public protocol BoundaryDecider: Decider {
  /// The events that the decision on a command depends on, and no others.
  ///
  /// Name types as they are called today. Events that are stored under former names are inside too, and so are events
  /// that upcasters turn into events of these types.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: The query.
  static func boundary(for command: Command) -> EventQuery
}

extension BoundaryDecider {
  /// The stream of the category's events.
  static var stream: StreamName { StreamName(category) }
}

/// A decider whose state is folded from all events that a command depends on, in whatever streams they are.
///
/// Which events these are is said by a query over tags and types, the command's boundary (dcb.events, "dynamic consistency
/// boundary"). The command's events are appended only if nothing that the query matches was appended meanwhile; two
/// commands whose boundaries have nothing in common never disturb each other.
///
///     struct Seats: BoundaryDecider {
///       static func boundary(for command: Command) -> EventQuery { .tagged("seat:\(command.seat)") }
///       …
///     }
///     try store.execute(.book(seat: 7), on: Seats.self)
///
/// The events go to the stream that is named by the category. They must carry the tags that the boundary asks for: what a
/// command decides lies inside the boundary of the next one, or that one does not see it.
public protocol BoundaryDecider: Decider {
  /// The events that the decision on a command depends on, and no others.
  ///
  /// Types are today's names: events that are stored under former names, or that upcasters make events of these types of,
  /// are inside too.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: The query.
  static func boundary(for command: Command) -> EventQuery
}

extension BoundaryDecider {
  /// The stream of the category's events.
  static var stream: StreamName { StreamName(category) }
}

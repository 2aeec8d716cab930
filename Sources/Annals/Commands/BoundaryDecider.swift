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
/// The events of a command go to one stream, ``stream(for:)``: that of the category, unless you name another. Give
/// them the tags that the boundary asks for: what a command decides must lie inside the boundary of the next one, or
/// the next one does not see it.
public protocol BoundaryDecider: Decider {
  /// The events that the decision on a command depends on, and no others.
  ///
  /// Name types as they are called today. Events that are stored under former names are inside too, and so are events
  /// that upcasters turn into events of these types.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: The query.
  static func boundary(for command: Command) -> EventQuery

  /// The stream that the events of a command go to; by default the one that the category names, `Seats`.
  ///
  /// Name the stream of a ``Decider`` if both decide about the same thing, so that each sees what the other decided:
  ///
  ///     static func stream(for command: Command) -> StreamName { Card.stream(command.card) }
  ///
  /// The stream says nothing about what a command depends on. That is its ``boundary(for:)``: a decider that must see
  /// all events of the stream names the stream there too.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: The stream's name.
  static func stream(for command: Command) -> StreamName
}

extension BoundaryDecider {
  /// The stream that the category names.
  public static func stream(for command: Command) -> StreamName { StreamName(category) }
}

/// A union of two event types, as described in ``EventUnion``.
///
///     typealias Event = EventUnion2<PersonEvent, TaskEvent>
///
/// For more types, write a custom ``EventUnion``, or nest unions.
public enum EventUnion2<First: Event, Second: Event>: EventUnion {
  /// An event of the first type.
  case first(First)
  /// An event of the second type.
  case second(Second)

  /// The member types, in the order of the generic parameters.
  public static var members: [EventMember<Self>] {
    [EventMember(Self.first), EventMember(Self.second)]
  }

  /// The event that this union value contains.
  public var event: any Event {
    switch self {
    case .first(let event): event
    case .second(let event): event
    }
  }

  /// Creates a union event from an event of the first type.
  ///
  /// - Parameter event: The event to wrap.
  public init(_ event: First) { self = .first(event) }

  /// Creates a union event from an event of the second type.
  ///
  /// - Parameter event: The event to wrap.
  public init(_ event: Second) { self = .second(event) }
}

extension EventUnion2: Equatable where First: Equatable, Second: Equatable {}
extension EventUnion2: Hashable where First: Hashable, Second: Hashable {}

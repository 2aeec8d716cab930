// The unions of two and three event types.

/// A union of two event types, as described in ``EventUnion``.
///
///     typealias Event = EventUnion2<PersonEvent, TaskEvent>
///
/// For more than three types, nest unions, or write a custom ``EventUnion``.
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

/// A union of three event types, as described in ``EventUnion``.
public enum EventUnion3<First: Event, Second: Event, Third: Event>: EventUnion {
  /// An event of the first type.
  case first(First)
  /// An event of the second type.
  case second(Second)
  /// An event of the third type.
  case third(Third)

  /// The member types, in the order of the generic parameters.
  public static var members: [EventMember<Self>] {
    [EventMember(Self.first), EventMember(Self.second), EventMember(Self.third)]
  }

  /// The event that this union value contains.
  public var event: any Event {
    switch self {
    case .first(let event): event
    case .second(let event): event
    case .third(let event): event
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

  /// Creates a union event from an event of the third type.
  ///
  /// - Parameter event: The event to wrap.
  public init(_ event: Third) { self = .third(event) }
}

extension EventUnion3: Equatable where First: Equatable, Second: Equatable, Third: Equatable {}
extension EventUnion3: Hashable where First: Hashable, Second: Hashable, Third: Hashable {}

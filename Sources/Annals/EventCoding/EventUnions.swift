// The unions of two to five event types.

/// Events of two types as one; see ``EventUnion``.
///
///     typealias Event = EventUnion2<PersonEvent, TaskEvent>
///
/// For more than five types, give unions to a union, or write an ``EventUnion`` of your own.
public enum EventUnion2<First: Event, Second: Event>: EventUnion {
  /// An event of the first type.
  case first(First)
  /// An event of the second type.
  case second(Second)

  /// The types, in their order.
  public static var members: [EventMember<Self>] {
    [EventMember(Self.first), EventMember(Self.second)]
  }

  /// The event that it holds.
  public var event: any Event {
    switch self {
    case .first(let event): event
    case .second(let event): event
    }
  }

  /// Holds an event of the first type.
  ///
  /// - Parameter event: The event.
  public init(_ event: First) { self = .first(event) }

  /// Holds an event of the second type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Second) { self = .second(event) }
}

extension EventUnion2: Equatable where First: Equatable, Second: Equatable {}
extension EventUnion2: Hashable where First: Hashable, Second: Hashable {}

/// Events of three types as one; see ``EventUnion``.
public enum EventUnion3<First: Event, Second: Event, Third: Event>: EventUnion {
  /// An event of the first type.
  case first(First)
  /// An event of the second type.
  case second(Second)
  /// An event of the third type.
  case third(Third)

  /// The types, in their order.
  public static var members: [EventMember<Self>] {
    [EventMember(Self.first), EventMember(Self.second), EventMember(Self.third)]
  }

  /// The event that it holds.
  public var event: any Event {
    switch self {
    case .first(let event): event
    case .second(let event): event
    case .third(let event): event
    }
  }

  /// Holds an event of the first type.
  ///
  /// - Parameter event: The event.
  public init(_ event: First) { self = .first(event) }

  /// Holds an event of the second type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Second) { self = .second(event) }

  /// Holds an event of the third type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Third) { self = .third(event) }
}

extension EventUnion3: Equatable where First: Equatable, Second: Equatable, Third: Equatable {}
extension EventUnion3: Hashable where First: Hashable, Second: Hashable, Third: Hashable {}

/// Events of four types as one; see ``EventUnion``.
public enum EventUnion4<First: Event, Second: Event, Third: Event, Fourth: Event>: EventUnion {
  /// An event of the first type.
  case first(First)
  /// An event of the second type.
  case second(Second)
  /// An event of the third type.
  case third(Third)
  /// An event of the fourth type.
  case fourth(Fourth)

  /// The types, in their order.
  public static var members: [EventMember<Self>] {
    [EventMember(Self.first), EventMember(Self.second), EventMember(Self.third), EventMember(Self.fourth)]
  }

  /// The event that it holds.
  public var event: any Event {
    switch self {
    case .first(let event): event
    case .second(let event): event
    case .third(let event): event
    case .fourth(let event): event
    }
  }

  /// Holds an event of the first type.
  ///
  /// - Parameter event: The event.
  public init(_ event: First) { self = .first(event) }

  /// Holds an event of the second type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Second) { self = .second(event) }

  /// Holds an event of the third type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Third) { self = .third(event) }

  /// Holds an event of the fourth type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Fourth) { self = .fourth(event) }
}

extension EventUnion4: Equatable where First: Equatable, Second: Equatable, Third: Equatable, Fourth: Equatable {}
extension EventUnion4: Hashable where First: Hashable, Second: Hashable, Third: Hashable, Fourth: Hashable {}

/// Events of five types as one; see ``EventUnion``.
public enum EventUnion5<First: Event, Second: Event, Third: Event, Fourth: Event, Fifth: Event>: EventUnion {
  /// An event of the first type.
  case first(First)
  /// An event of the second type.
  case second(Second)
  /// An event of the third type.
  case third(Third)
  /// An event of the fourth type.
  case fourth(Fourth)
  /// An event of the fifth type.
  case fifth(Fifth)

  /// The types, in their order.
  public static var members: [EventMember<Self>] {
    [
      EventMember(Self.first), EventMember(Self.second), EventMember(Self.third), EventMember(Self.fourth),
      EventMember(Self.fifth),
    ]
  }

  /// The event that it holds.
  public var event: any Event {
    switch self {
    case .first(let event): event
    case .second(let event): event
    case .third(let event): event
    case .fourth(let event): event
    case .fifth(let event): event
    }
  }

  /// Holds an event of the first type.
  ///
  /// - Parameter event: The event.
  public init(_ event: First) { self = .first(event) }

  /// Holds an event of the second type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Second) { self = .second(event) }

  /// Holds an event of the third type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Third) { self = .third(event) }

  /// Holds an event of the fourth type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Fourth) { self = .fourth(event) }

  /// Holds an event of the fifth type.
  ///
  /// - Parameter event: The event.
  public init(_ event: Fifth) { self = .fifth(event) }
}

extension EventUnion5: Equatable
where First: Equatable, Second: Equatable, Third: Equatable, Fourth: Equatable, Fifth: Equatable {}
extension EventUnion5: Hashable
where First: Hashable, Second: Hashable, Third: Hashable, Fourth: Hashable, Fifth: Hashable {}

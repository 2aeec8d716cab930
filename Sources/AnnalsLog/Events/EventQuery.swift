/// A query that selects events by stream, category, type and tag.
///
/// A query is a list of alternatives, as defined in the section "Query" of the Dynamic Consistency Boundary
/// specification (dcb.events). An event matches the query if it matches at least one alternative. An alternative
/// consists of a set of streams, a set of categories, a set of types and a set of tags. An event matches the
/// alternative if the event's stream, category and type are in these sets, and if the event has all tags of the
/// alternative. An empty set is ignored, so it doesn't restrict the events.
///
///     let query: EventQuery = .tagged("card:7") || .tagged("board:1")
public struct EventQuery: Hashable, Sendable {
  /// One of a query's alternatives, which restricts the streams, categories, types and tags of events.
  public struct Alternative: Hashable, Sendable {
    /// The streams that a matching event may belong to, or an empty set for any stream.
    public var streams: Set<StreamName>
    /// The categories to which the stream of a matching event may belong, or an empty set for any stream.
    ///
    /// See ``EventQuery/category(_:)``. A category can't be empty.
    public var categories: Set<String> {
      didSet { Self.check(categories) }
    }
    /// The types that a matching event may have, or an empty set for any type.
    public var types: Set<String>
    /// All tags that a matching event must have, or an empty set for any tags.
    public var tags: Set<EventTag>

    /// Creates an alternative.
    ///
    /// - Parameters:
    ///   - streams: The streams that a matching event may belong to, or an empty set for any stream.
    ///   - categories: The categories to which the stream of a matching event may belong, or an empty set for any
    ///     stream. If a category is empty, the program traps.
    ///   - types: The types that a matching event may have, or an empty set for any type.
    ///   - tags: All tags that a matching event must have, or an empty set for any tags.
    public init(
      streams: Set<StreamName> = [], categories: Set<String> = [], types: Set<String> = [], tags: Set<EventTag> = []
    ) {
      Self.check(categories)
      self.streams = streams
      self.categories = categories
      self.types = types
      self.tags = tags
    }

    private static func check(_ categories: Set<String>) {
      precondition(
        !categories.contains(""),
        "a category must not be empty; use EventQuery.all for every stream, or the name before the hyphen, such as "
          + "\"Concert\" for \"Concert-7\"")
    }
  }

  /// The alternatives, or `nil` if the query matches all events.
  ///
  /// An event matches the query if it matches at least one alternative.
  public var alternatives: [Alternative]?

  /// Creates a query from alternatives.
  ///
  /// - Parameter alternatives: The alternatives. With an empty array, the query matches no events.
  public init(_ alternatives: [Alternative]) {
    self.alternatives = alternatives
  }

  private init() {
    alternatives = nil
  }

  /// The query that matches all events of the log.
  public static let all = EventQuery()

  /// Returns a query for the events of one stream.
  ///
  /// - Parameter stream: The stream.
  /// - Returns: The query.
  public static func stream(_ stream: StreamName) -> EventQuery {
    EventQuery([Alternative(streams: [stream])])
  }

  /// Returns a query for the events of all streams of a category.
  ///
  /// A stream belongs to a category if its name consists of the category, a hyphen and an identifier. For example,
  /// the streams `Concert-7` and `Concert-2026-05` belong to the category `Concert`, but `ConcertHall-1` and `Concert`
  /// don't. The streams of a `Decider` belong to its `category`. Names are compared by their Unicode scalars.
  ///
  ///     for event in try store.events(of: ConcertEvent.self, .category(Concert.category)) { … }
  ///
  /// If a category contains a hyphen, its streams also belong to a shorter category. For example, the stream
  /// `Concert-Hall-1` belongs to the category `Concert-Hall`, and also to the category `Concert`, because `Hall-1`
  /// could be the identifier of a concert.
  ///
  /// - Parameter category: The category, without the hyphen. If the string is empty, the program traps.
  /// - Returns: The query.
  public static func category(_ category: String) -> EventQuery {
    EventQuery([Alternative(categories: [category])])
  }

  /// Returns a query for the events of any of the given types.
  ///
  /// - Parameter types: The types of the events to select, at least one.
  /// - Returns: The query.
  public static func types(_ types: String...) -> EventQuery { .types(types) }

  /// Returns a query for the events of any of the given types, passed as an array.
  ///
  /// - Parameter types: The types of the events to select, at least one. If the array is empty, the program traps,
  ///   because an empty array could mean all events or no events.
  /// - Returns: The query.
  public static func types(_ types: [String]) -> EventQuery {
    precondition(
      !types.isEmpty,
      "types() requires at least one type; use EventQuery.all for every event, or EventQuery([]) for no event")
    return EventQuery([Alternative(types: Set(types))])
  }

  /// Returns a query for the events that have all of the given tags.
  ///
  /// - Parameter tags: The tags, at least one.
  /// - Returns: The query.
  public static func tagged(_ tags: EventTag...) -> EventQuery { .tagged(tags) }

  /// Returns a query for the events that have all of the given tags, passed as an array.
  ///
  /// - Parameter tags: The tags, at least one. If the array is empty, the program traps, because the query would match
  ///   every event in the log. If you used such a query in an ``Append/Condition``, the store would refuse almost every
  ///   append.
  /// - Returns: The query.
  public static func tagged(_ tags: [EventTag]) -> EventQuery {
    precondition(
      !tags.isEmpty,
      "tagged() requires at least one tag; use EventQuery.all for every event, or EventQuery([]) for no event")
    return EventQuery([Alternative(tags: Set(tags))])
  }

  /// Returns a query for the events that match this query, another query, or both.
  ///
  /// - Parameter other: The other query.
  /// - Returns: A query with the alternatives of both queries.
  public func union(_ other: EventQuery) -> EventQuery {
    guard let alternatives, let others = other.alternatives else { return .all }
    return EventQuery(alternatives + others)
  }

  /// Returns whether the query matches an event.
  ///
  /// - Parameter event: The event.
  /// - Returns: True if the event matches at least one alternative, or if the query matches all events.
  public func matches(_ event: StoredEvent) -> Bool {
    matches(stream: event.stream, type: event.type, tags: event.tags)
  }

  /// Returns whether the query would match an event that isn't stored yet.
  package func matches(stream: StreamName, type: String, tags: Set<EventTag>) -> Bool {
    guard let alternatives else { return true }
    return alternatives.contains { alternative in
      (alternative.streams.isEmpty || alternative.streams.contains(stream))
        && (alternative.categories.isEmpty || alternative.categories.contains { stream.belongs(to: $0) })
        && (alternative.types.isEmpty || alternative.types.contains { ExactString($0) == ExactString(type) })
        && alternative.tags.isSubset(of: tags)
    }
  }
}

extension EventQuery.Alternative {
  /// The same alternative without redundant categories, or `nil` if no stream belongs to the categories.
  ///
  /// The result has streams or categories, but not both, so a store needs no plan for both.
  package var reduced: EventQuery.Alternative? {
    if streams.isEmpty || categories.isEmpty { return self }
    var reduced = self
    reduced.streams = streams.filter { stream in categories.contains { stream.belongs(to: $0) } }
    reduced.categories = []
    return reduced.streams.isEmpty ? nil : reduced
  }
}

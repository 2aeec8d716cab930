/// A query that selects events by stream, type and tag.
///
/// A query is a list of alternatives, as defined in the section "Query" of the Dynamic Consistency Boundary
/// specification (dcb.events). An event matches the query if it matches at least one alternative. An event matches an
/// alternative if the alternative contains the event's stream and type, and if the event has all of the alternative's
/// tags. An empty set of streams, types or tags doesn't restrict the events.
///
///     let query: EventQuery = .tagged("card:7") || .tagged("board:1")
public struct EventQuery: Hashable, Sendable {
  /// One of a query's alternatives, which restricts the streams, types and tags of events.
  public struct Alternative: Hashable, Sendable {
    /// The streams that a matching event may belong to, or an empty set for any stream.
    public var streams: Set<StreamName>
    /// The types that a matching event may have, or an empty set for any type.
    public var types: Set<String>
    /// All tags that a matching event must have, or an empty set for any tags.
    public var tags: Set<EventTag>

    /// Creates an alternative.
    ///
    /// - Parameters:
    ///   - streams: The streams that a matching event may belong to, or an empty set for any stream.
    ///   - types: The types that a matching event may have, or an empty set for any type.
    ///   - tags: All tags that a matching event must have, or an empty set for any tags.
    public init(streams: Set<StreamName> = [], types: Set<String> = [], tags: Set<EventTag> = []) {
      self.streams = streams
      self.types = types
      self.tags = tags
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
  ///   every event in the log. As an ``Append/Condition``, such a query would refuse almost every append.
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
        && (alternative.types.isEmpty || alternative.types.contains { ExactString($0) == ExactString(type) })
        && alternative.tags.isSubset(of: tags)
    }
  }
}

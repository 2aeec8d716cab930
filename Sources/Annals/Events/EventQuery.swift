/// A choice of events by stream, type and tag.
///
/// A query is a list of alternatives. An event matches one if its stream is among the alternative's streams, its type
/// among its types, and it carries all its tags; an empty set asks nothing. (dcb.events, "Query".)
///
///     let query: EventQuery = .tagged("card:7") || .tagged("board:1")
public struct EventQuery: Hashable, Sendable {
  /// One alternative of a query.
  public struct Alternative: Hashable, Sendable {
    /// The streams that the event may belong to; empty for any.
    public var streams: Set<StreamName>
    /// The types that the event may have; empty for any.
    public var types: Set<String>
    /// The tags that the event must all carry.
    public var tags: Set<EventTag>

    /// Creates an alternative.
    ///
    /// - Parameters:
    ///   - streams: The streams that the event may belong to; empty for any.
    ///   - types: The types that the event may have; empty for any.
    ///   - tags: The tags that the event must all carry.
    public init(streams: Set<StreamName> = [], types: Set<String> = [], tags: Set<EventTag> = []) {
      self.streams = streams
      self.types = types
      self.tags = tags
    }
  }

  /// The alternatives, each a way to match an event; nil for every event.
  public var alternatives: [Alternative]?

  /// Creates a query from alternatives.
  ///
  /// - Parameter alternatives: The alternatives; none of them matches nothing.
  public init(_ alternatives: [Alternative]) {
    self.alternatives = alternatives
  }

  private init() {
    alternatives = nil
  }

  /// Every event of the log.
  public static let all = EventQuery()

  /// The events of one stream.
  ///
  /// - Parameter stream: The stream.
  /// - Returns: The query.
  public static func stream(_ stream: StreamName) -> EventQuery {
    EventQuery([Alternative(streams: [stream])])
  }

  /// The events of the given types.
  ///
  /// - Parameter types: The types that an event may have; at least one.
  /// - Returns: The query.
  public static func types(_ types: String...) -> EventQuery { .types(types) }

  /// The events of types that were computed.
  ///
  /// - Parameter types: The types that an event may have; at least one. No type at all is a mistake, and traps: it
  ///   could mean every event as well as none.
  /// - Returns: The query.
  public static func types(_ types: [String]) -> EventQuery {
    precondition(
      !types.isEmpty,
      "types() requires at least one type; use EventQuery.all for every event, or EventQuery([]) for no event")
    return EventQuery([Alternative(types: Set(types))])
  }

  /// The events that carry all the given tags.
  ///
  /// - Parameter tags: The tags; at least one.
  /// - Returns: The query.
  public static func tagged(_ tags: EventTag...) -> EventQuery { .tagged(tags) }

  /// The events that carry all of some tags that were computed.
  ///
  /// - Parameter tags: The tags; at least one. No tag at all is a mistake, and traps: as the condition of an append it
  ///   would meet every event of the log.
  /// - Returns: The query.
  public static func tagged(_ tags: [EventTag]) -> EventQuery {
    precondition(
      !tags.isEmpty,
      "tagged() requires at least one tag; use EventQuery.all for every event, or EventQuery([]) for no event")
    return EventQuery([Alternative(tags: Set(tags))])
  }

  /// The events that one or the other query matches.
  ///
  /// - Parameters:
  ///   - left: A query.
  ///   - right: Another query.
  /// - Returns: A query with the alternatives of both.
  public static func || (left: EventQuery, right: EventQuery) -> EventQuery {
    guard let first = left.alternatives, let second = right.alternatives else { return .all }
    return EventQuery(first + second)
  }

  /// Tells whether an event is chosen.
  ///
  /// - Parameter event: The event.
  /// - Returns: True if an alternative matches it, or if the query is for all events.
  public func matches(_ event: StoredEvent) -> Bool {
    matches(stream: event.stream, type: event.type, tags: event.tags)
  }

  /// Tells whether an event that is not stored yet would be chosen.
  package func matches(stream: StreamName, type: String, tags: Set<EventTag>) -> Bool {
    guard let alternatives else { return true }
    return alternatives.contains { alternative in
      (alternative.streams.isEmpty || alternative.streams.contains(stream))
        && (alternative.types.isEmpty || alternative.types.contains { ExactString($0) == ExactString(type) })
        && alternative.tags.isSubset(of: tags)
    }
  }
}

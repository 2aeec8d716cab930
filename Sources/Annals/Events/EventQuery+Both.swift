extension EventQuery {
  /// Returns a query for the events that both queries match.
  ///
  ///     .tagged("board:7") && .case(CardEvent.added)
  ///
  /// - Parameters:
  ///   - left: A query.
  ///   - right: Another query.
  /// - Returns: A query with one alternative for every pair of a left and a right alternative that can match the same
  ///   event.
  /// - Complexity: O(m n) for a query with m alternatives and a query with n alternatives.
  public static func && (left: EventQuery, right: EventQuery) -> EventQuery {
    guard let first = left.alternatives else { return right }
    guard let second = right.alternatives else { return left }
    return EventQuery(first.flatMap { one in second.compactMap { one.meeting($0) } })
  }
}

extension EventQuery.Alternative {
  /// Returns the alternative for events that match both alternatives, or nil if no event can match both.
  fileprivate func meeting(_ other: EventQuery.Alternative) -> EventQuery.Alternative? {
    guard let streams = Self.both(streams, other.streams),
      let types = Self.both(Set(types.map(ExactString.init)), Set(other.types.map(ExactString.init)))
    else { return nil }
    return EventQuery.Alternative(streams: streams, types: Set(types.map(\.text)), tags: tags.union(other.tags))
  }

  /// Returns the values that both sets allow, or nil if they have no value in common.
  ///
  /// An empty set allows all values.
  private static func both<Value>(_ left: Set<Value>, _ right: Set<Value>) -> Set<Value>? {
    if left.isEmpty { return right }
    if right.isEmpty { return left }
    let common = left.intersection(right)
    return common.isEmpty ? nil : common
  }
}

extension EventQuery {
  /// Returns a query for the events that both queries match.
  ///
  ///     .tagged("board:7") && .case(CardEvent.added)
  ///
  /// - Parameters:
  ///   - left: A query.
  ///   - right: Another query.
  /// - Returns: A query that combines every alternative of `left` with every alternative of `right`. Combinations that
  ///   no event can match are omitted.
  /// - Complexity: O(m n) if the two queries have m and n alternatives.
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

extension EventQuery {
  /// Returns a query for the events that match both this query and another query.
  ///
  /// - Parameter other: The other query.
  /// - Returns: A query that combines every alternative of this query with every alternative of the other query.
  ///   Combinations that no event can match are omitted.
  /// - Complexity: O(m n) if the two queries have m and n alternatives.
  public func intersection(_ other: EventQuery) -> EventQuery {
    guard let alternatives else { return other }
    guard let others = other.alternatives else { return self }
    return EventQuery(alternatives.flatMap { one in others.compactMap { one.meeting($0) } })
  }
}

extension EventQuery.Alternative {
  /// Returns the alternative for events that match both alternatives, or nil if no event can match both.
  fileprivate func meeting(_ other: EventQuery.Alternative) -> EventQuery.Alternative? {
    guard let streams = Self.both(streams, other.streams), let categories = Self.common(categories, other.categories),
      let types = Self.both(Set(types.map(ExactString.init)), Set(other.types.map(ExactString.init)))
    else { return nil }
    return EventQuery.Alternative(
      streams: streams, categories: categories, types: Set(types.map(\.text)), tags: tags.union(other.tags)
    ).reduced
  }

  /// Returns the categories of all streams that belong to a category of both sets, or nil if no stream does.
  private static func common(_ left: Set<String>, _ right: Set<String>) -> Set<String>? {
    if left.isEmpty { return right }
    if right.isEmpty { return left }
    // All streams of the category "Concert-Hall" also belong to the category "Concert".
    func within(_ inner: Set<String>, _ outer: Set<String>) -> Set<String> {
      inner.filter { one in
        outer.contains { ExactString.exactlyEqual(one, $0) || StreamName(one).belongs(to: $0) }
      }
    }
    let common = within(left, right).union(within(right, left))
    return common.isEmpty ? nil : common
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

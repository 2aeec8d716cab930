// A scoped import can't export an operator, so the operators are declared in this module.
extension EventQuery {
  /// Returns a query for the events that at least one of two queries matches.
  ///
  /// - Parameters:
  ///   - left: A query.
  ///   - right: Another query.
  /// - Returns: A query with the alternatives (``EventQuery/alternatives``) of both queries.
  public static func || (left: EventQuery, right: EventQuery) -> EventQuery { left.union(right) }

  /// Returns a query for the events that both queries match.
  ///
  ///     .tagged("board:7") && .case(CardEvent.added)
  ///
  /// - Parameters:
  ///   - left: A query.
  ///   - right: Another query.
  /// - Returns: A query with one alternative (``EventQuery/alternatives``) for every pair of an alternative of `left`
  ///   and an alternative of `right`. Pairs that no event can match are omitted.
  /// - Complexity: O(m n) if the two queries have m and n alternatives.
  public static func && (left: EventQuery, right: EventQuery) -> EventQuery { left.intersection(right) }
}

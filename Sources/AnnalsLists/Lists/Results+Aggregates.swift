extension Results {
  /// Returns an aggregate's value for all rows that pass the request's filter, including rows that aren't shown.
  ///
  ///     results[.sum(\.price)]
  ///
  /// - Parameter aggregate: The aggregate to read.
  /// - Complexity: O(log n) for n rows if the request has the aggregate (``ListRequest/aggregates``), otherwise O(n
  ///   log n).
  public subscript<Value>(aggregate: AggregateOf<Row, Value>) -> Value {
    if let answer = list.total?.answer(aggregate) { return answer }
    guard let slot = aggregate.slot else { return aggregate.answer(nil, list.sections.weight) }
    let rows = list.sections.lazy.flatMap { $0.rows }
    return aggregate.answer(Aggregator(slot).summary(of: rows).tally.states[0], list.sections.weight)
  }
}

extension ResultsSection {
  /// Returns an aggregate's value for all rows of the section that pass the request's filter, including rows that
  /// aren't shown.
  ///
  ///     section[.sum(\.price)]
  ///
  /// - Parameter aggregate: The aggregate to read.
  /// - Complexity: O(log n) for n rows of the section if the request has the aggregate (``ListRequest/aggregates``),
  ///   otherwise O(n log n).
  public subscript<Value>(aggregate: AggregateOf<Row, Value>) -> Value {
    let node = whole
    if let answer = node.summary?.answer(aggregate) { return answer }
    guard let slot = aggregate.slot else { return aggregate.answer(nil, node.rows.count) }
    return aggregate.answer(Aggregator(slot).summary(of: node.rows).tally.states[0], node.rows.count)
  }
}

extension Aggregator {
  /// Creates an aggregator for one aggregate.
  fileprivate convenience init(_ slot: AggregateSlot) { self.init([(.count, slot, { @Sendable _, _ in true })]) }
}

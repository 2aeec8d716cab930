import AnnalsLog

/// The indices of a growing array of events by stream, type and tag.
struct EventIndices: Sendable {
  private var streams: [StreamName: [Int]] = [:]
  private var types: [ExactString: [Int]] = [:]
  private var tags: [EventTag: [Int]] = [:]
  /// The number of indexed events.
  private(set) var count = 0

  /// Adds the next event of the array.
  mutating func append(stream: StreamName, type: String, tags: Set<EventTag>) {
    streams[stream, default: []].append(count)
    types[ExactString(type), default: []].append(count)
    for tag in tags { self.tags[tag, default: []].append(count) }
    count += 1
  }

  /// Returns the index of a stream's last event before an index, or nil if the stream has no event there.
  func last(of stream: StreamName, before end: Int) -> Int? { rest(of: streams[stream], in: 0..<end).last }

  /// Returns the indices of a stream's events in a range, in order.
  func indices(of stream: StreamName, in range: Range<Int>) -> ArraySlice<Int> { rest(of: streams[stream], in: range) }

  /// Returns the indices of all events in a range that a query may match, in order.
  ///
  /// The events at the indices must still be compared with the query.
  func candidates(for query: EventQuery, in range: Range<Int>) -> [Int] {
    guard let alternatives = query.alternatives else { return Array(range) }
    var found: [Int] = []
    for alternative in alternatives {
      guard let some = candidates(for: alternative, in: range) else { return Array(range) }
      found += some
    }
    // One list of indices is already in order.
    if let only = alternatives.first, alternatives.count == 1, Self.hasOneList(only) { return found }
    return Set(found).sorted()
  }

  /// Returns the indices of events that may match an alternative, or nil if every event may match.
  private func candidates(for alternative: EventQuery.Alternative, in range: Range<Int>) -> [Int]? {
    if !alternative.tags.isEmpty {
      return alternative.tags.map { rest(of: tags[$0], in: range) }.min { $0.count < $1.count }.map(Array.init)
    }
    if !alternative.streams.isEmpty { return alternative.streams.flatMap { rest(of: streams[$0], in: range) } }
    if alternative.types.isEmpty { return nil }
    return alternative.types.flatMap { rest(of: types[ExactString($0)], in: range) }
  }

  private static func hasOneList(_ alternative: EventQuery.Alternative) -> Bool {
    if !alternative.tags.isEmpty { return true }
    return alternative.streams.isEmpty ? alternative.types.count == 1 : alternative.streams.count == 1
  }

  private func rest(of indices: [Int]?, in range: Range<Int>) -> ArraySlice<Int> {
    guard let indices else { return [] }
    let start = indices.firstIndexInOrder { $0 >= range.lowerBound }
    // Most ranges reach to the last event.
    if let last = indices.last, last < range.upperBound { return indices[start...] }
    return indices[start..<max(start, indices.firstIndexInOrder { $0 >= range.upperBound })]
  }
}

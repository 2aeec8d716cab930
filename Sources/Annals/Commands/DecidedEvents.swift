import AnnalsLog

/// The events that a transaction has decided, indexed by stream, type and tag.
struct DecidedEvents {
  private(set) var entries: [Append.Entry] = []
  /// The indices of the first events, which are updated when they are needed.
  private var known = EventIndices()
  /// The maximum number of events that are scanned without using the indices.
  private static let few = 16

  var count: Int { entries.count }

  mutating func append(_ entry: Append.Entry) { entries.append(entry) }

  /// Removes the events from an index to the end.
  mutating func removeAll(from first: Int) {
    entries.removeSubrange(first...)
    if known.count > first { known = EventIndices() }
  }

  /// Returns the indices of a subject's events, in order, starting at the index `first`.
  mutating func indices(of subject: StateSubject, from first: Int) -> [Int] {
    guard first < count else { return [] }
    if count - first <= Self.few { return (first..<count).filter { subject.takes(entries[$0]) } }
    for entry in entries[known.count...] {
      known.append(stream: entry.stream, type: entry.event.type, tags: entry.event.tags)
    }
    switch subject {
    case .stream(let stream): return Array(known.indices(of: stream, in: first..<count))
    case .boundary(let query):
      return known.candidates(for: query, in: first..<count).filter { subject.takes(entries[$0]) }
    }
  }
}

/// The source of a state: the events of a stream, or the events inside a boundary.
enum StateSubject {
  case stream(StreamName)
  case boundary(EventQuery)

  func takes(_ entry: Append.Entry) -> Bool {
    switch self {
    case .stream(let stream): entry.stream == stream
    case .boundary(let query):
      query.matches(stream: entry.stream, type: entry.event.type, tags: entry.event.tags)
    }
  }
}

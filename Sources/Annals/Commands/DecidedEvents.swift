import AnnalsLog

/// The events that a transaction has decided, indexed by stream, type and tag.
struct DecidedEvents {
  private(set) var entries: [Append.Entry] = []
  /// The indices of the first `indexed` events by stream, which are updated when they are needed.
  private var streams: [StreamName: [Int]] = [:]
  private var types: [ExactString: [Int]] = [:]
  private var tags: [EventTag: [Int]] = [:]
  private var indexed = 0
  /// The maximum number of events that are scanned without using the indices.
  private static let few = 16

  var count: Int { entries.count }

  mutating func append(_ entry: Append.Entry) { entries.append(entry) }

  /// Returns the indices of a subject's events, in order, starting at the index `first`.
  mutating func indices(of subject: StateSubject, from first: Int) -> [Int] {
    guard first < count else { return [] }
    if count - first <= Self.few { return (first..<count).filter { subject.takes(entries[$0]) } }
    update()
    switch subject {
    case .stream(let stream): return Array(rest(of: streams[stream], from: first))
    case .boundary(let query):
      guard let alternatives = query.alternatives else { return Array(first..<count) }
      var found: Set<Int> = []
      for alternative in alternatives {
        let candidates = candidates(for: alternative, from: first) ?? Array(first..<count)
        found.formUnion(candidates.lazy.filter { [entries] in subject.takes(entries[$0]) })
      }
      return found.sorted()
    }
  }

  /// Returns the indices of events that may match an alternative, or nil if every event may match.
  private func candidates(for alternative: EventQuery.Alternative, from first: Int) -> [Int]? {
    if !alternative.tags.isEmpty {
      return alternative.tags.map { rest(of: tags[$0], from: first) }.min { $0.count < $1.count }.map(Array.init)
    }
    if !alternative.streams.isEmpty { return alternative.streams.flatMap { rest(of: streams[$0], from: first) } }
    if alternative.types.isEmpty { return nil }
    return alternative.types.flatMap { rest(of: types[ExactString($0)], from: first) }
  }

  private func rest(of indices: [Int]?, from first: Int) -> ArraySlice<Int> {
    guard let indices else { return [] }
    return indices[indices.firstIndexInOrder { $0 >= first }...]
  }

  private mutating func update() {
    for index in indexed..<count {
      streams[entries[index].stream, default: []].append(index)
      types[ExactString(entries[index].event.type), default: []].append(index)
      for tag in entries[index].event.tags { tags[tag, default: []].append(index) }
    }
    indexed = count
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

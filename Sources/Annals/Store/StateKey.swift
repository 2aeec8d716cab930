/// Whose state it is: a decider's, of a stream or of a boundary, as one store reads it.
///
/// A command looks for it six times, and a boundary is sets of texts. So its hash is computed once.
struct StateKey: Hashable {
  enum Subject: Hashable {
    case stream(StreamName)
    case boundary(BoundaryKey)
  }

  /// The first member, by which most unequal keys differ.
  private let hash: Int
  /// The store, which may be one around another.
  let viewer: ObjectIdentifier
  /// The decider's type.
  let decider: ObjectIdentifier
  let subject: Subject

  init(_ store: any EventStore, _ decider: any Any.Type, _ subject: Subject) {
    (viewer, self.decider, self.subject) = (ObjectIdentifier(store), ObjectIdentifier(decider), subject)
    var hasher = Hasher()
    hasher.combine(viewer)
    hasher.combine(self.decider)
    hasher.combine(subject)
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A query as a key: one query has one key, in whatever order its alternatives are written.
///
/// Two names of types are one only if their scalars are.
struct BoundaryKey: Hashable {
  private struct Alternative: Hashable {
    let streams: Set<StreamName>
    let types: Set<ExactString>
    let tags: Set<EventTag>
  }

  /// Nil for every event.
  private let alternatives: Set<Alternative>?

  init(_ query: EventQuery) {
    alternatives = query.alternatives.map { alternatives in
      Set(
        alternatives.map {
          Alternative(streams: $0.streams, types: Set($0.types.map(ExactString.init)), tags: $0.tags)
        })
    }
  }
}

/// Which events a state is folded from.
struct StatePlace: Hashable, Sendable {
  /// A stream's version; of a boundary, how many events were inside.
  let version: Int
  /// The position of a stream's last event; of a boundary, the end of the log when it was read.
  let position: Position
  /// The log's revision when they were read.
  let revision: LogRevision

  func isLater(than other: StatePlace) -> Bool {
    (revision.number, version, position.rawValue) > (other.revision.number, other.version, other.position.rawValue)
  }
}

extension EventStore {
  /// True if the log in a revision has the events of a place that was of an earlier one.
  ///
  /// The log that was read may have another revision by now; then nothing is known of the one in between.
  func stillHas(_ place: StatePlace, in revision: LogRevision) throws -> Bool {
    try read { try $0.revision() == revision && $0.unchanged(since: place.revision) >= place.position }
  }
}

/// The key of a decider state: the decider, its stream or boundary, and the store that reads it.
///
/// The hash is computed once, because a command looks up the key six times, and a boundary consists of sets of
/// strings.
package struct StateKey: Hashable {
  package enum Subject: Hashable {
    case stream(StreamName)
    case boundary(BoundaryKey)
  }

  /// The hash is the first member, so that `==` compares it first, because it differs for most unequal keys.
  private let hash: Int
  /// The store, which can be a wrapper of another store.
  let viewer: ObjectIdentifier
  /// The decider's type.
  let decider: ObjectIdentifier
  let subject: Subject

  package init(_ store: any EventStore, _ decider: any Any.Type, _ subject: Subject) {
    viewer = ObjectIdentifier(store)
    self.decider = ObjectIdentifier(decider)
    self.subject = subject
    var hasher = Hasher()
    hasher.combine(viewer)
    hasher.combine(self.decider)
    hasher.combine(subject)
    hash = hasher.finalize()
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A key for a query, which doesn't depend on the order of the query's alternatives.
///
/// Two names of types are equal only if their scalars are equal.
package struct BoundaryKey: Hashable {
  private struct Alternative: Hashable {
    let streams: Set<StreamName>
    let types: Set<ExactString>
    let tags: Set<EventTag>
  }

  /// The alternatives, or `nil` for all events.
  private let alternatives: Set<Alternative>?

  package init(_ query: EventQuery) {
    alternatives = query.alternatives.map { alternatives in
      Set(
        alternatives.map {
          Alternative(streams: $0.streams, types: Set($0.types.map(ExactString.init)), tags: $0.tags)
        })
    }
  }
}

/// The events that a state is folded from.
package struct StateVersion: Hashable, Sendable {
  /// A stream's version, or the number of events inside a boundary.
  package let version: Int
  /// The position of a stream's last event, or for a boundary, the log's end at the time of the read.
  package let position: Position
  /// The log's revision at the time of the read.
  package let revision: LogRevision

  package init(version: Int, position: Position, revision: LogRevision) {
    self.version = version
    self.position = position
    self.revision = revision
  }

  func isLater(than other: StateVersion) -> Bool {
    (revision.number, version, position.rawValue) > (other.revision.number, other.version, other.position.rawValue)
  }
}

extension EventStore {
  /// Returns whether the log, at a revision, still contains the events of a place that was recorded at an earlier
  /// revision.
  ///
  /// The log might already have an even later revision. In that case the result is false, because the revision in
  /// question can't be checked.
  package func stillHas(_ place: StateVersion, in revision: LogRevision) throws -> Bool {
    try read { try $0.revision() == revision && $0.unchanged(since: place.revision) >= place.position }
  }
}

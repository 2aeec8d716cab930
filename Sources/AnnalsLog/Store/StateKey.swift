/// An object whose decider states are kept in memory, such as a store.
///
/// A store that wraps another store shares the wrapped store's runtime. But it has its own states, because it might
/// read events in a different form.
package typealias StateOwner = AnyObject & Sendable

/// The key of a decider state: the decider, its stream or boundary, and the owner of the state.
///
/// The hash is computed once, because a command looks up the key six times, and a boundary's hash covers whole sets of
/// strings.
package struct StateKey: Hashable {
  package enum Subject: Hashable {
    case stream(StreamName)
    case boundary(BoundaryKey)
  }

  /// The key's hash.
  ///
  /// It is the first member, so that `==` compares it first. Most unequal keys already differ in their hashes.
  private let hash: Int
  let owner: ObjectIdentifier
  /// The decider's type.
  let decider: ObjectIdentifier
  let subject: Subject

  package init(_ owner: any StateOwner, _ decider: any Any.Type, _ subject: Subject) {
    self.owner = ObjectIdentifier(owner)
    self.decider = ObjectIdentifier(decider)
    self.subject = subject
    var hasher = Hasher()
    hasher.combine(self.owner)
    hasher.combine(self.decider)
    hasher.combine(subject)
    hash = hasher.finalize()
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A key for a query, which doesn't depend on the order of the query's alternatives.
///
/// Two names of categories or types are equal only if their scalars are equal.
package struct BoundaryKey: Hashable {
  private struct Alternative: Hashable {
    let streams: Set<StreamName>
    let categories: Set<ExactString>
    let types: Set<ExactString>
    let tags: Set<EventTag>
  }

  /// The alternatives, or `nil` for all events.
  private let alternatives: Set<Alternative>?

  package init(_ query: EventQuery) {
    alternatives = query.alternatives.map { alternatives in
      Set(
        alternatives.map {
          Alternative(
            streams: $0.streams, categories: Set($0.categories.map(ExactString.init)),
            types: Set($0.types.map(ExactString.init)), tags: $0.tags)
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

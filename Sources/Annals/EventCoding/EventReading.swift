/// What a stored event is to a Swift type.
package enum EventReading<E: Sendable>: Sendable {
  /// Another type's event, or one that is left out.
  case none
  case one(E)
  /// What a step split an old event into, in order; two or more.
  case several([E])

  /// The events, in order.
  package var events: [E] {
    switch self {
    case .none: []
    case .one(let event): [event]
    case .several(let events): events
    }
  }

  /// Hands over the events, in order.
  package func forEach(_ body: (E) throws -> Void) rethrows {
    switch self {
    case .none: break
    case .one(let event): try body(event)
    case .several(let events): try events.forEach(body)
    }
  }
}

/// What happens at stored events that the Swift type does not know, or not in their schema; by default they stop the
/// reader.
package struct ReadingPolicy: Hashable, Sendable {
  package var unknown: UnknownEventPolicy
  package var newer: NewerEventPolicy

  package init(unknown: UnknownEventPolicy = .stop, newer: NewerEventPolicy = .stop) {
    (self.unknown, self.newer) = (unknown, newer)
  }
}

import Foundation

/// The events of a Swift type to which a stored event is converted.
package enum EventReading<E: Sendable>: Sendable {
  /// An event of another type, or a skipped event.
  case none
  case one(E)
  /// Two or more events into which an upcaster split an old event, in order.
  case several([E])

  /// The events, in order.
  package var events: [E] {
    switch self {
    case .none: []
    case .one(let event): [event]
    case .several(let events): events
    }
  }

  /// Calls a closure with every event, in order.
  package func forEach(_ body: (E) throws -> Void) rethrows {
    switch self {
    case .none: break
    case .one(let event): try body(event)
    case .several(let events): try events.forEach(body)
    }
  }
}

/// The treatment of unknown stored events and of newer schemas.
///
/// By default, such events stop the reader.
package struct ReadingPolicy: Hashable, Sendable {
  package var unknown: UnknownEventPolicy
  package var newer: NewerEventPolicy

  package init(unknown: UnknownEventPolicy = .stop, newer: NewerEventPolicy = .stop) {
    self.unknown = unknown
    self.newer = newer
  }
}

extension EventBatch {
  /// Returns the context for the upcasters of an event of a batch of bytes.
  package func context(_ row: Row) -> Upcaster.Context {
    Upcaster.Context(stream: stream(row), time: Date(microseconds: row.time), metadata: metadata(row))
  }
}

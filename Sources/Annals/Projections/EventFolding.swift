/// Folds a store's events into rows; what kind of events they are only the folding itself knows.
class EventFolding<Row: Annals.Row> {
  /// What is told of each event, in order: where it stands, and how to fold it.
  typealias Step = (
    _ position: Position, _ transaction: Int, _ fold: (inout Rows<Row>) throws -> Void
  ) throws -> Void

  /// Refuses a type that cannot be stored as an event.
  func checkEventType() throws { preconditionFailure("a folding knows its events") }

  /// Goes through the events after a position up to another.
  ///
  /// - Throws: `ProjectionError` out of a step's `fold`, `EventStoreError`, and what a step throws.
  func forEach(in store: any EventStore, after: Position, through: Position, _ step: Step) throws {
    preconditionFailure("a folding knows its events")
  }
}

/// Folds the events of a projection.
final class ProjectionFolding<P: Projection>: EventFolding<P.Row> {
  private let projection: P
  private var known: EventCoder<P.Event>?

  init(_ projection: P) { self.projection = projection }

  private func coder() throws -> EventCoder<P.Event> {
    if let known { return known }
    let coder = try EventCoder<P.Event>()
    known = coder
    return coder
  }

  override func checkEventType() throws { _ = try coder() }

  override func forEach(in store: any EventStore, after: Position, through: Position, _ step: Step) throws {
    var coder = try coder()
    // What it has learned of types is kept.
    defer { known = coder }
    if let paged = store as? any PagedEventStore {
      try DecodedPages<P>(paged, after: after, through: through).forEach(with: &coder) { page in
        for index in page.events.indices {
          let row = page.source.rows[index]
          try step(Position(row.position), row.transaction) { rows in
            switch page.events[index] {
            case .read(let reading):
              do {
                try reading.forEach { try projection.project(Recorded($0, page.source, index), into: &rows) }
              } catch {
                throw ProjectionError(.refused, at: page.source.stored(index), in: "\(P.self)", because: error)
              }
            case .failed(let error):
              throw ProjectionError(reading: page.source.stored(index), in: "\(P.self)", because: error)
            }
          }
        }
      }
      return
    }
    try store.forEachEvent(after: after, through: through) { stored in
      try step(stored.position, stored.transaction) { rows in
        let known = coder.known(stored.type)
        var payload = stored.payload ?? "{}"
        let decoded = payload.withUTF8 { bytes in
          DecodedEvent<P>(
            known, type: stored.type, schema: stored.schema, bytes: UnsafeRawBufferPointer(bytes), with: &coder)
        }
        switch decoded {
        case .read(let reading):
          do {
            try reading.forEach { try projection.project(Recorded($0, stored), into: &rows) }
          } catch {
            throw ProjectionError(.refused, at: stored, in: "\(P.self)", because: error)
          }
        case .failed(let error): throw ProjectionError(reading: stored, in: "\(P.self)", because: error)
        }
      }
    }
  }
}

/// What came of reading an event.
enum DecodedEvent<P: Projection>: Sendable {
  case read(EventReading<P.Event>)
  case failed(any Error)

  init(
    _ known: EventCoder<P.Event>.Known, type: String, schema: Int, bytes: UnsafeRawBufferPointer?,
    with coder: inout EventCoder<P.Event>
  ) {
    let policy = ReadingPolicy(unknown: P.unknownEvents, newer: P.newerEvents)
    do {
      self = .read(try coder.read(known, type: type, schema: schema, bytes: bytes, policy))
    } catch {
      self = .failed(error)
    }
  }
}

/// A decider that is folded from events as they are stored.
struct DeciderFold<D: Decider> {
  private(set) var state = D()
  private(set) var coder: EventCoder<D.Event>

  init() throws { coder = try EventCoder() }

  /// Goes on from a state.
  mutating func resume(from state: D) { self.state = state }

  /// Folds an event that was committed.
  ///
  /// An event that cannot be read ends the decision: what is decided on a part of the events may contradict the rest.
  /// An old event that was brought up to date belongs to a boundary if the boundary names the type that came of it, or
  /// the stored one.
  mutating func fold(_ event: StoredEvent, in boundary: EventQuery = .all) throws {
    let reading: EventReading<D.Event>
    do {
      reading = try coder.read(type: event.type, schema: event.schema, payload: event.payload) { name in
        boundary.matches(event) || boundary.matches(stream: event.stream, type: name, tags: event.tags)
      }
    } catch let error as EventCodingError {
      let advice =
        switch error.code {
        case .unknownEvent, .newerSchema: "update the program to one that knows it"
        case .notUpcast: "make the steps take what the log has"
        default: "compare the payload with the event's case"
        }
      throw EventCodingError(
        error.code,
        "\(D.self) cannot read event \(event.position) (\(event.type), version \(event.version) of stream "
          + "\"\(event.stream)\") and decides nothing on the others alone: \(error.message); \(advice)", at: event)
    }
    reading.forEach { state.evolve($0) }
  }

  /// Folds all events of some batches, as ``fold(_:in:)`` folds each: of bytes, mostly no value is made of an event.
  mutating func fold(_ batches: [EventBatch]) throws {
    for batch in batches {
      for index in 0..<batch.count {
        var plain: D.Event?
        if batch.values == nil {
          let type = batch.type(at: index)
          let known = coder.known(type)
          if known.isForeign { continue }
          // An event that cannot be read is read once more as a value, so that the error names it.
          plain =
            try? batch.withPayload(at: index) {
              try coder.readPlain(known, type: type, schema: batch.rows[index].schema, bytes: $0)
            }
        }
        if let plain { state.evolve(plain) } else { try fold(batch.event(at: index)) }
      }
    }
  }

  /// Folds an event that was decided, as it is read when it is committed.
  mutating func fold(_ entry: Append.Entry, in boundary: EventQuery) throws {
    let event = entry.event
    try coder.read(type: event.type, schema: event.schema, payload: event.payload) { name in
      boundary.matches(stream: entry.stream, type: event.type, tags: event.tags)
        || boundary.matches(stream: entry.stream, type: name, tags: event.tags)
    }.forEach { state.evolve($0) }
  }
}

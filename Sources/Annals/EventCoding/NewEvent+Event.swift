public import Foundation

extension NewEvent {
  /// Creates an event to be appended of a typed one.
  ///
  /// - Parameters:
  ///   - event: What happened; its type, its schema and its tags are kept with it.
  ///   - metadata: What the event says of itself beside its payload.
  ///   - id: The event's identity, or nil for a new one.
  ///   - time: When it happened, or nil for the store's now.
  /// - Throws: ``EventCodingError`` if the event cannot be stored.
  public init<E: Event>(_ event: E, metadata: Metadata = [:], id: EventID? = nil, time: Date? = nil) throws {
    self = try EventCoder<E>().encode(event)
    (self.metadata, self.id, self.time) = (metadata, id, time)
  }
}

extension Append {
  /// Adds an event at the end.
  ///
  /// For events that were decided elsewhere, and have a time or an identity of their own:
  ///
  ///     var append = Append(commandID: "import of 2026-11-01")
  ///     for card in cards { try append.add(CardEvent.added(card), to: "Board-\(card.board)", time: card.made) }
  ///     try store.append(append)
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - stream: The stream that it goes to.
  ///   - id: The event's identity, or nil for a new one.
  ///   - time: When it happened, or nil for the store's now.
  ///   - metadata: What the event says of itself beside its payload.
  /// - Throws: ``EventCodingError`` if the event cannot be stored; nothing was added then.
  public mutating func add<E: Event>(
    _ event: E, to stream: StreamName, id: EventID? = nil, time: Date? = nil, metadata: Metadata = [:]
  ) throws {
    entries.append(Entry(stream: stream, event: try NewEvent(event, metadata: metadata, id: id, time: time)))
  }

  /// Adds events at the end, in order.
  ///
  /// - Parameters:
  ///   - events: What happened.
  ///   - stream: The stream that they go to.
  ///   - metadata: What the events say of themselves beside their payloads.
  /// - Throws: ``EventCodingError`` if one cannot be stored; nothing was added then.
  public mutating func add<E: Event>(_ events: [E], to stream: StreamName, metadata: Metadata = [:]) throws {
    let coder = try EventCoder<E>()
    entries += try events.map {
      var event = try coder.encode($0)
      event.metadata = metadata
      return Entry(stream: stream, event: event)
    }
  }
}

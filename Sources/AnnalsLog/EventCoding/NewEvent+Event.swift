public import Foundation

extension NewEvent {
  /// Encodes a typed event as a new event for an append.
  ///
  /// - Parameters:
  ///   - event: The typed event. Its values become the payload, and its stored name, schema and tags are stored, too.
  ///   - metadata: Metadata to store with the event, such as `actor`.
  ///   - id: The event's identity, or `nil` to create a new identity.
  ///   - time: The event's time, or `nil` for the store's current time.
  /// - Throws: ``EventCodingError`` if the event can't be stored.
  public init<E: Event>(_ event: E, metadata: Metadata = [:], id: EventID? = nil, time: Date? = nil) throws {
    self = try EventCoder<E>().encode(event)
    self.metadata = metadata
    self.id = id
    self.time = time
  }
}

extension Append {
  /// Adds an event to the end of the append.
  ///
  /// Use this method for events that already have a time or an identity, such as events that you import:
  ///
  ///     var append = Append(commandID: "import of 2026-11-01")
  ///     for card in cards { try append.add(CardEvent.added(card), to: "Board-\(card.board)", time: card.made) }
  ///     try store.append(append)
  ///
  /// - Parameters:
  ///   - event: The event to add.
  ///   - stream: The stream to append to.
  ///   - id: The event's identity, or `nil` to create a new identity.
  ///   - time: The event's time, or `nil` for the store's current time.
  ///   - metadata: Metadata to store with the event, such as `actor`.
  /// - Throws: ``EventCodingError`` if the event can't be stored. After an error, the append is unchanged.
  public mutating func add<E: Event>(
    _ event: E, to stream: StreamName, id: EventID? = nil, time: Date? = nil, metadata: Metadata = [:]
  ) throws {
    entries.append(Entry(stream: stream, event: try NewEvent(event, metadata: metadata, id: id, time: time)))
  }

  /// Adds events to the end of the append, in order.
  ///
  /// - Parameters:
  ///   - events: The events to add.
  ///   - stream: The stream to append to.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  /// - Throws: ``EventCodingError`` if one of the events can't be stored. After an error, the append is unchanged.
  public mutating func add<E: Event>(_ events: [E], to stream: StreamName, metadata: Metadata = [:]) throws {
    let coder = try EventCoder<E>()
    entries += try events.map {
      var event = try coder.encode($0)
      event.metadata = metadata
      return Entry(stream: stream, event: event)
    }
  }
}

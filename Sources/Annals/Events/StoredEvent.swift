public import Foundation

/// An event as a store keeps it: undecoded, with its position in the log.
public struct StoredEvent: Hashable, Sendable {
  /// The position in the whole log, from 1.
  public let position: Position
  /// The number of the append that committed it, from 1; events of one append share it.
  public let transaction: Int
  /// The stream that it belongs to.
  public let stream: StreamName
  /// The number in its stream, from 1.
  public let version: Int
  /// What tells it from every other event.
  public let id: EventID
  /// The event's type.
  public let type: String
  /// The number of the payload's schema, from 1.
  public let schema: Int
  /// When it happened, exact to the microsecond.
  public let time: Date
  /// The words by which it can be found.
  public let tags: Set<EventTag>
  /// The payload as JSON text, as it came; nil if there is none.
  public let payload: String?
  /// What the event says of itself beside its payload.
  public let metadata: Metadata

  /// Creates a stored event, as a store does when it reads one.
  ///
  /// - Parameters:
  ///   - position: The position in the whole log.
  ///   - transaction: The number of the append that committed it.
  ///   - stream: The stream that it belongs to.
  ///   - version: The number in its stream.
  ///   - id: What tells it from every other event.
  ///   - type: The event's type.
  ///   - schema: The number of the payload's schema.
  ///   - time: When it happened; cut to whole microseconds.
  ///   - tags: The words by which it can be found.
  ///   - payload: The payload as JSON text, or nil.
  ///   - metadata: What the event says of itself beside its payload.
  public init(
    position: Position, transaction: Int, stream: StreamName, version: Int, id: EventID, type: String, schema: Int,
    time: Date, tags: Set<EventTag>, payload: String?, metadata: Metadata
  ) {
    self.position = position
    self.transaction = transaction
    self.stream = stream
    self.version = version
    self.id = id
    self.type = type
    self.schema = schema
    self.time = Date(microseconds: time.microseconds)
    self.tags = tags
    self.payload = payload
    self.metadata = metadata
  }
}

extension StoredEvent {
  /// The same event with another payload.
  ///
  /// A store that keeps payloads in another form, such as without personal values, puts the payload back with it.
  ///
  /// - Parameter payload: The payload as JSON text, or nil.
  /// - Returns: The event, which differs in nothing else.
  public func with(payload: String?) -> StoredEvent {
    StoredEvent(
      position: position, transaction: transaction, stream: stream, version: version, id: id, type: type,
      schema: schema, time: time, tags: tags, payload: payload, metadata: metadata)
  }

  /// What stands in the place of the event after a compaction that replaces it.
  ///
  /// It has the event's position, version, time and metadata. All else is the new event's.
  ///
  /// - Parameters:
  ///   - new: The event that replaces it, from a ``CompactionPlan``; its own identity, time and metadata do not count.
  ///   - id: An identity that the log never had, which the store makes.
  /// - Returns: The event.
  public func replaced(by new: NewEvent, id: EventID) -> StoredEvent {
    StoredEvent(
      position: position, transaction: transaction, stream: stream, version: version, id: id, type: new.type,
      schema: new.schema, time: time, tags: new.tags, payload: new.payload, metadata: metadata)
  }
}

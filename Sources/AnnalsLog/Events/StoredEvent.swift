public import Foundation

/// An encoded event that is stored in a log, with its position.
public struct StoredEvent: Hashable, Sendable {
  /// The event's position in the whole log, starting at 1.
  public let position: Position
  /// The number of the transaction that appended the event, starting at 1.
  ///
  /// All events of one append have the same number.
  public let transaction: Int
  /// The name of the event's stream.
  public let stream: StreamName
  /// The event's version in its stream, starting at 1.
  public let version: Int
  /// The event's identity, which is unique in the log.
  public let id: EventID
  /// The name of the event's type, such as `"BookInserted"`.
  public let type: String
  /// The version number of the payload's format (its schema), starting at 1.
  public let schema: Int
  /// The time of the event, exact to the microsecond.
  public let time: Date
  /// The tags by which an ``EventQuery`` can find the event.
  public let tags: Set<EventTag>
  /// The original payload as a JSON string, or `nil` for an event without a payload.
  public let payload: String?
  /// The additional attributes of the event, stored separately from the payload.
  public let metadata: Metadata

  /// Creates a stored event, for use in a custom store that reads its log.
  ///
  /// - Parameters:
  ///   - position: The event's position in the whole log.
  ///   - transaction: The number of the transaction that appended the event.
  ///   - stream: The name of the event's stream.
  ///   - version: The event's version in its stream.
  ///   - id: The event's identity.
  ///   - type: The name of the event's type.
  ///   - schema: The version number of the payload's format.
  ///   - time: The time of the event, which is rounded to whole microseconds.
  ///   - tags: The tags by which an ``EventQuery`` can find the event.
  ///   - payload: The payload as a JSON string, or `nil` for an event without a payload.
  ///   - metadata: The additional attributes of the event, stored separately from the payload.
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
  /// Returns the same event with a different payload.
  ///
  /// A store might keep payloads in a different form, for example without the values of personal fields. Such a store
  /// uses this method to restore the payload.
  ///
  /// - Parameter payload: The payload as a JSON string, or `nil` for an event without a payload.
  /// - Returns: The event with the new payload. All other properties are unchanged.
  public func with(payload: String?) -> StoredEvent {
    StoredEvent(
      position: position, transaction: transaction, stream: stream, version: version, id: id, type: type,
      schema: schema, time: time, tags: tags, payload: payload, metadata: metadata)
  }

  /// Returns the event that replaces this event in a compaction.
  ///
  /// The replacement has this event's position, transaction, stream, version, time and metadata. It has the new event's
  /// type, schema, tags and payload.
  ///
  /// - Parameters:
  ///   - new: The new event from a `CompactionPlan`. The method ignores the new event's identity, time and metadata.
  ///   - id: The replacement's identity, which must not be in the log. Pass the new event's identity. If the new event
  ///     has no identity, pass an identity that your store generates.
  /// - Returns: The replacement.
  public func replaced(by new: NewEvent, id: EventID) -> StoredEvent {
    StoredEvent(
      position: position, transaction: transaction, stream: stream, version: version, id: id, type: new.type,
      schema: new.schema, time: time, tags: new.tags, payload: new.payload, metadata: metadata)
  }
}

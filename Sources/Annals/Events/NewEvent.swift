public import Foundation

/// An event on its way into a store, encoded but not yet placed.
public struct NewEvent: Hashable, Sendable {
  /// The event's type, such as `"BookInserted"`.
  public var type: String
  /// The number of the payload's schema, 1 or more.
  public var schema: Int
  /// The payload as JSON text, stored as it is; nil if the event has none.
  public var payload: String?
  /// The words by which the event can be found.
  public var tags: Set<EventTag>
  /// What the event says of itself beside its payload.
  public var metadata: Metadata
  /// The event's identity; nil lets the store make one from its own source and generator.
  public var id: EventID?
  /// When it happened; nil lets the store ask its clock.
  public var time: Date?

  /// Creates an event to be appended.
  ///
  /// - Parameters:
  ///   - type: The event's type; a store refuses an empty one.
  ///   - schema: The number of the payload's schema, 1 or more.
  ///   - payload: The payload as JSON text, or nil.
  ///   - tags: The words by which the event can be found.
  ///   - metadata: What the event says of itself beside its payload.
  ///   - id: The event's identity, or nil for a new one.
  ///   - time: When it happened, or nil for the store's now.
  public init(
    type: String, schema: Int = 1, payload: String?, tags: Set<EventTag> = [], metadata: Metadata = [:],
    id: EventID? = nil, time: Date? = nil
  ) {
    self.type = type
    self.schema = schema
    self.payload = payload
    self.tags = tags
    self.metadata = metadata
    self.id = id
    self.time = time
  }
}

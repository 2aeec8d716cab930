public import Foundation

/// An encoded event to append to a log.
public struct NewEvent: Hashable, Sendable {
  /// The name of the event's type, such as `"BookInserted"`.
  public var type: String
  /// The version number of the payload's format (its schema), at least 1.
  public var schema: Int
  /// The payload as a JSON string, stored unchanged, or `nil` for an event without a payload.
  public var payload: String? {
    didSet { proof.isJSON = false }
  }
  /// The tags by which an ``EventQuery`` can find the event.
  public var tags: Set<EventTag>
  /// The additional attributes of the event, stored separately from the payload.
  public var metadata: Metadata
  /// The event's identity, or `nil` to let the store generate an identity.
  ///
  /// A generated identity consists of the store's source and a new identifier.
  public var id: EventID?
  /// The time of the event, or `nil` for the current time of the store's clock.
  public var time: Date?
  private var proof = Proof()

  /// Knowledge about the payload in addition to its string, ignored when events are compared.
  private struct Proof: Hashable, Sendable {
    var isJSON = false

    static func == (left: Proof, right: Proof) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// Creates an event to append.
  ///
  /// - Parameters:
  ///   - type: The name of the event's type. A store refuses an empty name.
  ///   - schema: The version number of the payload's format, at least 1.
  ///   - payload: The payload as a JSON string, or `nil` for an event without a payload.
  ///   - tags: The tags by which an ``EventQuery`` can find the event.
  ///   - metadata: The additional attributes of the event, stored separately from the payload.
  ///   - id: The event's identity, or `nil` to let the store generate an identity.
  ///   - time: The time of the event, or `nil` for the current time of the store's clock.
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

  /// Creates an event that is equal to a stored event, to append it to another log.
  ///
  /// - Parameter event: The stored event, with its identity, time and metadata.
  package init(_ event: StoredEvent) {
    self.init(
      type: event.type, schema: event.schema, payload: event.payload, tags: event.tags, metadata: event.metadata,
      id: event.id, time: event.time)
  }

  /// Creates an event with a payload that this library has just encoded, so that a store doesn't need to check it.
  ///
  /// If the payload is changed later, it is checked like any other payload.
  ///
  /// - Parameters:
  ///   - type: The event's type.
  ///   - schema: The number of the payload's schema.
  ///   - json: The payload, valid by all rules of ``JSON``.
  ///   - tags: The tags by which the event can be found.
  init(type: String, schema: Int, writtenAs json: String, tags: Set<EventTag>) {
    self.init(type: type, schema: schema, payload: json, tags: tags)
    proof.isJSON = true
  }

  /// True if the payload is known to be JSON.
  package var isKnownAsJSON: Bool { proof.isJSON }
}

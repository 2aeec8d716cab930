public import Foundation

/// An event on its way into a store, encoded but not yet placed.
public struct NewEvent: Hashable, Sendable {
  /// The event's type, such as `"BookInserted"`.
  public var type: String
  /// The number of the payload's schema, 1 or more.
  public var schema: Int
  /// The payload as JSON text, stored as it is; nil if the event has none.
  public var payload: String? {
    didSet { proof.isJSON = false }
  }
  /// The words by which the event can be found.
  public var tags: Set<EventTag>
  /// What the event says of itself beside its payload.
  public var metadata: Metadata
  /// The event's identity; nil lets the store make one from its own source and generator.
  public var id: EventID?
  /// When it happened; nil lets the store ask its clock.
  public var time: Date?
  private var proof = Proof()

  /// What is known of the payload beside its text; two events differ by nothing of it.
  private struct Proof: Hashable, Sendable {
    var isJSON = false

    static func == (left: Proof, right: Proof) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

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

  /// Creates an event with a payload that a coder of ours has just written, so that a store need not check it again.
  ///
  /// Once the payload is set to anything, it is checked as every other.
  ///
  /// - Parameters:
  ///   - type: The event's type.
  ///   - schema: The number of the payload's schema.
  ///   - json: The payload, JSON by all rules of ``JSON``.
  ///   - tags: The words by which the event can be found.
  init(type: String, schema: Int, writtenAs json: String, tags: Set<EventTag>) {
    self.init(type: type, schema: schema, payload: json, tags: tags)
    proof.isJSON = true
  }

  /// True if the payload is JSON by its making.
  package var isKnownAsJSON: Bool { proof.isJSON }
}

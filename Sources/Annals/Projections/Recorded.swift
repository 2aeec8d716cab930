public import Foundation

/// An event together with what its log says of it: where it stands, when it happened, who did it.
public struct Recorded<Event: Annals.Event>: Sendable {
  /// What happened.
  public let event: Event
  /// The place in the whole log.
  public let position: Position
  /// The number of the append that committed it.
  public let transaction: Int
  /// The stream that it belongs to.
  public let stream: StreamName
  /// The place in its stream, from 1.
  public let version: Int
  /// What tells it from every other event.
  public let id: EventID
  /// When it happened.
  public let time: Date
  /// What it says of itself beside its payload.
  public let metadata: Metadata

  /// Creates a recorded event from an event and its stored form.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - stored: The event as its store keeps it.
  public init(_ event: Event, _ stored: StoredEvent) {
    self.event = event
    position = stored.position
    transaction = stored.transaction
    stream = stored.stream
    version = stored.version
    id = stored.id
    time = stored.time
    metadata = stored.metadata
  }
}

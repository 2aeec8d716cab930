public import Foundation

/// An event together with what its log says of it: where it stands, when it happened, who did it.
public struct Recorded<Event: Annals.Event>: Sendable {
  /// Where the rest comes from when it is asked for: most projections do not ask.
  private enum Source: Sendable {
    case stored(StoredEvent)
    case page(EventPage, Int)
  }

  /// What happened.
  public let event: Event
  private let source: Source

  /// Creates a recorded event from an event and its stored form.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - stored: The event as its store keeps it.
  public init(_ event: Event, _ stored: StoredEvent) {
    self.event = event
    source = .stored(stored)
  }

  init(_ event: Event, _ page: EventPage, _ index: Int) {
    self.event = event
    source = .page(page, index)
  }

  private init(_ event: Event, _ source: Source) { (self.event, self.source) = (event, source) }

  /// Another event in the same place.
  func replacing(_ event: Event) -> Recorded { Recorded(event, source) }

  private func read<Value>(
    _ stored: KeyPath<StoredEvent, Value>, _ paged: (EventPage, EventPage.Row) -> Value
  ) -> Value {
    switch source {
    case .stored(let event): event[keyPath: stored]
    case .page(let page, let index): paged(page, page.rows[index])
    }
  }

  /// The place in the whole log.
  public var position: Position { read(\.position) { Position($1.position) } }
  /// The number of the append that committed it.
  public var transaction: Int { read(\.transaction) { $1.transaction } }
  /// The stream that it belongs to.
  public var stream: StreamName { read(\.stream) { $0.stream($1) } }
  /// The place in its stream, from 1.
  public var version: Int { read(\.version) { $1.version } }
  /// What tells it from every other event.
  public var id: EventID { read(\.id) { $0.id($1) } }
  /// When it happened.
  public var time: Date { read(\.time) { Date(microseconds: $1.time) } }
  /// What it says of itself beside its payload.
  public var metadata: Metadata { read(\.metadata) { $0.metadata($1) } }
}

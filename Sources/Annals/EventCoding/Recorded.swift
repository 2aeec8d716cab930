public import Foundation

/// An event together with what its log says of it: where it stands, when it happened, who did it.
///
///     for event in try store.events(of: TodoEvent.self) { print(event.position, event.time, event.event) }
public struct Recorded<Event: Annals.Event>: Sendable {
  /// Where the rest is found for those who ask: most projections do not.
  private enum Source: Sendable {
    case stored(StoredEvent)
    case batch(EventBatch, Int)
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

  init(_ event: Event, _ batch: EventBatch, _ index: Int) {
    // An event that is a value in its batch stays there: a copy counts a reference for each of its texts.
    (self.event, source) = (event, .batch(batch, index))
  }

  private init(_ event: Event, _ source: Source) { (self.event, self.source) = (event, source) }

  /// Another event at the same position.
  func replacing(_ event: Event) -> Recorded { Recorded(event, source) }

  /// Another event that was recorded there and then: what a union holds, for the code that knows only that.
  ///
  ///     case .second(let task): try board.project(recorded.with(task), into: &rows)
  ///
  /// - Parameter event: The event.
  /// - Returns: The event with all that the log says of this one.
  public func with<Other: Annals.Event>(_ event: Other) -> Recorded<Other> {
    switch source {
    case .stored(let stored): Recorded<Other>(event, stored)
    case .batch(let batch, let index): Recorded<Other>(event, batch, index)
    }
  }

  private func read<Value>(
    _ stored: KeyPath<StoredEvent, Value>, _ column: (EventBatch, EventBatch.Row) -> Value
  ) -> Value {
    switch source {
    case .stored(let event): event[keyPath: stored]
    case .batch(let batch, let index): batch.values?[index][keyPath: stored] ?? column(batch, batch.rows[index])
    }
  }

  /// The position in the whole log.
  public var position: Position { read(\.position) { Position($1.position) } }
  /// The number of the append that committed it.
  public var transaction: Int { read(\.transaction) { $1.transaction } }
  /// The stream that it belongs to.
  public var stream: StreamName { read(\.stream) { $0.stream($1) } }
  /// The number in its stream, from 1.
  public var version: Int { read(\.version) { $1.version } }
  /// What tells it from every other event.
  public var id: EventID { read(\.id) { $0.id($1) } }
  /// When it happened.
  public var time: Date { read(\.time) { Date(microseconds: $1.time) } }
  /// Who did it, if the event says so: the author of its metadata.
  public var author: String? { metadata.author }
  /// What it says of itself beside its payload.
  public var metadata: Metadata { read(\.metadata) { $0.metadata($1) } }
}

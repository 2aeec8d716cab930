public import Foundation

/// A typed event with the data that its log stores about the event, such as its position, time and author.
///
///     for event in try store.events(of: TodoEvent.self) { print(event.position, event.time, event.event) }
public struct Recorded<Event: AnnalsLog.Event>: Sendable {
  /// The source of the stored data.
  ///
  /// The data is read on demand, because most projections don't need it.
  private enum Source: Sendable {
    case stored(StoredEvent)
    case batch(EventBatch, Int)
  }

  /// The typed event, without the stored data.
  public let event: Event
  private let source: Source

  /// Creates a recorded event from a typed event and its stored form.
  ///
  /// - Parameters:
  ///   - event: The typed event.
  ///   - stored: The stored form of the event.
  public init(_ event: Event, _ stored: StoredEvent) {
    self.event = event
    source = .stored(stored)
  }

  package init(_ event: Event, _ batch: EventBatch, _ index: Int) {
    // The stored event isn't copied from its batch, because a copy would retain every one of the event's strings.
    self.event = event
    source = .batch(batch, index)
  }

  private init(_ event: Event, _ source: Source) {
    self.event = event
    self.source = source
  }

  /// Returns a recorded event that combines another typed event of the same type with the stored data of this event.
  package func replacing(_ event: Event) -> Recorded { Recorded(event, source) }

  /// Returns a recorded event that combines another typed event with the stored data of this event.
  ///
  /// For example, a projection of an ``EventUnion`` can pass an event to a projection of the event's member type:
  ///
  ///     case .second(let task): try board.project(recorded.with(task), into: &rows)
  ///
  /// - Parameter event: The other typed event.
  /// - Returns: The other typed event, with the data that the log stores about this event.
  public func with<Other: AnnalsLog.Event>(_ event: Other) -> Recorded<Other> {
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

  /// The event's position in the whole log, starting with 1.
  public var position: Position { read(\.position) { Position($1.position) } }
  /// The number of the transaction that committed the event.
  public var transaction: Int { read(\.transaction) { $1.transaction } }
  /// The name of the event's stream.
  public var stream: StreamName { read(\.stream) { $0.stream($1) } }
  /// The event's number in its stream, starting with 1.
  public var version: Int { read(\.version) { $1.version } }
  /// The event's unique identity.
  public var id: EventID { read(\.id) { $0.id($1) } }
  /// The time that the writer gave the event, or the time of the store's clock if the writer gave none.
  public var time: Date { read(\.time) { Date(microseconds: $1.time) } }
  /// The ``Metadata/author`` of the event, or `nil` if the event's metadata have no member `actor`.
  public var author: String? { metadata.author }
  /// The metadata stored with the event.
  public var metadata: Metadata { read(\.metadata) { $0.metadata($1) } }
}

extension Metadata {
  /// Returns metadata for new events that are caused by a typed event.
  ///
  /// If a follower's code executes a command while it handles a single event, you don't need this method. The command
  /// then automatically gets the handled event as its cause. If the follower handles a batch of several events, pass
  /// the method's result as the command's metadata.
  ///
  /// - Parameter event: The event that causes the new events.
  /// - Returns: The metadata with the attributes ``causation`` and ``correlation``.
  public static func caused<E: Event>(by event: Recorded<E>) -> Metadata { caused(by: event.id, event.metadata) }
}

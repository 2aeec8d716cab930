import Annals
import AnnalsLog
import Foundation

/// A history as a store returns it, with fixed identifiers, and with fixed times for events without a time.
struct LawHistory<Event: Annals.Event> {
  let recorded: [Recorded<Event>]
  /// The stored events.
  let entries: [NewEvent]

  /// Stores events in their usual form.
  init(_ events: [Event], in stream: StreamName = "history") throws {
    // Events of an older version have the names of current events.
    let coder = try EventCoder<Event>(checksNames: false)
    try self.init(stored: events.map { try coder.encode($0) }, in: stream)
  }

  /// Reads stored events in any form.
  init(stored: [NewEvent], in stream: StreamName = "history") throws {
    var coder = try EventCoder<Event>()
    entries = stored.enumerated().map { number, event in
      var event = event
      event.id = EventID(source: "laws", id: "\(number + 1)")
      event.time = event.time ?? Self.time(number)
      return event
    }
    let store = MemoryEventStore(source: "laws")
    _ = try store.commit(Append(entries, to: stream))
    recorded = try store.events(.all, after: 0, through: nil, limit: max(1, entries.count)).flatMap { stored in
      try coder.read(stored).events.map { Recorded($0, stored) }
    }
  }

  /// Returns the time of the event at an index.
  private static func time(_ index: Int) -> Date { GoldenLine.time.addingTimeInterval(Double(index)) }

  /// Returns unstored events, recorded with the same positions and times as stored events.
  static func unstored(_ events: [Event]) -> [Recorded<Event>] {
    events.enumerated().map { recorded($1, $0) }
  }

  /// Returns an unstored event, recorded as the event at an index of a stored history.
  static func recorded(_ event: Event, _ index: Int) -> Recorded<Event> {
    Recorded(
      event,
      StoredEvent(
        position: Position(index + 1), transaction: 1, stream: "history", version: index + 1,
        id: EventID(source: "laws", id: "\(index + 1)"), type: "\(Event.self)", schema: Event.schema, time: time(index),
        tags: event.tags, payload: nil, metadata: [:]))
  }
}

extension Projection {
  /// Returns the rows after every event, starting without any rows.
  func allRows(_ recorded: [Recorded<Event>]) throws -> [Rows<Row>] {
    var all = [Rows(for: Self.self)]
    for event in recorded {
      var rows = all[all.count - 1]
      try project(event, into: &rows)
      all.append(rows)
    }
    try Coverage.note(effectsOf: recorded, on: all, by: Self.self)
    return all
  }

  /// Returns the rows of a list as code.
  func text(_ list: Results<Row>) -> String {
    let isCut = list.sections.count != 1 || list.sections.first?.key != .null
    guard isCut else { return swiftSource(of: Array(list.rows)) }
    return list.sections.map { "\(swiftSource(of: $0.title)): \(swiftSource(of: Array($0)))" }.joined(separator: ", ")
  }
}

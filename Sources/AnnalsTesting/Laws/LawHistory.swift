import Annals
import Foundation

/// A history as a store returns it, always with the same times and identifiers.
struct LawHistory<Event: Annals.Event> {
  let recorded: [Recorded<Event>]
  /// The stored events.
  let entries: [NewEvent]

  /// Stores events in their own form.
  init(_ events: [Event]) throws {
    // The events of an older version have the names of today's.
    let coder = try EventCoder<Event>(checksNames: false)
    try self.init(stored: events.map { try coder.encode($0) })
  }

  /// Reads events that are stored in any form.
  init(stored: [NewEvent]) throws {
    var coder = try EventCoder<Event>()
    entries = stored.enumerated().map { number, event in
      var event = event
      event.id = EventID(source: "laws", id: "\(number + 1)")
      event.time = Self.time(number)
      return event
    }
    let store = MemoryEventStore(source: "laws")
    _ = try store.commit(Append(entries, to: "history"))
    recorded = try store.events(.all, after: 0, through: nil, limit: max(1, entries.count)).flatMap { stored in
      try coder.read(type: stored.type, schema: stored.schema, payload: stored.payload).events.map {
        Recorded($0, stored)
      }
    }
  }

  /// When the event at an index happened.
  private static func time(_ index: Int) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + Double(index)) }

  /// Events that are not stored, recorded with the same places and times as those that are.
  static func unstored(_ events: [Event]) -> [Recorded<Event>] {
    events.enumerated().map { index, event in
      Recorded(
        event,
        StoredEvent(
          position: Position(index + 1), transaction: 1, stream: "history", version: index + 1,
          id: EventID(source: "laws", id: "\(index + 1)"), type: "\(Event.self)", schema: Event.schema,
          time: time(index),
          tags: event.tags, payload: nil, metadata: [:]))
    }
  }
}

extension Projection {
  /// The rows after each event, and no rows at the start.
  func allRows(_ recorded: [Recorded<Event>]) throws -> [Rows<Row>] {
    var all = [Rows(for: Self.self)]
    for event in recorded {
      var rows = all[all.count - 1]
      try project(event, into: &rows)
      all.append(rows)
    }
    return all
  }

  /// The rows of a list, as code.
  func text(_ list: Results<Row>) -> String {
    let isCut = list.sections.count != 1 || list.sections.first?.key != .null
    guard isCut else { return swiftSource(of: Array(list.rows)) }
    return list.sections.map { "\(swiftSource(of: $0.title)): \(swiftSource(of: Array($0)))" }.joined(separator: ", ")
  }
}

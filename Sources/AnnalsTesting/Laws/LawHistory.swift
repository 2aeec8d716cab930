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
      event.time = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
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

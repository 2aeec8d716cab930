public import Annals
import Foundation

extension Projection {
  /// Demands that a history leads to the same rows whenever it is folded.
  ///
  /// The events are stored, read and folded twice. A projection that asks the clock, draws by chance, keeps something
  /// beside the rows, or depends on the order of a set, breaks this.
  ///
  /// - Parameters:
  ///   - history: The events, in order; all go to one stream.
  ///   - request: The list that is compared, with its sections; by default all rows.
  ///   - fileID: Where this is written.
  ///   - line: Where this is written.
  /// - Throws: ``Unmet``, or why an event cannot be stored or folded.
  public func ensureReplaysEqually(
    _ history: [Event], in request: FetchRequest<Row> = FetchRequest(), fileID: String = #fileID, line: UInt = #line
  ) throws {
    let recorded = try recorded(history)
    let lists = try (0..<2).map { _ in
      var rows = Rows<Row>()
      for event in recorded { try project(event, into: &rows) }
      return Results(request, of: rows, at: Position(history.count))
    }
    try ensure(
      lists[0] == lists[1], "folded once: \(text(Array(lists[0].rows))), folded again: \(text(Array(lists[1].rows)))",
      fileID: fileID,
      line: line)
  }

  /// Demands that a history can be cut anywhere: rows that are kept as JSON and folded on lead to the same rows.
  ///
  /// - Parameters:
  ///   - history: The events, in order; all go to one stream.
  ///   - fileID: Where this is written.
  ///   - line: Where this is written.
  /// - Throws: ``Unmet``, or why an event cannot be stored or folded, or why a row cannot be kept.
  /// - Complexity: O(n²) for n events.
  public func ensureResumesAnywhere(
    _ history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let recorded = try recorded(history)
    var kept: [[Row]] = [[]]
    var rows = Rows<Row>()
    for event in recorded {
      try project(event, into: &rows)
      kept.append(list(rows))
    }
    let whole = list(rows)
    for cut in 0...recorded.count {
      let data = try JSONEncoder().encode(kept[cut])
      var resumed = Rows<Row>()
      for row in try JSONDecoder().decode([Row].self, from: data) { resumed.insert(row) }
      for event in recorded[cut...] { try project(event, into: &resumed) }
      let found = list(resumed)
      try ensure(
        found == whole, "in one go: \(text(whole)), cut after \(cut) events: \(text(found))", fileID: fileID, line: line
      )
    }
  }

  private func list(_ rows: Rows<Row>) -> [Row] { Array(Results(FetchRequest(), of: rows, at: 0).rows) }

  private func text(_ rows: [Row]) -> String { swiftSource(of: rows) }

  /// The events as a store gives them back.
  private func recorded(_ history: [Event]) throws -> [Recorded<Event>] {
    var coder = try EventCoder<Event>()
    var number = 0
    let store = MemoryEventStore(source: "laws")
    let events = try history.map { event in
      number += 1
      var new = try coder.encode(event)
      new.id = EventID(source: "laws", id: "\(number)")
      new.time = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
      return new
    }
    _ = try store.commit(Append(events, to: "history"))
    return try store.events(.all, after: 0, through: nil, limit: max(1, events.count)).compactMap { stored in
      try coder.decode(type: stored.type, payload: stored.payload).map { Recorded($0, stored) }
    }
  }
}

public import Annals
import Foundation

// Laws for all projections. Call them with generated histories.
//
//     try check(histories) { try Shelves().ensureAllLaws($0, in: request) }

extension Projection {
  /// Returns the rows that a projection builds from a history.
  ///
  /// - Parameters:
  ///   - history: The events, in order. They aren't stored, and their times are one second apart.
  ///   - request: The filter and sort order of the rows. By default, all rows are sorted by ID.
  /// - Returns: The rows in the list's order. If the request has sections, the rows of the first section come first.
  /// - Throws: An error if an event can't be applied.
  public func rows(after history: [Event], in request: ListRequest<Row> = ListRequest()) throws -> [Row] {
    var rows = Rows(for: Self.self)
    for event in LawHistory.unstored(history) { try project(event, into: &rows) }
    return Array(Results(request, of: rows, at: Position(history.count)).rows)
  }

  /// Verifies all rules that a projection must follow for any history.
  ///
  /// This method calls `ensureReplaysEqually`, `ensureResumesAnywhere`, `ensureSnapshotsHold`, `ensureBatchesSplit`,
  /// `ensureChangesHold` and `ensureTableFollows`.
  ///
  /// - Parameters:
  ///   - history: The events of one stream, in order.
  ///   - request: The filter, sort order and sections of the list to compare. By default, the list contains all rows.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` or ``MirrorTable/Violation`` if a rule is broken. Another error if an event can't be stored or
  ///   applied, or if a row can't be saved.
  /// - Complexity: O(n²) for n events. The method also computes O(n²) differences between lists.
  public func ensureAllLaws(
    _ history: [Event], in request: ListRequest<Row> = ListRequest(), fileID: String = #fileID, line: UInt = #line
  ) throws {
    try ensureReplaysEqually(history, in: request, fileID: fileID, line: line)
    try ensureResumesAnywhere(history, in: request, fileID: fileID, line: line)
    try ensureSnapshotsHold(history, fileID: fileID, line: line)
    try ensureBatchesSplit(history, in: request, fileID: fileID, line: line)
    try ensureChangesHold(history, in: request, fileID: fileID, line: line)
    try ensureTableFollows(history, in: request, fileID: fileID, line: line)
  }

  /// Verifies that every replay of a history produces the same rows.
  ///
  /// The events are stored and read once, and applied twice. The check fails if a projection uses the clock or random
  /// numbers, stores data outside the rows, or depends on the order of a set.
  ///
  /// - Parameters:
  ///   - history: The events of one stream, in order.
  ///   - request: The filter, sort order and sections of the list to compare. By default, the list contains all rows.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the lists differ. Another error if an event can't be stored or applied.
  public func ensureReplaysEqually(
    _ history: [Event], in request: ListRequest<Row> = ListRequest(), fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureReplaysEqually", of: Self.self)
    defer { run.end() }
    Coverage.note(history)
    let recorded = try LawHistory(history).recorded
    let lists = try (0..<2).map { _ in
      Results(request, of: try allRows(recorded)[recorded.count], at: Position(history.count))
    }
    try ensure(
      lists[0] == lists[1],
      "the first replay results in \(text(lists[0])), but the second replay results in \(text(lists[1]))",
      fileID: fileID, line: line)
  }

  /// Verifies that a replay produces the same rows if it is interrupted after any event, and resumed from the rows
  /// after that event.
  ///
  /// The check fails if a projection stores data outside the rows.
  ///
  /// - Parameters:
  ///   - history: The events of one stream, in order.
  ///   - request: The filter, sort order and sections of the list to compare. By default, the list contains all rows.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the lists differ. Another error if an event can't be stored or applied.
  /// - Complexity: O(n²) for n events.
  public func ensureResumesAnywhere(
    _ history: [Event], in request: ListRequest<Row> = ListRequest(), fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureResumesAnywhere", of: Self.self)
    defer { run.end() }
    Coverage.note(history)
    let recorded = try LawHistory(history).recorded
    let kept = try allRows(recorded)
    let whole = Results(request, of: kept[recorded.count], at: 0)
    for cut in recorded.indices {
      var rows = kept[cut]
      for event in recorded[cut...] { try project(event, into: &rows) }
      let found = Results(request, of: rows, at: 0)
      try ensure(
        found == whole,
        "an uninterrupted replay results in \(text(whole)), but a replay that was resumed after \(cut) events results "
          + "in \(text(found))", fileID: fileID, line: line)
    }
  }

  /// Checks that rows can be saved: rows that are saved, reloaded and updated by the later events must equal the rows
  /// that all events produce.
  ///
  /// - Parameters:
  ///   - history: The events of one stream, in order.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the rows differ. Another error if an event can't be stored or applied, or if a row can't be
  ///   saved.
  /// - Complexity: O(n²) for n events.
  public func ensureSnapshotsHold(_ history: [Event], fileID: String = #fileID, line: UInt = #line) throws {
    let run = LawRun("ensureSnapshotsHold", of: Self.self)
    defer { run.end() }
    Coverage.note(history)
    let recorded = try LawHistory(history).recorded
    let states = try allRows(recorded)
    let kept = states.map { list($0) }
    for cut in 0...recorded.count {
      var resumed = Rows(for: Self.self)
      for entity in states[cut].relatedEntities { resumed.relate(try again(entity)) }
      for row in kept[cut] { resumed.insert(try RowBytes().again(row)) }
      for event in recorded[cut...] { try project(event, into: &resumed) }
      let (found, whole) = (list(resumed), kept[recorded.count])
      try ensure(
        found.elementsEqual(whole) { $0.isSame(as: $1) },
        "an uninterrupted replay results in \(swiftSource(of: whole)), but a replay that was resumed from the snapshot "
          + "after \(cut) events results in \(swiftSource(of: found))", fileID: fileID, line: line)
    }
  }

  private func list(_ rows: Rows<Row>) -> [Row] { Array(Results(ListRequest(), of: rows, at: 0).rows) }

  /// Returns a related entity after a round trip through its saved form.
  private func again<Value: Annals.Row>(_ value: Value) throws -> Value { try RowBytes().again(value) }
}

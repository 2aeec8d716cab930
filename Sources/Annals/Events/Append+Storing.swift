import Foundation

/// What stores that keep events as values do with an append, one way for all of them.
extension Append {
  /// The entries with the identities and the times that a store gives to events that have none.
  func identified(
    by source: String, _ environment: StoreEnvironment
  ) -> [(entry: Entry, id: EventID, time: Date)] {
    entries.map { entry in
      (
        entry: entry, id: entry.event.id ?? EventID(source: source, id: environment.makeID()),
        time: entry.event.time ?? environment.now()
      )
    }
  }

  /// Throws if a log is not what the append expects.
  ///
  /// - Parameters:
  ///   - compacted: How much of the log's history was compacted.
  ///   - version: Answers the version of a stream.
  ///   - first: Answers where the first event is that a query matches, after a position; nil if there is none.
  /// - Throws: ``EventStoreError``, a conflict, and what the closures throw.
  func check(
    compacted: @autoclosure () throws -> CompactedHistory, version: (StreamName) throws -> Int,
    first: (EventQuery, Position) throws -> Position?
  ) throws {
    for (stream, expected) in expectations.sorted(by: { $0.key < $1.key }) {
      let found = try version(stream)
      if !expected.isMet(by: found) {
        throw EventStoreError.versionConflict(stream: stream, expected: expected, found: found)
      }
    }
    let compacted = try compacted()
    for condition in conditions {
      if !compacted.shows(condition.after) {
        throw EventStoreError.conditionConflict(after: condition.after, compactedThrough: compacted.horizon)
      }
      if let found = try first(condition.noneMatching, condition.after) {
        throw EventStoreError.conditionConflict(after: condition.after, found: found)
      }
    }
  }
}

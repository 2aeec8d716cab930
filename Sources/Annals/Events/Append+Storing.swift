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

/// Where a checkpoint must be for an append to be committed; at 0 it may also be missing.
package struct CheckpointDemand: Hashable, Sendable {
  package let name: String
  package let position: Position

  package init(_ name: String, at position: Position) { (self.name, self.position) = (name, position) }

  /// Throws if the checkpoint is elsewhere.
  ///
  /// - Parameter found: Where it is; nil if there is none, which is 0.
  /// - Throws: ``EventStoreError``.
  package func check(at found: Position?) throws {
    if found ?? 0 == position { return }
    throw EventStoreError(
      .conditionConflict,
      "expected the checkpoint \"\(name)\" at \(position), and another writer has moved it; read again")
  }
}

extension Append {
  /// Throws if a log is not in the revision that the writer had read, or if a checkpoint is elsewhere.
  ///
  /// - Parameters:
  ///   - revision: The revision that the writer had read; nil if it does not matter.
  ///   - demand: Where a checkpoint must be; nil if it does not matter.
  ///   - now: The log's revision.
  ///   - checkpoint: Answers where a checkpoint is.
  /// - Throws: ``EventStoreError``, and what the closures throw.
  package static func check(
    _ revision: LogRevision?, _ demand: CheckpointDemand?, now: @autoclosure () throws -> LogRevision,
    checkpoint: (String) throws -> Position?
  ) throws {
    if let revision, try now() != revision { throw EventStoreError.decidedBeforeRewriting }
    if let demand { try demand.check(at: checkpoint(demand.name)) }
  }
}

extension EventStoreError {
  /// Something was erased from the log, or it was compacted, after a writer had read it.
  package static var decidedBeforeRewriting: EventStoreError {
    EventStoreError(
      .rewritten,
      "expected the log as it was read, and something was erased from it since, or it was compacted; nothing was "
        + "added: read again and decide again")
  }
}

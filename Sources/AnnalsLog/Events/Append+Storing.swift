package import Foundation

/// Shared steps of appends for stores that keep events as values.
extension Append {
  /// The entries, with identities and times from the store for events that don't have them.
  package func identified(
    by source: String, _ environment: StoreEnvironment
  ) -> [(entry: Entry, id: EventID, time: Date)] {
    entries.map { entry in
      (
        entry: entry, id: entry.event.id ?? EventID(source: source, id: environment.makeID()),
        time: entry.event.time ?? environment.now()
      )
    }
  }

  /// Throws if the log doesn't meet the append's expectations or conditions.
  ///
  /// - Parameters:
  ///   - compacted: The extent of the log's compaction.
  ///   - version: A closure that returns a stream's version.
  ///   - first: A closure that returns the position of the first matching event after a position, or nil if no event
  ///     matches.
  /// - Throws: ``EventStoreError`` for a conflict, and the errors of the closures.
  package func check(
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

/// The position that a checkpoint must have for an append to be committed.
///
/// A position of 0 also allows a missing checkpoint.
package struct CheckpointDemand: Hashable, Sendable {
  package let name: String
  package let position: Position

  package init(_ name: String, at position: Position) {
    self.name = name
    self.position = position
  }

  /// Throws if the checkpoint's position differs from the required position.
  ///
  /// - Parameter found: The checkpoint's position, or nil for a missing checkpoint, which is treated as position 0.
  /// - Throws: ``EventStoreError``.
  package func check(at found: Position?) throws {
    if found ?? 0 == position { return }
    throw EventStoreError(
      .conditionConflict,
      "expected the checkpoint \"\(name)\" at position \(position), but another writer moved the checkpoint to "
        + "position \(found ?? 0). Reread the checkpoint and retry")
  }
}

extension Append {
  /// Throws if the log's revision or a checkpoint's position differs from the required value.
  ///
  /// - Parameters:
  ///   - revision: The revision that the writer has read, or nil for any revision.
  ///   - demand: The required position of a checkpoint, or nil for any position.
  ///   - now: The log's revision.
  ///   - checkpoint: A closure that returns the position of the checkpoint with a given name, or nil if the checkpoint
  ///     doesn't exist.
  /// - Throws: ``EventStoreError``, and the errors of the closures.
  package static func check(
    _ revision: LogRevision?, _ demand: CheckpointDemand?, now: @autoclosure () throws -> LogRevision,
    checkpoint: (String) throws -> Position?
  ) throws {
    if let revision, try now() != revision { throw EventStoreError.decidedBeforeRewriting }
    if let demand { try demand.check(at: checkpoint(demand.name)) }
  }
}

extension EventStoreError {
  /// The error for a log that was compacted, or from which values were erased, after a writer had read it.
  package static var decidedBeforeRewriting: EventStoreError {
    EventStoreError(
      .rewritten,
      "no event was added, because a compaction or an erasure changed the log after the writer of this append had read "
        + "the log. Reread the log and retry")
  }
}

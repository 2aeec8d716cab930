package import AnnalsLog

/// A reader's knowledge of a remote log's history, from one read to the next.
///
/// With this knowledge, a reader can distinguish a log with a new erasure from a different log at the same address.
package struct RemoteHistory: Sendable {
  private var revision: LogRevision?
  private var lineage = 0

  package init() {}

  /// True if a reading has a different revision than the last reading.
  ///
  /// In that case, events that were read ahead might contain erased values.
  package func isOlder(than reading: LogResponse) -> Bool { revision.map { $0 != reading.revision } ?? false }

  /// True if a reading has an earlier revision than the last reading.
  package func isAhead(of reading: LogResponse) -> Bool { revision.map { reading.revision.isBefore($0) } ?? false }

  /// Records a reading, or throws if the reader can't continue.
  ///
  /// An erasure doesn't stop a reader, because the events after the reader's position are still the next events,
  /// without the erased values.
  ///
  /// - Parameters:
  ///   - reading: The log's response.
  ///   - position: The position through which all events have been seen.
  /// - Throws: `EventStoreError`. The code is `.replaced` if this is a different log. The code is `.compacted` if the
  ///   remaining events might repeat events that were already seen. The code is `.rewritten` if commands of a branch
  ///   were re-decided.
  package mutating func take(_ reading: LogResponse, at position: Position) throws {
    let now = reading.revision
    if reading.head < position {
      throw EventStoreError(
        .replaced,
        "the log must end at position \(position) or later, but ends at position \(reading.head). Either the server "
          + "was restored from an older backup, or another log has replaced the server's log. Restart the reader at a "
          + "position up to \(reading.head)")
    }
    if let revision {
      if now.isBefore(revision) { throw EventStoreError.wentBack(from: revision.number, to: now.number) }
      if now == revision, reading.lineage != lineage { throw EventStoreError.otherLineage(now.number) }
      if now.rebases != revision.rebases { throw EventStoreError.rewritten }
      if now.compacted != revision.compacted, !now.compacted.shows(position) {
        throw EventStoreError.compacted(
          through: now.compacted.horizon,
          "the reader is at position \(position), but the log was compacted up to position "
            + "\(now.compacted.horizon). The compaction might have moved earlier changes into the events after "
            + "position \(position), so the reader might read these changes twice. Restart the reader at position 0, "
            + "or at position \(now.compacted.horizon) or later")
      }
    }
    revision = now
    lineage = reading.lineage
  }
}

extension LogRevision {
  /// True if a log can't have this revision after the other revision, unless the log was restored from an older backup.
  func isBefore(_ other: LogRevision) -> Bool {
    erasures < other.erasures || compacted.count < other.compacted.count
  }
}

extension EventStoreError {
  /// Creates the error for a log that has fewer erasures or compactions than at the last read.
  package static func wentBack(from old: Int, to new: Int) -> EventStoreError {
    EventStoreError(
      .replaced,
      "the log had \(old) erasures and compactions in total at the last read, but has only \(new) now. Either the "
        + "server was restored from an older backup, or another log has replaced the server's log. Repeat the "
        + "erasures that the server's log no longer contains, and restart the reader")
  }

  /// Creates the error for a log whose erasure or compaction with the given number differs from the known erasure or
  /// compaction.
  package static func otherLineage(_ number: Int) -> EventStoreError {
    EventStoreError(
      .replaced,
      "the log's erasure or compaction number \(number) has changed since the last read. Either the server "
        + "was restored from an older backup, or another log has replaced the server's log. Repeat the "
        + "erasures that the server's log no longer contains, and restart the reader")
  }
}

/// What someone who reads a remote log step by step knows of its history: it tells a log from which something was
/// erased from one that stands in another's place.
struct RemoteHistory: Sendable {
  private var revision: LogRevision?
  private var lineage = 0

  /// True if a reading is of another revision than the last one: what was read ahead may have what is erased by now.
  func isOlder(than reading: LogReading) -> Bool { revision.map { $0 != reading.revision } ?? false }

  /// True if a reading is of an earlier revision than the last one.
  func isAhead(of reading: LogReading) -> Bool { revision.map { reading.revision.isBefore($0) } ?? false }

  /// Takes note of a reading, or says that the reader cannot go on.
  ///
  /// An erasure takes nothing from a reader: the events after its position are the ones that come next, without the
  /// values.
  ///
  /// - Parameters:
  ///   - reading: What the log answered.
  ///   - position: Up to where everything has been seen.
  /// - Throws: ``EventStoreError``: `replaced` if the log is not the one that was read; `compacted` if what is left
  ///   of it may repeat what was seen; `rewritten` if commands of a branch were decided again.
  mutating func take(_ reading: LogReading, at position: Position) throws {
    let now = reading.revision
    if reading.head < position {
      throw EventStoreError(
        .replaced,
        "expected a log that goes on after position \(position), found one that ends at \(reading.head): the server "
          + "was restored from an older copy, or another log stands in its place; begin at a position that it has")
    }
    if let revision {
      if now.isBefore(revision) { throw EventStoreError.wentBack(from: revision.number, to: now.number) }
      if now == revision, reading.lineage != lineage { throw EventStoreError.otherLineage(now.number) }
      if now.rebases != revision.rebases { throw EventStoreError.rewritten }
      if now.compacted != revision.compacted, !now.compacted.shows(position) {
        throw EventStoreError.compacted(
          through: now.compacted.horizon,
          "expected the events after position \(position), found that the history up to \(now.compacted.horizon) was "
            + "compacted, and what is left of it may repeat what was seen; begin again at 0, or at a position from "
            + "\(now.compacted.horizon) on")
      }
    }
    (revision, lineage) = (now, reading.lineage)
  }
}

extension LogRevision {
  /// True if a log that had a revision cannot have this one, unless it was restored from an older copy.
  func isBefore(_ other: LogRevision) -> Bool {
    erasures < other.erasures || compacted.count < other.compacted.count
  }
}

extension EventStoreError {
  /// The log has fewer erasures or compactions than it had before.
  static func wentBack(from old: Int, to new: Int) -> EventStoreError {
    EventStoreError(
      .replaced,
      "expected a log from which something was erased, or which was compacted, at least \(old) times, found one with "
        + "\(new): the server was restored from an older copy, or another log stands in its place. Erase again there "
        + "what was erased since, and begin again")
  }

  /// An erasure or a compaction of the log is another one than the one of this number was.
  static func otherLineage(_ number: Int) -> EventStoreError {
    EventStoreError(
      .replaced,
      "expected the log whose erasure or compaction number \(number) is the one that was seen, found another one: the "
        + "server was restored from an older copy, or another log stands in its place. Erase again there what was "
        + "erased since, and begin again")
  }
}

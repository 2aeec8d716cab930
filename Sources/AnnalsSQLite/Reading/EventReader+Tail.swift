import Annals

extension EventReader {
  /// What the log has after a position, in one state of the log.
  func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    try consistently {
      let (head, revision) = try state()
      return LogTail(
        head: head, revision: revision, after: after,
        batch: try batch(after: after, through: min(through ?? head, head), limit: limit))
    }
  }

  /// What a stream has after a position, in one state of the log.
  func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    let limit = 512
    return try consistently {
      var events = try events(.stream(stream), after: after, through: nil, limit: limit)
      var count = events.count
      while count == limit, let last = events.last {
        let more = try self.events(.stream(stream), after: last.position, through: nil, limit: limit)
        events += more
        count = more.count
      }
      return try tail(of: stream, events)
    }
  }

  /// What a stream has, if it has no more events than a number; nil if it has.
  func tail(ofShort stream: StreamName, _ limit: Int) throws -> StreamTail? {
    try consistently {
      let events = try beginning(of: stream, limit + 1)
      return events.count > limit ? nil : try tail(of: stream, events)
    }
  }

  private func tail(of stream: StreamName, _ events: [StoredEvent]) throws -> StreamTail {
    let revision = try CompactionTables(connection).revision
    // Only a compaction cuts the last events of a stream.
    let version =
      if let last = events.last, revision.compacted == .none { last.version } else { try version(of: stream) }
    return StreamTail(version: version, revision: revision, events: events)
  }

  /// The last event's position and the log's revision.
  func state() throws -> (head: Position, revision: LogRevision) {
    (try head(), try CompactionTables(connection).revision)
  }
}

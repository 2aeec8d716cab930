import Annals

extension EventReader {
  /// What the log has after a position, in one state of the log.
  func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    try inState { head, revision in
      LogTail(
        head: head, revision: revision, after: after,
        batch: try batch(after: after, through: min(through ?? head, head), limit: limit))
    }
  }

  /// What a stream has after a position, in one state of the log.
  func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    let limit = 512
    return try inState { _, revision in
      var events = try events(.stream(stream), after: after, through: nil, limit: limit)
      var count = events.count
      while count == limit, let last = events.last {
        let more = try self.events(.stream(stream), after: last.position, through: nil, limit: limit)
        events += more
        count = more.count
      }
      return try tail(of: stream, events, revision)
    }
  }

  /// What a stream has; nil if that is more than a number of events.
  func tail(ofShort stream: StreamName, _ most: Int, _ revision: LogRevision) throws -> StreamTail? {
    let events = try beginning(of: stream, most + 1)
    return events.count > most ? nil : try tail(of: stream, events, revision)
  }

  private func tail(of stream: StreamName, _ events: [StoredEvent], _ revision: LogRevision) throws -> StreamTail {
    // Only a compaction cuts the last events of a stream.
    let version =
      if let last = events.last, revision.compacted == .none { last.version } else { try version(of: stream) }
    return StreamTail(version: version, revision: revision, events: events)
  }

  /// Runs a body in one state of the log, with the log's end and revision in it.
  ///
  /// One statement asks for all of it, and stays on its row while the body runs.
  private func inState<T>(_ body: (_ head: Position, _ revision: LogRevision) throws -> T) throws -> T {
    guard try connection.format >= 4 else {
      return try consistently { try body(try head(), try CompactionTables(connection).revision) }
    }
    let answer = try connection.statement(Self.state).onFirstRow { row in
      let (head, path) = (try head(last: row.int(0), counted: row.int(1)), connection.path)
      let compacted =
        row.isNull(3)
        ? CompactedHistory.none
        : try CompactionTables(connection).history(count: row.int(3), horizon: row.int(4), end: row.int(1))
      let erasures = try LogNumber.checked(row.int(2), "the number of erasures", in: path)
      return try body(head, LogRevision(erasures: erasures, compacted: compacted))
    }
    // A statement without FROM has one row.
    guard let answer else { preconditionFailure("SQLite answered a SELECT without FROM with no row") }
    return answer
  }

  private static let state = """
    SELECT (SELECT max(position) FROM event), (SELECT seq FROM sqlite_sequence WHERE name = 'event'),
    (SELECT max(number) FROM erasure), (SELECT number FROM compaction ORDER BY number DESC LIMIT 1),
    (SELECT position FROM compaction ORDER BY number DESC LIMIT 1)
    """
}

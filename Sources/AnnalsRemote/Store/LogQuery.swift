public import AnnalsLog

/// A query that ``RemoteEventStore/ask(_:)`` sends to a remote log.
///
/// One call can send several queries.
public enum LogQuery: Sendable {
  /// A query for the number of events ever appended to a stream, with the result ``LogResult/version(_:)``.
  case version(of: StreamName)
  /// A query for the position of the event with a given identity, with the result ``LogResult/position(_:)``.
  case position(of: EventID)
  /// A query for the first `limit` matching events in a range of positions, with the result ``LogResult/events(_:)``.
  ///
  /// The events are returned in the order of their positions. The range begins after the position `after`, and includes
  /// the position `through`. If `through` is `nil`, the range ends at the log's end.
  case events(EventQuery, after: Position, through: Position?, limit: Int)
  /// A query for the last `limit` matching events in a range of positions, with the result ``LogResult/events(_:)``.
  ///
  /// The events are returned newest first. The range begins after the position `after`, and includes the position
  /// `through`. If `through` is `nil`, the range ends at the log's end.
  case eventsBackwards(EventQuery, after: Position, through: Position?, limit: Int)
  /// A query for a stream's version and for all its events after a position, with the result ``LogResult/stream(_:)``.
  case stream(StreamName, after: Position)
  /// A query for the receipt of the command with a given id, with the result ``LogResult/receipt(_:)``.
  case receipt(ofCommand: String)
}

/// The result of a ``LogQuery``.
public enum LogResult: Sendable {
  /// The stream's version, which is the number of events ever appended to the stream.
  case version(Int)
  /// The event's position, or `nil` if the log never contained the event.
  case position(Position?)
  /// The events that match the query.
  case events([StoredEvent])
  /// The stream's version and its events after the requested position.
  case stream(StreamTail)
  /// The command's receipt, or `nil` if no command with this id was committed.
  case receipt(Receipt?)
}

/// The results of several ``LogQuery`` values, all read from one snapshot of the log.
public struct LogResponse: Sendable {
  /// The log's last position, or 0 if the log is empty.
  public let head: Position
  /// The log's revision.
  public let revision: LogRevision
  /// A number that distinguishes a log from its restored backup, even if both have the same revision.
  ///
  /// For example, a server with two erasures is restored from a backup that contains only the first erasure. If the
  /// restored server makes a new erasure, it has two erasures, as before the restore. But its second erasure isn't the
  /// original second erasure.
  ///
  /// The number is the time of the last erasure or compaction (``LogErasure/time``, ``LogCompaction/time``) in
  /// microseconds since 1970. The number is 0 if the log has neither erasures nor compactions.
  public let lineage: Int
  /// The results, in the order of the queries.
  public let answers: [LogResult]

  /// Creates a response, for use in a custom store.
  ///
  /// - Parameters:
  ///   - head: The log's last position, or 0 if the log is empty.
  ///   - revision: The log's revision.
  ///   - lineage: The time of the last erasure or compaction in microseconds since 1970, or 0 if the log has neither
  ///     erasures nor compactions.
  ///   - answers: The results, in the order of the queries.
  public init(head: Position, revision: LogRevision = .original, lineage: Int = 0, answers: [LogResult]) {
    self.head = head
    self.revision = revision
    self.lineage = lineage
    self.answers = answers
  }
}

extension EventStore {
  /// Returns the results of a remote client's queries from a local log, as a server does.
  ///
  /// - Parameter questions: The queries.
  /// - Returns: The results, in one snapshot.
  /// - Throws: `EventStoreError`.
  package func reading(of questions: [LogQuery]) throws -> LogResponse {
    try read { log in
      LogResponse(
        head: try log.head(), revision: try log.revision(),
        answers: try questions.map { question in
          switch question {
          case .version(let stream): .version(try log.version(of: stream))
          case .position(let id): .position(try log.position(of: id))
          case .events(let query, let after, let through, let limit):
            .events(try log.events(query, after: after, through: through, limit: limit))
          case .eventsBackwards(let query, let after, let through, let limit):
            .events(try log.eventsBackwards(query, after: after, through: through, limit: limit))
          case .stream(let stream, let after): .stream(try log.tail(of: stream, after: after))
          case .receipt(let commandID): .receipt(try log.receipt(ofCommand: commandID))
          }
        })
    }
  }
}

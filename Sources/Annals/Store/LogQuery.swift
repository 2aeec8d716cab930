/// A query that a client sends to a remote log.
///
/// One message can contain several queries.
public enum LogQuery: Sendable {
  /// The number of events ever appended to a stream, returned as ``LogResult/version(_:)``.
  case version(of: StreamName)
  /// The position of the event with the given identity, returned as ``LogResult/position(_:)``.
  case position(of: EventID)
  /// The first `limit` events between two positions, in order, returned as ``LogResult/events(_:)``.
  ///
  /// Without `through`, the range ends at the log's end.
  case events(EventQuery, after: Position, through: Position?, limit: Int)
  /// The last `limit` events between two positions, newest first, returned as ``LogResult/events(_:)``.
  case eventsBackwards(EventQuery, after: Position, through: Position?, limit: Int)
  /// The stream's version and all its events after a position, returned as ``LogResult/stream(_:)``.
  case stream(StreamName, after: Position)
  /// The receipt of the command that was committed under an id, returned as ``LogResult/receipt(_:)``.
  case receipt(ofCommand: String)
}

/// The result of a ``LogQuery``.
public enum LogResult: Sendable {
  /// The number of events ever appended to a stream.
  case version(Int)
  /// A position, or `nil` if the log never contained the event.
  case position(Position?)
  /// A list of events.
  case events([StoredEvent])
  /// The part of a stream after a position.
  case stream(StreamTail)
  /// A command's receipt, or `nil` if the command wasn't committed.
  case receipt(Receipt?)
}

/// The results of several queries on a log, all read from one snapshot.
public struct LogResponse: Sendable {
  /// The log's last position.
  public let head: Position
  /// The log's revision.
  public let revision: LogRevision
  /// A number that distinguishes a log from its restored backup, even if both have the same revision.
  ///
  /// For example, after a server is restored from an older backup, its second erasure can differ from the second
  /// erasure that the server had before the restore. The number is the time of the last erasure or compaction
  /// (``LogErasure/time``, ``LogCompaction/time``) in microseconds since 1970. It is 0 for the original revision.
  public let lineage: Int
  /// The results, in the order of the queries.
  public let answers: [LogResult]

  /// Creates a response, for use in a custom store.
  ///
  /// - Parameters:
  ///   - head: The log's last position.
  ///   - revision: The log's revision.
  ///   - lineage: The time of the last erasure or compaction in microseconds since 1970, or 0 for the original
  ///     revision.
  ///   - answers: The results, in the order of the queries.
  public init(head: Position, revision: LogRevision = .original, lineage: Int = 0, answers: [LogResult]) {
    (self.head, self.revision, self.lineage, self.answers) = (head, revision, lineage, answers)
  }
}

extension EventStore {
  /// Returns the results of a remote client's queries from a local log, as a server does.
  ///
  /// - Parameter questions: The queries.
  /// - Returns: The results, in one snapshot.
  /// - Throws: ``EventStoreError``.
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

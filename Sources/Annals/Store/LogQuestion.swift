/// What one can ask a log that is far away; several questions go in one message.
public enum LogQuestion: Sendable {
  /// The number of events that were appended to a stream. The answer is ``LogAnswer/version(_:)``.
  case version(of: StreamName)
  /// The position of the event with an identity. The answer is ``LogAnswer/position(_:)``.
  case position(of: EventID)
  /// Some events after a position up to another, at most `limit`, in order; nil for the log's end. The answer is
  /// ``LogAnswer/events(_:)``.
  case events(EventQuery, after: Position, through: Position?, limit: Int)
  /// The same events from the last one on, the newest first. The answer is ``LogAnswer/events(_:)``.
  case eventsBackwards(EventQuery, after: Position, through: Position?, limit: Int)
  /// All events of a stream after a position, and the stream's version. The answer is ``LogAnswer/stream(_:)``.
  case stream(StreamName, after: Position)
  /// The receipt of a command that was committed under an id. The answer is ``LogAnswer/receipt(_:)``.
  case receipt(ofCommand: String)
}

/// The answer to a ``LogQuestion``.
public enum LogAnswer: Sendable {
  /// The number of events that were appended to a stream.
  case version(Int)
  /// A position, nil if there is none.
  case position(Position?)
  /// Some events.
  case events([StoredEvent])
  /// What a stream has after a position.
  case stream(StreamTail)
  /// A command's receipt, nil if it was not committed.
  case receipt(Receipt?)
}

/// The answers of one moment of a log.
public struct LogReading: Sendable {
  /// The log's last position.
  public let head: Position
  /// The log's revision.
  public let revision: LogRevision
  /// What tells the revision from one with the same number in another history of the log; 0 in the original one.
  ///
  /// A server that was restored from an older backup may count another erasure as its second one. The number is the
  /// time of the last erasure or compaction (``LogErasure/time``, ``LogCompaction/time``) in microseconds since 1970.
  public let lineage: Int
  /// The answers, in the order of the questions.
  public let answers: [LogAnswer]

  /// Creates a reading, as a store does.
  ///
  /// - Parameters:
  ///   - head: The log's last position.
  ///   - revision: The log's revision.
  ///   - lineage: The time of the last erasure or compaction in microseconds since 1970; 0 if there was none.
  ///   - answers: The answers, in the order of the questions.
  public init(head: Position, revision: LogRevision = .original, lineage: Int = 0, answers: [LogAnswer]) {
    (self.head, self.revision, self.lineage, self.answers) = (head, revision, lineage, answers)
  }
}

extension EventStore {
  /// Answers what is asked of a log that is far away, from a log that is here: what a server does for its clients.
  ///
  /// - Parameter questions: The questions.
  /// - Returns: The answers of one moment.
  /// - Throws: ``EventStoreError``.
  package func reading(of questions: [LogQuestion]) throws -> LogReading {
    try read { log in
      LogReading(
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

import Annals

/// Short reads through the writing connection.
///
/// It has the pages of the last commits in memory. Every other connection must reread them from the system after
/// every commit. That would double the cost of a command. Writing threads wait for these reads, so longer reads use
/// other connections.
extension LogWriter {
  private static var shortStream: Int { 32 }
  /// Longer tails than the writer keeps are read through other connections.
  private static var shortTail: Int { RecentEvents.most }

  /// Returns all of a short stream, or `nil` if it is long or the connection is in use.
  func tail(ofShort stream: StreamName) throws -> StreamTail? {
    try useIfFree { open in
      guard open.writer.isShort(stream, Self.shortStream) else { return nil }
      let reader = EventReader(open.connection)
      return try open.writer.inState { try reader.tail(ofShort: stream, Self.shortStream, $1) }
    }
  }

  /// Returns the last events of the log, from memory if this connection wrote them last.
  ///
  /// It returns `nil` if there are many events after the position, or if the connection is in use.
  func tail(after: Position, limit: Int) throws -> LogTail? {
    try useIfFree { open in
      let reader = EventReader(open.connection)
      return try open.writer.inState { head, revision in
        guard head.rawValue - min(after, head).rawValue <= Self.shortTail else { return nil }
        let batch =
          try open.writer.recent.batch(after: after, through: head, limit: limit)
          ?? reader.batch(after: after, through: head, limit: limit)
        return LogTail(head: head, revision: revision, after: after, batch: batch)
      }
    }
  }
}

import Annals

/// Short reads through the connection that writes.
///
/// Its pages are those that the last commits changed. Every other connection has to read them again from the system
/// after each commit. That costs a command as much again as the rest of it. Threads that write wait meanwhile, so
/// longer reads use other connections.
extension LogWriter {
  private static var shortStream: Int { 32 }
  /// More than the writer keeps are read by others.
  private static var shortTail: Int { RecentEvents.most }

  /// All of a short stream; nil if it is long, or if the connection is in use.
  func tail(ofShort stream: StreamName) throws -> StreamTail? {
    try useIfFree { open in
      guard open.writer.isShort(stream, Self.shortStream) else { return nil }
      let reader = EventReader(open.connection)
      return try open.writer.inState { try reader.tail(ofShort: stream, Self.shortStream, $1) }
    }
  }

  /// The last events of the log, out of memory if this connection wrote them last; nil if there are many after a
  /// position, or if the connection is in use.
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

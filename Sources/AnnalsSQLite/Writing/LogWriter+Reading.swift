import AnnalsLog

/// Short reads through the connection that the store writes with.
///
/// This connection has the pages of the last commits in memory. Every other connection must reread these pages from the
/// system after every commit, which would double the cost of a command. Writing threads wait for these reads, so longer
/// reads use other connections.
extension LogWriter {
  private static var shortStream: Int { 32 }
  /// The number of events beyond which the log's last events are read through other connections.
  private static var shortTail: Int { RecentEvents.most }

  /// Returns all events of a short stream, or `nil` if the stream is long or the connection is in use.
  func tail(ofShort stream: StreamName) throws -> StreamTail? {
    try useIfFree { open in
      guard open.writer.isShort(stream, Self.shortStream) else { return nil }
      let reader = EventReader(open.connection)
      return try open.writer.inState { try reader.tail(ofShort: stream, Self.shortStream, $1) }
    }
  }

  /// Returns the bytes of a saved list's page, or `nil` if the connection is in use or the page can't be read.
  ///
  /// The other connections then find the reason.
  func page(_ page: Int, ofCache cache: Int) -> [UInt8]? {
    try? useIfFree { try CacheTables($0.connection).page(page, ofCache: cache) }
  }

  /// Returns the log's events after a position, from memory if this connection wrote them last.
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

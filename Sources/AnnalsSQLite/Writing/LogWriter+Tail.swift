import AnnalsLog

extension LogWriter {
  /// Returns a stream's events after a version, or `nil` if there are many events or the connection is in use.
  func tail(of stream: StreamName, since version: Int) throws -> StreamTail? {
    try useIfFree { open in
      let reader = EventReader(open.connection)
      return try open.writer.inState { _, revision in
        if open.writer.knows(version, of: stream) {
          return StreamTail(version: version, revision: revision, events: [])
        }
        return try reader.tail(of: stream, since: version, 64, revision)
      }
    }
  }
}

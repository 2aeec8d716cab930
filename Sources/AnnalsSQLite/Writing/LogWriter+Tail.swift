import Annals

extension LogWriter {
  /// What a stream has after a version; nil if that is much, or if the connection is in use.
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

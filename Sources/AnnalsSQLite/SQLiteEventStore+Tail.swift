public import AnnalsLog

extension SQLiteEventStore {
  /// Returns a stream's events after a given event, with the stream's version and the log's revision.
  ///
  /// The given event is the last event that the caller knows: `after` is its position, and `version` is its version in
  /// the stream.
  ///
  /// If only a few events follow the given event, the store reads them through its write connection. This is faster,
  /// because the connection already has the pages of the last commits in memory.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    if let tail = try writer?.tail(of: stream, since: version) { return tail }
    return try read { try $0.tail(of: stream, after: after, version: version) }
  }
}

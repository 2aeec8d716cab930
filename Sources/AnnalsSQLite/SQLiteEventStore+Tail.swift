public import AnnalsLog

extension SQLiteEventStore {
  /// Returns a stream's events after a known event, with the stream's version and the log's revision.
  ///
  /// `after` and `version` are the position and the stream version of the last event that the caller knows.
  ///
  /// A small number of events is read through the store's write connection. This makes the read faster, because the
  /// connection already has the pages of the last commits in memory.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    if let tail = try writer?.tail(of: stream, since: version) { return tail }
    return try read { try $0.tail(of: stream, after: after, version: version) }
  }
}

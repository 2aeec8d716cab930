public import AnnalsLog

extension SQLiteEventStore {
  /// Returns a stream's events after an event with a known position and version, together with the stream's version and
  /// the log's revision.
  ///
  /// A short result is read through the connection that this store writes with, because that connection already has the
  /// pages of the last commits in memory.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    if let tail = try writer?.tail(of: stream, since: version) { return tail }
    return try read { try $0.tail(of: stream, after: after, version: version) }
  }
}

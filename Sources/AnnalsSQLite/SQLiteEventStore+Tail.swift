public import Annals

extension SQLiteEventStore {
  /// Returns the events of a stream after a known event, with the stream's version and the log's revision.
  ///
  /// A short result is read through this store's writing connection, because that connection has the pages of the last
  /// commits in memory.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    if let tail = try writer?.tail(of: stream, since: version) { return tail }
    return try read { try $0.tail(of: stream, after: after, version: version) }
  }
}

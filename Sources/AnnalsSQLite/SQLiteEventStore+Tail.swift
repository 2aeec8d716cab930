public import Annals

extension SQLiteEventStore {
  /// Reads the events of a stream after one that the reader knows, with the stream's version and the log's revision.
  ///
  /// It is read where this store writes, if that is little: what the last commits led to is known there.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    if let tail = try writer?.tail(of: stream, since: version) { return tail }
    return try read { try $0.tail(of: stream, after: after, version: version) }
  }
}

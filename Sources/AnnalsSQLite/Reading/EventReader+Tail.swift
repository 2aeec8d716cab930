import AnnalsLog

extension EventReader {
  /// Returns all events of a stream, or `nil` if the stream has more events than the given number.
  ///
  /// - Parameters:
  ///   - stream: The name of the stream.
  ///   - most: The maximum number of events.
  ///   - revision: The log's revision in the snapshot that is read.
  /// - Returns: The whole stream, or `nil`.
  /// - Throws: ``EventStoreError``.
  func tail(ofShort stream: StreamName, _ most: Int, _ revision: LogRevision) throws -> StreamTail? {
    let found = try batches(of: stream, since: nil, most + 1)
    if found.count > most { return nil }
    // Without compactions, the last event has the stream's version, because only a compaction removes last events.
    let version = if let last = found.last, revision.compacted == .none { last } else { try version(of: stream) }
    return StreamTail(version: version, revision: revision, batches: found.all)
  }
}

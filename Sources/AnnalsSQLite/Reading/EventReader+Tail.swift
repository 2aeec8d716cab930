import Annals

extension EventReader {
  /// What a stream has; nil if that is more than a number of events.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - most: The number of events.
  ///   - revision: The log's revision, in the state of the log that is read.
  /// - Returns: All of the stream, or nil.
  /// - Throws: ``EventStoreError``.
  func tail(ofShort stream: StreamName, _ most: Int, _ revision: LogRevision) throws -> StreamTail? {
    let found = try batches(of: stream, since: nil, most + 1)
    if found.count > most { return nil }
    // Only a compaction cuts the last events of a stream.
    let version = if let last = found.last, revision.compacted == .none { last } else { try version(of: stream) }
    return StreamTail(version: version, revision: revision, batches: found.all)
  }
}

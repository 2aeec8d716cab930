import AnnalsLog

// Reads of a stream after a version that the reader knows, without a search for that version.

extension ConnectionLog {
  func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    // The version at this position isn't known, so a search finds the events.
    if after > 0 { return try searchedTail(of: stream, after: after) }
    let revision = try revision()
    let batches = try use { try EventReader($0).batches(of: stream, since: nil, LogNumber.mostEvents, room: 256) }
    return StreamTail(version: try version(of: stream), revision: revision, batches: batches.all)
  }

  private func searchedTail(of stream: StreamName, after: Position) throws -> StreamTail {
    var (found, last, count) = ([StoredEvent](), after, 0)
    repeat {
      let more = try events(.stream(stream), after: last, through: nil, limit: 512)
      count = more.count
      last = more.last?.position ?? last
      found += more
    } while count == 512
    return StreamTail(version: try version(of: stream), revision: try revision(), events: found)
  }

  func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    let revision = try revision()
    let tail = try use { try EventReader($0).tail(of: stream, since: version, LogNumber.mostEvents, revision) }
    guard let tail else { preconditionFailure("expected at most 2^53 events in a stream, found more") }
    return tail
  }
}

extension LogNumber {
  /// The maximum number of events in a log, which is small enough that adding 1 doesn't overflow.
  fileprivate static var mostEvents: Int { Int(most) }
}

extension EventReader {
  /// Returns a stream's events after a version, or `nil` if there are more events than the given number.
  func tail(
    of stream: StreamName, since version: Int, _ most: Int, _ revision: LogRevision
  ) throws -> StreamTail? {
    let found = try batches(of: stream, since: version, most + 1)
    if found.count > most { return nil }
    // Without compactions, the last event has the stream's version, because only a compaction removes last events.
    let end = if let last = found.last, revision.compacted == .none { last } else { try self.version(of: stream) }
    return StreamTail(version: end, revision: revision, batches: found.all)
  }

  /// Returns a stream's events after a version as bytes, after checking the events and that no event is missing.
  ///
  /// - Parameters:
  ///   - stream: The name of the stream.
  ///   - version: The version after which to begin, or `nil` to begin at the stream's start. If it's `nil`, the method
  ///     also checks that the stream's first event exists.
  ///   - most: The maximum number of events.
  ///   - room: The expected number of events, which determines the batch's capacity.
  /// - Returns: The batches, the number of their events, and the last event's version, which is `nil` without events.
  /// - Throws: ``EventStoreError``.
  func batches(
    of stream: StreamName, since version: Int?, _ most: Int, room: Int = 8
  ) throws -> (all: [EventBatch], count: Int, last: Int?) {
    let find = try connection.statement(.streamSince, Self.since)
    let (streams, sources) = (connection.streamNames, connection.sourceNames)
    var (all, count, isUnfinished) = ([EventBatch](), 0, true)
    var last: (version: Int, position: Position)?
    var name = stream.text
    try name.withUTF8 { name in
      let name = UnsafeRawBufferPointer(name)
      while isUnfinished, count < most {
        try find.bind(1, stream.text)
        try find.bind(2, last?.version ?? version ?? 0)
        try find.bind(3, most - count)
        let batch = EventBatchBuilder(capacity: last == nil ? room : 512)
        isUnfinished = false
        try find.runWhile { row in
          try add(row, to: batch, streams, sources, ofStream: name)
          let (found, position) = (Int(row.int(3)), Position(Int(row.int(0))))
          let expected = last.map { $0.version + 1 } ?? (version == nil ? 1 : found)
          guard try found == expected || isCut(before: found, after: last) else {
            throw damaged(position, "expected version \(expected) of the event's stream, found version \(found)")
          }
          last = (found, position)
          count += 1
          isUnfinished = batch.byteCount >= Self.batchBytes
          return !isUnfinished
        }
        all.append(batch.finish())
      }
    }
    return (all, count, last?.version)
  }

  private static let since = """
    SELECT \(columns) FROM event
    WHERE stream = (SELECT key FROM stream WHERE name = ?1) AND version > ?2 ORDER BY version LIMIT ?3
    """
}

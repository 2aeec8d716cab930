import Annals

// What a stream has after a version that a reader knows, without a search for that version.

extension ConnectionLog {
  func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    let revision = try revision()
    let tail = try use { try EventReader($0).tail(of: stream, since: version, LogNumber.mostEvents, revision) }
    guard let tail else { preconditionFailure("no log has more events than it can have") }
    return tail
  }
}

extension LogNumber {
  /// As many events as a log can have, and one less than an `Int` can count.
  fileprivate static var mostEvents: Int { Int(most) }
}

extension EventReader {
  /// What a stream has after a version; nil if that is more than a number of events.
  func tail(
    of stream: StreamName, since version: Int, _ most: Int, _ revision: LogRevision
  ) throws -> StreamTail? {
    let find = try connection.statement(
      """
      SELECT \(Self.columns) FROM event
      WHERE stream = (SELECT key FROM stream WHERE name = ?1) AND version > ?2 ORDER BY version LIMIT ?3
      """)
    try find.bind(1, stream.text)
    try find.bind(2, version)
    try find.bind(3, most + 1)
    var events: [StoredEvent] = []
    let names = NameCache(connection)
    try find.run { row in
      let event = try event(row, names)
      if let last = events.last, event.version != last.version + 1, try !isCut(before: event, after: last) {
        throw damaged(event.position, "expected version \(last.version + 1) of its stream, found \(event.version)")
      }
      events.append(event)
    }
    if events.count > most { return nil }
    // Only a compaction cuts the last events of a stream.
    let end =
      if let last = events.last, revision.compacted == .none { last.version } else { try self.version(of: stream) }
    return StreamTail(version: end, revision: revision, events: events)
  }
}

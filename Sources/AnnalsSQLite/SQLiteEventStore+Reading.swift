public import AnnalsLog
public import Foundation

extension SQLiteEventStore {
  /// Calls a closure with a snapshot of the log, so that all reads inside the closure return the same events.
  ///
  /// While the closure runs, a compaction or an erasure can't shrink the log's file.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try place.check()
    return try inMoment(body)
  }

  private func inMoment<T>(_ body: (SQLiteLog) throws -> T) throws -> T {
    try pool.read { connection in
      try connection.read {
        // SQLite takes its snapshot at the first read, not at BEGIN.
        _ = try connection.int("PRAGMA user_version")
        let log = SQLiteLog(connection, now: environment.now)
        defer { log.end() }
        return try body(log)
      }
    }
  }

  /// Returns the position of the last event, or 0 in an empty log.
  public func head() throws -> Position {
    try place.check()
    return try pool.read { try EventReader($0).head() }
  }

  /// Returns the number of events ever appended to a stream, or 0 for a stream that doesn't exist.
  public func version(of stream: StreamName) throws -> Int {
    try pool.read { try EventReader($0).version(of: stream) }
  }

  /// Returns the position of the event with the given identity, or `nil` if the log never contained the event.
  ///
  /// The event keeps its position even if a compaction has removed the event.
  public func position(of id: EventID) throws -> Position? {
    try pool.read { try EventReader($0).position(of: id) }
  }

  /// Returns the position at which the log ended at a point in time.
  ///
  /// The store finds the first event with a time later than `time`. The result is the end of the last transaction
  /// before this event's transaction. For the present and for future times, the result is the log's last position.
  public func position(at time: Date) throws -> Position {
    try place.check()
    return try inMoment { try $0.position(at: time, times) }
  }

  /// Returns up to `limit` events that match a query, in the order of their positions.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    return try pool.read { try EventReader($0).events(query, after: after, through: through, limit: limit) }
  }

  /// Returns the events after a position, with the log's last position and revision.
  ///
  /// If `through` is `nil` and only a few events follow `after`, the read is faster than other reads. The store then
  /// returns the events from memory if it made the log's last commit. Otherwise, it reads the events through its write
  /// connection, unless this connection is in use.
  public func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    try place.check()
    if through == nil, let tail = try writer?.tail(after: after, limit: limit) { return tail }
    return try inMoment { try $0.tail(after: after, through: through, limit: limit) }
  }

  /// Returns the events of a stream after a position, with the stream's version and the log's revision.
  ///
  /// If `after` is 0 and the stream is short, the store reads the stream through its write connection. This is faster,
  /// because the connection already has the pages of the last commits in memory.
  public func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    if after == 0, let tail = try writer?.tail(ofShort: stream) { return tail }
    return try inMoment { try $0.tail(of: stream, after: after) }
  }

  /// An object that notifies observers of appends by other processes and by other stores in this process.
  ///
  /// It's `nil` if the store was opened without `observesExternalWriters`. The object uses almost no processor time
  /// while no process writes, because the operating system reports changes to the log's files. The object also checks
  /// the log from time to time, to find changes that the system didn't report.
  public var externalWriters: (any ExternalWriters)? { others }
}

extension SQLiteEventStore {
  /// Calls a closure that reads one snapshot of the log, through a connection that no other reader uses.
  func inOneState<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try place.check()
    return try pool.read { connection in try connection.read { try body(connection) } }
  }
}

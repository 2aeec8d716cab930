public import Annals
public import Foundation

extension SQLiteEventStore {
  /// Reads what belongs together: everything that the body reads from its log is of one moment.
  ///
  /// A compaction or an erasure cannot make the file shorter while a body reads.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try place.check()
    return try inMoment(body)
  }

  private func inMoment<T>(_ body: (SQLiteLog) throws -> T) throws -> T {
    try pool.read { connection in
      try connection.read {
        // SQLite takes the moment of the first look, not that of BEGIN.
        _ = try connection.int("PRAGMA user_version")
        let log = SQLiteLog(connection, now: environment.now)
        defer { log.end() }
        return try body(log)
      }
    }
  }

  /// The position of the last event, 0 in an empty log.
  public func head() throws -> Position {
    try place.check()
    return try pool.read { try EventReader($0).head() }
  }

  /// The number of events in a stream.
  public func version(of stream: StreamName) throws -> Int {
    try pool.read { try EventReader($0).version(of: stream) }
  }

  /// The position of the event with an identity, or nil.
  public func position(of id: EventID) throws -> Position? {
    try pool.read { try EventReader($0).position(of: id) }
  }

  /// The position up to which the log was known at a time.
  public func position(at time: Date) throws -> Position {
    try place.check()
    return try inMoment { try $0.position(at: time, times) }
  }

  /// Reads some events in the order of their positions.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    return try pool.read { try EventReader($0).events(query, after: after, through: through, limit: limit) }
  }

  /// Reads what comes after a position, with the log's end and revision.
  ///
  /// A few events that this store has just committed come out of memory, as they were written. If another store has
  /// committed since, a few are read where this one writes.
  public func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    try place.check()
    if through == nil, let tail = try writer?.tail(after: after, limit: limit) { return tail }
    return try inMoment { try $0.tail(after: after, through: through, limit: limit) }
  }

  /// Reads the events of a stream after a position, with the stream's version and the log's revision.
  ///
  /// A short stream is read where this store writes: the pages that its last commits changed are in memory there.
  public func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    if after == 0, let tail = try writer?.tail(ofShort: stream) { return tail }
    return try inMoment { try $0.tail(of: stream, after: after) }
  }

  /// Announces what other processes, and other stores of this one, append to the log; nil if the store was opened so
  /// that it does not hear them.
  ///
  /// The announcements cost nothing while nothing is written: the system says when the log's files change.
  public var otherWriters: (any OtherWriters)? { others }
}

extension SQLiteEventStore {
  /// Reads in one state of the log, through a connection that the body uses alone.
  func inOneState<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try place.check()
    return try pool.read { connection in try connection.read { try body(connection) } }
  }
}

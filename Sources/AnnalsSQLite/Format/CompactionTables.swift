import AnnalsLog

/// The tables that record compactions, accessed through a connection.
struct CompactionTables {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// True if the tables exist, which is the case unless the log has a format before 4 and is opened for reading only.
  var exist: Bool {
    get throws { try connection.format >= 4 }
  }

  /// The number of compactions, and the position through which the log was compacted.
  var history: CompactedHistory {
    get throws {
      guard try exist else { return .none }
      var found = CompactedHistory.none
      let path = connection.path
      try connection.statement(
        """
        SELECT number, position, (SELECT seq FROM sqlite_sequence WHERE name = 'event')
        FROM compaction ORDER BY number DESC LIMIT 1
        """
      ).run { row in
        let (horizon, end) = (try LogNumber.checked(row.int(1), "the last compaction's position", in: path), row.int(2))
        guard horizon <= end else {
          throw EventStoreError(
            .corrupt,
            "\(path): the log is damaged: the last compaction's position is \(horizon), but the log ends at position "
              + "\(end); restore the log from a copy")
        }
        found = CompactedHistory(
          count: try LogNumber.checked(row.int(0), "the number of compactions", in: path), horizon: Position(horizon))
      }
      return found
    }
  }

  /// The log's revision, which counts its erasures and compactions, and changes when all events are replaced.
  var revision: LogRevision {
    get throws {
      guard try PersonalTables(connection).exist else { return .original }
      var (erasures, rebases) = (0, 0)
      // One statement for both numbers, because this is read before every read of a list.
      try connection.statement(
        "SELECT max(number), (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'rebases') FROM erasure"
      ).run { row in
        erasures = try LogNumber.checked(row.int(0), "the number of erasures", in: connection.path)
        rebases = try LogNumber.checked(row.int(1), "the number of replacements of all events", in: connection.path)
      }
      return LogRevision(erasures: erasures, compacted: try history, rebases: rebases)
    }
  }

  /// The number that increases when all events are replaced.
  var rebases: Int {
    get throws {
      let rebases = try connection.int("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'rebases'") ?? 0
      return try LogNumber.checked(rebases, "the number of replacements of all events", in: connection.path)
    }
  }

  /// The names of the log's streams, including streams whose events a compaction removed, by key.
  ///
  /// After a replica has replaced all events, the table also contains the streams of the old log.
  var streamNames: [StreamName] {
    get throws {
      var condition = ""
      if try rebases > 0 {
        condition = " WHERE EXISTS (SELECT 1 FROM event WHERE event.stream = stream.key)"
        if try exist { condition += " OR EXISTS (SELECT 1 FROM cut_stream WHERE cut_stream.stream = stream.key)" }
      }
      var names: [StreamName] = []
      try connection.statement("SELECT name FROM stream\(condition) ORDER BY key").run {
        names.append(StreamName($0.text(0) ?? ""))
      }
      return names
    }
  }

  /// Returns true if compactions removed all events in a range of positions.
  func hasCut(_ positions: ClosedRange<Int64>) throws -> Bool {
    guard try exist else { return false }
    let find = try connection.statement("SELECT last FROM gap WHERE first <= ?1 ORDER BY first DESC LIMIT 1")
    try find.bind(1, positions.lowerBound)
    return try find.firstInt() ?? 0 >= positions.upperBound
  }

  /// Returns the position of a removed event, or `nil` if no such event was removed.
  func position(ofCut id: EventID) throws -> Position? {
    guard try exist else { return nil }
    let find = try connection.statement("SELECT position FROM cut_event WHERE identity = ?1")
    try find.bind(1, EventIdentity.of(id))
    return try find.firstInt().map {
      Position(try LogNumber.checked($0, "a removed event's position", in: connection.path))
    }
  }

  /// Returns the version of a stream whose last events were removed, or 0 if they were not removed.
  func version(ofCut stream: Int64) throws -> Int {
    guard try exist else { return 0 }
    let find = try connection.statement("SELECT version FROM cut_stream WHERE stream = ?1")
    try find.bind(1, stream)
    return try LogNumber.checked(find.firstInt() ?? 0, "a stream's version", in: connection.path)
  }
}

import Annals

extension EventReader {
  /// A batch of all events that lacks none: neither between two others, nor at an end.
  ///
  /// An event whose position was damaged is not found where it should be. So what was read is compared with what was
  /// asked for. Only what a compaction cut may be missing.
  func all(
    _ find: SQLiteStatement, _ plan: QueryPlan, after: Position, through: Position?, limit: Int, backwards: Bool
  ) throws -> [StoredEvent] {
    // The log's end must be of the same moment as the events.
    try consistently {
      let end = Int64(min(try head(), through ?? Position(.max)).rawValue)
      let start = Int64(after.rawValue)
      guard start < end else { return [] }
      try plan.bind(to: find, limit: limit)
      let names = NameCache(connection)
      var events: [StoredEvent] = []
      var next = backwards ? end : start + 1
      try find.run { row in
        let event = try event(row, names)
        let position = row.int(0)
        if backwards {
          try checkHole(from: position + 1, to: next + 1)
          next = position - 1
        } else {
          try checkHole(from: next, to: position)
          next = position + 1
        }
        events.append(event)
      }
      if events.count < limit {
        if backwards { try checkHole(from: start + 1, to: next + 1) } else { try checkHole(from: next, to: end + 1) }
      }
      return events
    }
  }

  /// Runs a body in one state of the log: in the open transaction if there is one, otherwise in a new one.
  func consistently<T>(_ body: () throws -> T) throws -> T {
    try connection.rowsHeld > 0 || connection.isInTransaction ? body() : connection.read(body)
  }

  /// Throws if events are missing from one position up to another, that one excluded, and were not cut.
  func checkHole(from expected: Int64, to found: Int64) throws {
    guard try found == expected || found > expected && CompactionTables(connection).hasCut(expected...found - 1) else {
      throw EventStoreError(
        .corrupt,
        "\(connection.path): is damaged: expected event \(expected), found event \(found); restore the log from a copy")
    }
  }

  /// True if a compaction may have cut the events of a stream between two versions that follow each other there.
  func isCut(before version: Int, after last: (version: Int, position: Position)?) throws -> Bool {
    guard version > last?.version ?? 0 else { return false }
    let horizon = try CompactionTables(connection).history.horizon
    // What comes after the horizon has no holes. The first event there follows those that were cut before it.
    return last?.position ?? 0 <= horizon && horizon > 0
  }
}

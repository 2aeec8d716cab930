import AnnalsLog

extension EventReader {
  /// Returns a batch of all events in a range, after checking that no event is missing, including the range's ends.
  ///
  /// An event with a damaged position isn't found at its original position, so the result is compared with the
  /// requested range.
  /// Only events that a compaction removed can be missing.
  func all(
    _ find: SQLiteStatement, _ plan: QueryPlan, after: Position, through: Position?, limit: Int, backwards: Bool
  ) throws -> [StoredEvent] {
    // The log's end must be from the same snapshot as the events.
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

  /// Runs a closure in the open transaction or in a new one, so that all reads return the same snapshot of the log.
  func consistently<T>(_ body: () throws -> T) throws -> T {
    try connection.rowsHeld > 0 || connection.isInTransaction ? body() : connection.read(body)
  }

  /// Throws if events in a range are missing although no compaction removed them.
  ///
  /// The range ends before the upper bound.
  func checkHole(from expected: Int64, to found: Int64) throws {
    guard try found == expected || found > expected && CompactionTables(connection).hasCut(expected...found - 1) else {
      throw EventStoreError(
        .corrupt,
        "\(connection.path): the log is damaged: expected event \(expected), found event \(found); restore the log "
          + "from a copy")
    }
  }

  /// Returns true if a compaction might have removed the events between two consecutively read versions of a stream.
  func isCut(before version: Int, after last: (version: Int, position: Position)?) throws -> Bool {
    guard version > last?.version ?? 0 else { return false }
    let horizon = try CompactionTables(connection).history.horizon
    // Compactions remove events only up to the horizon. So a stream can lack versions only before its first event, and
    // after an event whose position is at most the horizon.
    return last?.position ?? 0 <= horizon && horizon > 0
  }
}

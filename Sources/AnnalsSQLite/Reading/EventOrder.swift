import Annals

/// A check that events are read in the order of their positions, and that none is missing.
///
/// A page in another page's location has a matching checksum. Then its events are out of order, or other events are
/// missing.
struct EventOrder {
  private let path: String
  private var last: Int64 = 0
  private var count: Int64 = 0

  init(_ path: String) { self.path = path }

  /// Adds the position of the next event, and throws if it isn't after the last one.
  mutating func next(_ position: Int64) throws {
    guard position > last else {
      throw EventStoreError(
        .corrupt,
        "\(path): is damaged: expected an event after position \(last), found event \(position); restore the log "
          + "from a copy")
    }
    (last, count) = (position, count + 1)
  }

  /// Throws if events are missing, at the end of a log that was read from its beginning.
  func end(_ connection: SQLiteConnection) throws {
    let (cut, head) = (try connection.cutEvents(), Int64(try EventReader(connection).head().rawValue))
    guard count + cut == head else {
      throw EventStoreError(
        .corrupt,
        "\(path): is damaged: expected \(head - cut) events, found \(count); restore the log from a copy")
    }
  }
}

extension SQLiteConnection {
  /// Returns the number of events that compactions removed, which is stored in two tables.
  ///
  /// - Throws: ``EventStoreError`` if the two numbers differ.
  func cutEvents() throws -> Int64 {
    guard try CompactionTables(self).exist else { return 0 }
    let (gaps, noted) = (
      try int("SELECT CAST(total(last - first + 1) AS INTEGER) FROM gap") ?? 0,
      try int("SELECT CAST(total(cut) AS INTEGER) FROM compaction") ?? 0
    )
    if gaps == noted { return gaps }
    throw EventStoreError(
      .corrupt,
      "\(path): is damaged: expected \(noted) removed events, found gaps of \(gaps) events; restore the log from a "
        + "copy")
  }

  /// Throws unless the rows and the indexes of tables are in order.
  ///
  /// It finds a page with a matching checksum that is in another page's location: its keys are out of order there, or
  /// its rows have other columns, or the indexes have other rows.
  ///
  /// - Parameter names: The tables to check. Missing tables are skipped.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n log n) for n rows.
  func checkTables(_ names: [String]) throws {
    for name in names where try hasTable(name) {
      var problem: String?
      // Older versions of SQLite ignore the name here, and check all tables.
      try ownStatement("PRAGMA integrity_check(\(name))").run { row in
        if let text = row.text(0), text != "ok", problem == nil { problem = text }
      }
      guard let problem else { continue }
      throw EventStoreError(
        .corrupt,
        "\(path): is damaged: the table \(name) has changed since it was written: \(problem); restore the log from a "
          + "copy")
    }
  }
}

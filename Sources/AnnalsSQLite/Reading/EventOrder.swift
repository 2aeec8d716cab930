import AnnalsLog

/// A check that events are read in the order of their positions, and that no event is missing.
///
/// The check finds pages that are stored in the place of other pages. The checksum of such a page matches, but its
/// events are out of order, or the other page's events are missing.
struct EventOrder {
  private let path: String
  private var last: Int64 = 0
  private var count: Int64 = 0

  init(_ path: String) { self.path = path }

  /// Adds the position of the next event, and throws if the position isn't after the previous one.
  mutating func next(_ position: Int64) throws {
    guard position > last else {
      throw EventStoreError(
        .corrupt,
        "\(path): the log is damaged: expected an event after position \(last), found event \(position); restore the "
          + "log from a copy")
    }
    last = position
    count += 1
  }

  /// Throws if events at the log's end are missing, after the log was read from its beginning.
  func end(_ connection: SQLiteConnection) throws {
    let (cut, head) = (try connection.cutEvents(), Int64(try EventReader(connection).head().rawValue))
    guard count + cut == head else {
      throw EventStoreError(
        .corrupt,
        "\(path): the log is damaged: expected \(head - cut) events, found \(count); restore the log from a copy")
    }
  }
}

extension SQLiteConnection {
  /// Returns the number of events that compactions removed.
  ///
  /// - Throws: ``EventStoreError`` if the two tables that contain this number differ.
  func cutEvents() throws -> Int64 {
    guard try CompactionTables(self).exist else { return 0 }
    let (gaps, noted) = (
      try int("SELECT CAST(total(last - first + 1) AS INTEGER) FROM gap") ?? 0,
      try int("SELECT CAST(total(cut) AS INTEGER) FROM compaction") ?? 0
    )
    if gaps == noted { return gaps }
    throw EventStoreError(
      .corrupt,
      "\(path): the log is damaged: compactions removed \(noted) events, but the table `gap` lists \(gaps) removed "
        + "events. Restore the log from a copy")
  }

  /// Throws unless the rows of tables are in key order and agree with the tables' indexes.
  ///
  /// The check finds a page that is stored in the place of another page. The checksum of such a page matches, but its
  /// keys are out of order, its rows have other columns, or the indexes contain other rows.
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
        "\(path): the log is damaged: SQLite's check of the table \(name) found: \(problem); restore the log from a "
          + "copy")
    }
  }
}

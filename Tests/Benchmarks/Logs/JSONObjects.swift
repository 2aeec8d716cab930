import CAnnalsSQLite

/// The baseline of an export: SQLite's own JSON functions over a table with the columns of a log.
final class JSONObjects {
  private let statement: HandStatement

  /// A line of CloudEvents for each event.
  private static let lines = """
    SELECT json_object('specversion', '1.0', 'id', id, 'source', source, 'type', type, 'subject', stream, 'time', time,
      'transaction', "transaction", 'position', position, 'metadata', json(metadata), 'data', json(payload))
    FROM event ORDER BY position
    """

  init(_ path: String, sql: String = JSONObjects.lines) throws { statement = try HandStatement(path, sql) }

  /// Reads all texts, and returns the number of their bytes.
  func run() throws -> Int {
    var sum = 0
    try statement.forEach { row in
      if sqlite3_column_text(row, 0) != nil { sum &+= Int(sqlite3_column_bytes(row, 0)) }
    }
    return sum
  }
}

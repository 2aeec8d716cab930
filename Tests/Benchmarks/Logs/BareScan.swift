import CAnnalsSQLite

/// The baseline of a rebuild: reads a log's events in order, with every column, through SQLite's C API.
final class BareScan {
  private let statement: HandStatement

  init(_ path: String) throws { statement = try HandStatement(path, "SELECT * FROM event ORDER BY position") }

  /// Reads all events, and returns a number that depends on all columns.
  func run() throws -> Int {
    var sum = 0
    let columns = sqlite3_column_count(statement.select)
    try statement.forEach { row in
      for column in 0..<columns {
        if sqlite3_column_type(row, column) == SQLITE_INTEGER {
          sum &+= Int(sqlite3_column_int64(row, column))
        } else if let text = sqlite3_column_text(row, column) {
          let count = Int(sqlite3_column_bytes(row, column))
          sum &+= count &+ (count > 0 ? Int(text[count - 1]) : 0)
        }
      }
    }
    return sum
  }
}

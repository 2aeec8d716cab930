import CAnnalsSQLite

/// The way of database observation: fetch all ordered rows again, group them, and compare them with the previous ones.
final class RefetchEngine {
  struct Failure: Error { let message: String }

  private let database: OpaquePointer
  private var shelves: [[Ware]] = []
  private var chance = Chance(seed: 11)
  private let count: Int

  init(_ wares: [Ware]) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(":memory:", &opened) == SQLITE_OK, let opened else {
      throw Failure(message: "SQLite does not open")
    }
    (database, count) = (opened, wares.count)
    try execute(
      "CREATE TABLE ware (id TEXT PRIMARY KEY, title TEXT NOT NULL, price REAL NOT NULL, shelf INTEGER NOT NULL)")
    try execute("BEGIN")
    let insert = try prepare("INSERT INTO ware VALUES (?1, ?2, ?3, ?4)")
    defer { sqlite3_finalize(insert) }
    for ware in wares {
      sqlite3_bind_text(insert, 1, ware.id, -1, Self.transient)
      sqlite3_bind_text(insert, 2, ware.title, -1, Self.transient)
      sqlite3_bind_double(insert, 3, ware.price)
      sqlite3_bind_int64(insert, 4, Int64(ware.shelf))
      guard sqlite3_step(insert) == SQLITE_DONE else { throw failure }
      sqlite3_reset(insert)
    }
    try execute("COMMIT")
    shelves = try fetch()
  }

  deinit { sqlite3_close_v2(database) }

  /// Changes a price, and returns the cost of finding the difference after the commit.
  func change() throws -> Double {
    let id = ListWorkload.id(chance.next(upTo: count))
    try execute("UPDATE ware SET price = \(chance.price()) WHERE id = '\(id)'")
    var failed: (any Error)?
    let time = nanoseconds {
      do {
        let new = try fetch()
        for (before, after) in zip(shelves, new) { keep(after.difference(from: before).count) }
        shelves = new
      } catch {
        failed = error
      }
    }
    if let failed { throw failed }
    return time
  }

  private func fetch() throws -> [[Ware]] {
    let select = try prepare("SELECT id, title, price, shelf FROM ware ORDER BY shelf, price, title, id")
    defer { sqlite3_finalize(select) }
    var shelves: [[Ware]] = []
    var shelf: Int?
    while sqlite3_step(select) == SQLITE_ROW {
      let ware = Ware(
        id: text(select, 0), title: text(select, 1), price: sqlite3_column_double(select, 2),
        shelf: Int(sqlite3_column_int64(select, 3)))
      if shelf != ware.shelf { shelves.append([]) }
      shelf = ware.shelf
      shelves[shelves.count - 1].append(ware)
    }
    return shelves
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure }
    return statement
  }

  private func execute(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(database))) }

  /// SQLite copies the bytes that it gets.
  private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

import CAnnalsSQLite

/// Wares in SQLite with the index that a user would make for a list, which is fetched again and compared by id.
final class IndexedTable {
  /// A ware where a list shows it.
  private struct Place {
    let section: Int
    let row: Int
    let ware: Ware
  }

  private let database: OpaquePointer
  private let select: OpaquePointer
  private var shown: [[Ware]] = []

  init(_ wares: [Ware]) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(":memory:", &opened) == SQLITE_OK, let opened else {
      throw WideFailure(message: "SQLite does not open")
    }
    database = opened
    try SQLCalls.execute(
      "CREATE TABLE brand (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
        + "CREATE TABLE ware (id TEXT PRIMARY KEY, title TEXT NOT NULL, price REAL NOT NULL, shelf INTEGER NOT NULL,"
        + " brand INTEGER NOT NULL) WITHOUT ROWID; BEGIN", in: opened)
    let insert = try SQLCalls.prepare("INSERT INTO ware VALUES (?1, ?2, ?3, ?4, ?5)", in: opened)
    defer { sqlite3_finalize(insert) }
    for (number, ware) in wares.enumerated() {
      sqlite3_bind_text(insert, 1, ware.id, -1, SQLCalls.transient)
      sqlite3_bind_text(insert, 2, ware.title, -1, SQLCalls.transient)
      sqlite3_bind_double(insert, 3, ware.price)
      sqlite3_bind_int64(insert, 4, Int64(ware.shelf))
      sqlite3_bind_int64(insert, 5, Int64(number / 100 % 10))
      guard sqlite3_step(insert) == SQLITE_DONE else { throw WideFailure(message: "a ware is not inserted") }
      sqlite3_reset(insert)
    }
    for brand in 0..<10 { try SQLCalls.execute("INSERT INTO brand VALUES (\(brand), 'Brand \(brand)')", in: opened) }
    try SQLCalls.execute(
      "COMMIT; CREATE INDEX listed ON ware (shelf, price, title, id);"
        + "CREATE INDEX by_title ON ware (shelf, title, price, id);"
        + "CREATE INDEX tenth ON ware (shelf % 10, shelf, price, title, id);"
        + "CREATE INDEX branded ON ware (shelf, price, title, id, brand)", in: opened)
    select = try SQLCalls.prepare(
      "SELECT id, title, price, shelf FROM ware ORDER BY shelf, price, title, id", in: opened)
    shown = fetch(select)
  }

  deinit {
    sqlite3_finalize(select)
    sqlite3_close_v2(database)
  }

  /// Sets prices in one transaction.
  func reprice(_ prices: [(id: String, price: Double)]) throws {
    try SQLCalls.execute("BEGIN", in: database)
    let update = try SQLCalls.prepare("UPDATE ware SET price = ?2 WHERE id = ?1", in: database)
    defer { sqlite3_finalize(update) }
    for (id, price) in prices {
      sqlite3_bind_text(update, 1, id, -1, SQLCalls.transient)
      sqlite3_bind_double(update, 2, price)
      guard sqlite3_step(update) == SQLITE_DONE else { throw WideFailure(message: "a price is not set") }
      sqlite3_reset(update)
    }
    try SQLCalls.execute("COMMIT", in: database)
  }

  /// Moves all wares of a shelf to another.
  func move(from: Int, to: Int) throws {
    try SQLCalls.execute("UPDATE ware SET shelf = \(to) WHERE shelf = \(from)", in: database)
  }

  /// Fetches the list another time, and finds what changed by id.
  func refetch() { compare(fetch(select)) }

  /// Fetches another list, and finds what changed by id.
  func refetch(_ sql: String) throws {
    let other = try SQLCalls.prepare(sql, in: database)
    defer { sqlite3_finalize(other) }
    compare(fetch(other))
  }

  /// Gives a brand a name.
  func name(_ brand: Int, _ name: String) throws {
    try SQLCalls.execute("UPDATE brand SET name = '\(name)' WHERE id = \(brand)", in: database)
  }

  private func fetch(_ select: OpaquePointer) -> [[Ware]] {
    var (shelves, shelf): ([[Ware]], Int?) = ([], nil)
    while sqlite3_step(select) == SQLITE_ROW {
      let ware = Ware(
        id: SQLCalls.text(select, 0), title: SQLCalls.text(select, 1), price: sqlite3_column_double(select, 2),
        shelf: Int(sqlite3_column_int64(select, 3)))
      if shelf != ware.shelf { shelves.append([]) }
      shelf = ware.shelf
      shelves[shelves.count - 1].append(ware)
    }
    sqlite3_reset(select)
    return shelves
  }

  /// Finds the rows that differ, past what sections begin and end with in both lists: by a dictionary, as Heckel's
  /// comparison of 1978 does, and without choosing the fewest moves.
  private func compare(_ new: [[Ware]]) {
    var (removed, added): ([Place], [Place]) = ([], [])
    for section in 0..<max(shown.count, new.count) {
      let (before, after) = (section < shown.count ? shown[section] : [], section < new.count ? new[section] : [])
      var (start, end) = (0, 0)
      let most = min(before.count, after.count)
      while start < most, before[start] == after[start] { start += 1 }
      while end < most - start, before[before.count - 1 - end] == after[after.count - 1 - end] { end += 1 }
      for row in start..<before.count - end { removed.append(Place(section: section, row: row, ware: before[row])) }
      for row in start..<after.count - end { added.append(Place(section: section, row: row, ware: after[row])) }
    }
    var places: [String: Int] = [:]
    places.reserveCapacity(removed.count)
    for (index, place) in removed.enumerated() { places[place.ware.id] = index }
    var (moved, updated, inserted) = (0, 0, 0)
    var isTaken = Array(repeating: false, count: removed.count)
    for place in added {
      guard let index = places[place.ware.id] else {
        inserted += 1
        continue
      }
      isTaken[index] = true
      let old = removed[index]
      if (old.section, old.row) != (place.section, place.row) { moved += 1 }
      if old.ware != place.ware { updated += 1 }
    }
    keep((moved, updated, inserted, isTaken.count { !$0 }))
    shown = new
  }
}

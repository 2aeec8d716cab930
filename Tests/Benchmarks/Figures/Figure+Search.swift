import Annals
import CAnnalsSQLite

extension Figure {
  /// The cost of a search while a user types, from the letter until the delegate has been notified.
  static var search: [Figure] { search(rows: 100_000) }

  /// The same for a list of another length.
  static func search(rows: Int) -> [Figure] { [searchMore(rows), searchIndex(rows)] }

  /// What is typed begins the last word of a ninth of the titles, and then of a ninetieth.
  private static func searchMore(_ rows: Int) -> Figure {
    Figure(
      "search-more", rows: rows, "a second letter in a search, until the delegate was notified",
      against: "the same with a closure, which checks all rows", .cost(atMost: 0.25)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let search = TextSearch<Ware>(.wordBeginnings, in: \.title)
      let (list, plain) = (try WideList(wares), try WideList(wares))
      return Contest {
        try list.controller.update { $0.filter = search.filter("4") }
        return try list.update { $0.filter = search.filter("47") }
      } baseline: {
        let (one, two) = (search.filter("4"), search.filter("47"))
        try plain.controller.update { $0.filter = .where { one.includes($0) } }
        return try plain.update { $0.filter = .where { two.includes($0) } }
      }
    }
  }

  private static func searchIndex(_ rows: Int) -> Figure {
    Figure(
      "search-index", rows: rows, "an indexed search replaces another, until the delegate was notified",
      against: "fetching from SQLite's FTS5, without a comparison", .cost(atMost: 2)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let search = TextSearch<Ware>(.wordBeginnings, in: \.title)
      let list = try WideList(wares)
      try list.controller.update {
        $0.searchIndex = search
        $0.filter = search.filter("4711")
      }
      let table = try SearchedTable(wares)
      return Contest {
        try list.controller.update { $0.filter = search.filter("1234") }
        return try list.update { $0.filter = search.filter("4711") }
      } baseline: {
        table.search("4711*")
      }
    }
  }
}

/// Wares in SQLite with a full-text index of their titles.
private final class SearchedTable {
  private let database: OpaquePointer
  private let select: OpaquePointer

  init(_ wares: [Ware]) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(":memory:", &opened) == SQLITE_OK, let opened else {
      throw WideFailure(message: "SQLite does not open")
    }
    database = opened
    try SQLCalls.execute(
      "CREATE TABLE ware (number INTEGER PRIMARY KEY, id TEXT, title TEXT, price REAL, shelf INTEGER);"
        + "CREATE VIRTUAL TABLE word USING fts5 (title, content='', prefix='1 2 3 4'); BEGIN", in: opened)
    let ware = try SQLCalls.prepare("INSERT INTO ware VALUES (?1, ?2, ?3, ?4, ?5)", in: opened)
    let word = try SQLCalls.prepare("INSERT INTO word (rowid, title) VALUES (?1, ?2)", in: opened)
    defer {
      sqlite3_finalize(ware)
      sqlite3_finalize(word)
    }
    for (number, row) in wares.enumerated() {
      sqlite3_bind_int64(ware, 1, Int64(number))
      sqlite3_bind_text(ware, 2, row.id, -1, SQLCalls.transient)
      sqlite3_bind_text(ware, 3, row.title, -1, SQLCalls.transient)
      sqlite3_bind_double(ware, 4, row.price)
      sqlite3_bind_int64(ware, 5, Int64(row.shelf))
      sqlite3_bind_int64(word, 1, Int64(number))
      sqlite3_bind_text(word, 2, row.title, -1, SQLCalls.transient)
      guard sqlite3_step(ware) == SQLITE_DONE, sqlite3_step(word) == SQLITE_DONE else {
        throw WideFailure(message: "a ware is not inserted")
      }
      sqlite3_reset(ware)
      sqlite3_reset(word)
    }
    try SQLCalls.execute("COMMIT; INSERT INTO word (word) VALUES ('optimize')", in: opened)
    select = try SQLCalls.prepare(
      "SELECT id, title, price, shelf FROM ware WHERE number IN (SELECT rowid FROM word WHERE word MATCH ?1) "
        + "ORDER BY shelf, price, title, id", in: opened)
  }

  deinit {
    sqlite3_finalize(select)
    sqlite3_close_v2(database)
  }

  /// Fetches the wares that have words, in the list's order, and returns what that costs.
  func search(_ words: String) -> Double {
    nanoseconds {
      var found: [Ware] = []
      sqlite3_bind_text(select, 1, words, -1, SQLCalls.transient)
      while sqlite3_step(select) == SQLITE_ROW {
        found.append(
          Ware(
            id: SQLCalls.text(select, 0), title: SQLCalls.text(select, 1), price: sqlite3_column_double(select, 2),
            shelf: Int(sqlite3_column_int64(select, 3))))
      }
      sqlite3_reset(select)
      keep(found)
    }
  }
}

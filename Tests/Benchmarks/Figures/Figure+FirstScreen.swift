import Annals
import AnnalsSQLite
import CAnnalsSQLite
import Foundation

extension Figure {
  /// What a start costs until a screen is full, and what an event takes on the disk.
  static var firstScreens: [Figure] { [coldProcess, behind, eventDisk] }

  private static var coldProcess: Figure {
    Figure(
      "cold-process", rows: 100_000,
      "a new process opens a saved list, and reads its first fifty rows",
      against: "a new process with a table with an index in this order", of: .processor, .cost(atMost: 5)
    ) {
      let log = try WareLog(100_000)
      try log.list(cacheName: WareLog.cacheName).saveCache()
      let table = try TableFile(ListWorkload.wares(100_000, shelves: 100))
      return Contest {
        try number(of: ["start", "list", log.path])
      } baseline: {
        try number(of: ["start", "table", table.path])
      }
    }
  }

  private static var behind: Figure {
    Figure(
      "first-screen-behind", rows: 100_000,
      "opening a saved list and 1,000 later events, and reading its first fifty rows",
      against: "opening the log, and building the list from all events", of: .processor, .cost(atMost: 0.2)
    ) {
      let log = try WareLog(100_000)
      try log.list(cacheName: WareLog.cacheName).saveCache()
      var chance = Chance(seed: 5)
      return Contest {
        for _ in 0..<1_000 { try log.reprice(chance.next(upTo: 100_000), to: chance.price()) }
        var list: FetchedResultsController<Ware>?
        let time = try processorNanoseconds { list = try showFirst(log.path, cacheName: WareLog.cacheName) }
        try list?.saveCache()
        return time
      } baseline: {
        try processorNanoseconds { _ = try showFirst(log.path, cacheName: nil) }
      }
    }
  }

  /// Opens a log, and reads the first rows of its list.
  @discardableResult
  static func showFirst(_ path: String, cacheName: String?) throws -> FetchedResultsController<Ware> {
    let list = try WareLog.list(SQLiteEventStore(path: path), cacheName: cacheName)
    for row in 0..<50 { keep(list.results[0][row]) }
    return list
  }

  private static var eventDisk: Figure {
    Figure(
      "event-disk", rows: 100_000, "an event with a payload of 116 bytes in the file",
      against: "a table with the same columns, without another index", of: .disk, .cost(atMost: 1.05)
    ) {
      let count = 100_000
      let log = try ScratchLog()
      try LongWareEvent.append(count, to: log.store)
      log.store.close()
      let plain = log.path + ".plain"
      var opened: OpaquePointer?
      guard sqlite3_open(plain, &opened) == SQLITE_OK, let database = opened else {
        throw WideFailure(message: "SQLite does not open")
      }
      defer { sqlite3_close_v2(database) }
      // As one writes it by hand: each event has its id and its metadata as texts.
      let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(lower(hex(id)), \($0.0), \($0.1))" }
      try SQLCalls.execute(
        """
        ATTACH '\(log.path)' AS log;
        CREATE TABLE event (position INTEGER PRIMARY KEY, stream INTEGER, version INTEGER, type INTEGER, id TEXT,
          time INTEGER, payload TEXT, metadata TEXT);
        INSERT INTO event SELECT position, stream, version, type,
            CASE typeof(id) WHEN 'blob' THEN \(parts.joined(separator: " || '-' || ")) ELSE id END, time, payload,
            coalesce((SELECT text FROM log.shared_metadata WHERE key = metadata), metadata)
          FROM log.event ORDER BY position;
        DETACH log
        """, in: database)
      func size(_ path: String) throws -> Double {
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return Double(size ?? 0) / Double(count)
      }
      let (ours, theirs) = (try size(log.path), try size(plain))
      // The log is held until it was measured.
      withExtendedLifetime(log) {}
      return Contest {
        ours
      } baseline: {
        theirs
      }
    }
  }
}

extension BenchmarksTool.Subcommand {
  /// The start of a process, measured once.
  static var start: Self {
    Self("start", "processor time until the first rows are read, for figures: list LOG, table FILE") { words in
      guard words.count == 2, ["list", "table"].contains(words[0]) else {
        throw BenchmarksTool.Usage(
          message: "start: expected list LOG or table FILE, found \"\(words.joined(separator: " "))\"")
      }
      print(
        try processorNanoseconds {
          if words[0] == "list" {
            try Figure.showFirst(words[1], cacheName: WareLog.cacheName)
          } else {
            try TableFile.open(words[1]) { try TableFile.showFirst(50, in: $0) }
          }
        })
      return 0
    }
  }
}

/// Wares in a file of SQLite, with an index in the order of the list.
private final class TableFile {
  private let folder: URL
  var path: String { folder.appending(path: "wares").path }

  init(_ wares: [Ware]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.open(path) { database in
      try SQLCalls.execute(
        "PRAGMA journal_mode = WAL; CREATE TABLE ware (id TEXT PRIMARY KEY, title TEXT NOT NULL, price REAL NOT NULL,"
          + " shelf INTEGER NOT NULL); BEGIN", in: database)
      let insert = try SQLCalls.prepare("INSERT INTO ware VALUES (?1, ?2, ?3, ?4)", in: database)
      defer { sqlite3_finalize(insert) }
      for ware in wares {
        sqlite3_bind_text(insert, 1, ware.id, -1, SQLCalls.transient)
        sqlite3_bind_text(insert, 2, ware.title, -1, SQLCalls.transient)
        sqlite3_bind_double(insert, 3, ware.price)
        sqlite3_bind_int64(insert, 4, Int64(ware.shelf))
        guard sqlite3_step(insert) == SQLITE_DONE else { throw WideFailure(message: "a ware is not inserted") }
        sqlite3_reset(insert)
      }
      try SQLCalls.execute("COMMIT; CREATE INDEX listed ON ware (shelf, price, title, id)", in: database)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static func open(_ path: String, _ body: (OpaquePointer) throws -> Void) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else {
      throw WideFailure(message: "SQLite does not open")
    }
    defer { sqlite3_close_v2(opened) }
    try body(opened)
  }

  /// Fetches the first rows.
  static func showFirst(_ count: Int, in database: OpaquePointer) throws {
    let select = try SQLCalls.prepare(
      "SELECT id, title, price, shelf FROM ware ORDER BY shelf, price, title, id LIMIT \(count)", in: database)
    defer { sqlite3_finalize(select) }
    while sqlite3_step(select) == SQLITE_ROW {
      keep(
        Ware(
          id: SQLCalls.text(select, 0), title: SQLCalls.text(select, 1), price: sqlite3_column_double(select, 2),
          shelf: Int(sqlite3_column_int64(select, 3))))
    }
  }
}

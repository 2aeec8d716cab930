import AnnalsLog

/// The tables that store saved lists (caches), accessed through a connection.
struct CacheTables: SavedListStore {
  let connection: SQLiteConnection

  /// An SQL expression for the current time in seconds since 1970.
  private static let now = "CAST(strftime('%s', 'now') AS INTEGER)"

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// True once the tables exist, because they are created when the first list is saved.
  var exist: Bool {
    get throws { try connection.hasTable("cache_page") }
  }

  func list(named name: String, fingerprint: String) throws -> SavedList? {
    guard try exist else { return nil }
    let select = try connection.statement(
      """
      SELECT number, generation, position, root, checksum FROM cache
      WHERE name = ?1 AND fingerprint = ?2 AND generation > 0 ORDER BY number DESC LIMIT 1
      """)
    try select.bind(1, name)
    try select.bind(2, fingerprint)
    var found: SavedList?
    try select.run { row in
      let (cache, generation, position, root) = (row.int(0), row.int(1), row.int(2), row.blob(3))
      // No value is created before the checksum confirms the row's contents.
      guard Self.caches.contains(cache), generation > 0, generation < .max, position >= 0,
        Int64(Self.checksum(cache, generation, position, root, name, fingerprint)) == row.int(4)
      else { return }
      found = SavedList(
        cache: Int(cache), generation: Int(generation), position: Position(Int(position)), root: root)
    }
    return found
  }

  func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]? {
    guard Self.caches.contains(Int64(cache)), Self.pages.contains(page) else { return nil }
    let select = try connection.statement("SELECT bytes, checksum FROM cache_page WHERE id = ?1")
    try select.bind(1, Self.pageID(page, cache))
    var found: [UInt8]?
    try select.run { row in
      let bytes = row.blob(0)
      if Int64(Self.checksum(ofPage: Int64(page), Int64(cache), bytes)) == row.int(1) { found = bytes }
    }
    return found
  }

  func byteLimit() throws -> Int {
    let (pages, size) = (try connection.int("PRAGMA page_count") ?? 0, try connection.int("PRAGMA page_size") ?? 0)
    // A damaged file can contain any number.
    let (bytes, isTooMuch) = pages.multipliedReportingOverflow(by: size)
    return isTooMuch || bytes < 0 ? 0 : Int(bytes)
  }

  func makeCache(named name: String, fingerprint: String, revision: LogRevision) throws -> Int? {
    // A list that was created before the log was rewritten must not be saved.
    guard try CompactionTables(connection).revision == revision else { return nil }
    // A cache's number is never reused, so that no reader confuses the pages of two caches.
    for object in Schema.savedLists { try connection.execute(object.sqlIfMissing) }
    try deleteGivenUp()
    // Until a list is saved in the new cache, its position is the highest position of the lists that it replaces: see
    // `hasNewer`.
    let insert = try connection.statement(
      """
      INSERT INTO cache SELECT NULL, ?1, ?2, 0, coalesce(max(position), 0), x'', 0, \(Self.now) FROM cache
      WHERE name = ?1 AND fingerprint = ?2 AND generation > 0
      """)
    try insert.bind(1, name)
    try insert.bind(2, fingerprint)
    try insert.run()
    guard Self.caches.contains(connection.lastInsertedRow) else {
      throw EventStoreError(
        .corrupt,
        "\(connection.path): expected a number of at most \(Self.caches.upperBound) for a new saved list (table "
          + "cache), found \(connection.lastInsertedRow). Drop the tables cache and cache_page. The saved lists can be "
          + "rebuilt from the events")
    }
    return Int(connection.lastInsertedRow)
  }

  func add(_ pages: [SavedPage], toCache cache: Int) throws {
    // An erasure might have deleted the cache in the meantime.
    let find = try connection.statement("SELECT 1 FROM cache WHERE number = ?1")
    try find.bind(1, cache)
    guard try find.firstInt() == 1 else { return }
    // If SQLite's record of assigned numbers is damaged, pages of a deleted list can have the same keys.
    let insert = try connection.statement("INSERT OR REPLACE INTO cache_page VALUES (?1, ?2, ?3)")
    for page in pages {
      try insert.bind(1, Self.pageID(page.number, cache))
      try insert.bind(2, page.bytes)
      try insert.bind(3, Int64(Self.checksum(ofPage: Int64(page.number), Int64(cache), page.bytes)))
      try insert.run()
    }
  }

  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool {
    guard try exist else { return false }
    let select = try connection.statement("SELECT name, fingerprint FROM cache WHERE number = ?1 AND generation = ?2")
    try select.bind(1, list.cache)
    try select.bind(2, list.generation - 1)
    var found: (name: String, fingerprint: String)?
    try select.run { found = ($0.text(0) ?? "", $0.text(1) ?? "") }
    guard let found else { return false }
    if list.generation == 1 {
      guard try !hasNewer(than: list, found.name, found.fingerprint) else { return false }
      try deleteOlder(than: list.cache, found.name, found.fingerprint)
    }
    try add(pages, toCache: list.cache)
    let delete = try connection.statement("DELETE FROM cache_page WHERE id = ?1")
    // In the order of the table, so that SQLite changes each of its pages once.
    for page in freed.sorted() where Self.pages.contains(page) {
      try delete.bind(1, Self.pageID(page, list.cache))
      try delete.run()
    }
    let update = try connection.statement(
      "UPDATE cache SET generation = ?2, position = ?3, root = ?4, checksum = ?5, used = \(Self.now) WHERE number = ?1")
    try update.bind(1, list.cache)
    try update.bind(2, list.generation)
    try update.bind(3, list.position.rawValue)
    try update.bind(4, list.root)
    let sum = Self.checksum(
      Int64(list.cache), Int64(list.generation), Int64(list.position.rawValue), list.root, found.name,
      found.fingerprint)
    try update.bind(5, Int64(sum))
    try update.run()
    return true
  }

  func deleteLists(named name: String?) throws {
    guard try exist else { return }
    try delete(
      connection.ints("SELECT number FROM cache WHERE name = coalesce(?1, name)") { try $0.bind(1, name) })
  }
}

extension CacheTables {
  /// The maximum number of saved lists with the same name.
  ///
  /// The lists that were saved last are kept.
  private static var cachesOfOneName: Int { 16 }
  /// The maximum number of replaced lists that are kept for their readers, for at most an hour.
  private static var hiddenCaches: Int { 2 }

  /// Returns true if a newer list was saved after the given list's cache was created.
  private func hasNewer(than list: SavedList, _ name: String, _ fingerprint: String) throws -> Bool {
    let find = try connection.statement(
      """
      SELECT 1 FROM cache WHERE name = ?1 AND fingerprint = ?2 AND number <> ?3 AND generation > 0
      AND position > max(?4, (SELECT position FROM cache WHERE number = ?3)) LIMIT 1
      """)
    try find.bind(1, name)
    try find.bind(2, fingerprint)
    try find.bind(3, list.cache)
    try find.bind(4, list.position.rawValue)
    return try find.firstInt() == 1
  }

  /// Hides the lists that a new list replaces, and deletes older lists.
  ///
  /// The lists that this call hides are not deleted yet, because another process might show such a list, and read the
  /// list's pages until that process saves a newer list. The call deletes lists that were hidden earlier, and the lists
  /// of the same name that were saved first.
  private func deleteOlder(than cache: Int, _ name: String, _ fingerprint: String) throws {
    let hide = try connection.statement(
      """
      UPDATE cache SET generation = -1, used = \(Self.now)
      WHERE name = ?1 AND fingerprint = ?2 AND number <> ?3 AND generation > 0
      """)
    try hide.bind(1, name)
    try hide.bind(2, fingerprint)
    try hide.bind(3, cache)
    try hide.run()
    let hidden = try connection.ints(
      """
      SELECT number FROM cache WHERE name = ?1 AND fingerprint = ?2 AND generation < 0
      ORDER BY used DESC, number DESC LIMIT -1 OFFSET ?3
      """
    ) {
      try $0.bind(1, name)
      try $0.bind(2, fingerprint)
      try $0.bind(3, Self.hiddenCaches)
    }
    try delete(hidden)
    let old = try connection.ints(
      """
      SELECT number FROM cache WHERE name = ?1 AND generation > 0 ORDER BY used DESC, number DESC LIMIT -1 OFFSET ?2
      """
    ) {
      try $0.bind(1, name)
      try $0.bind(2, Self.cachesOfOneName - 1)
    }
    try delete(old)
  }

  /// Deletes lists that were begun or hidden over an hour ago, because such lists no longer have a writer or readers.
  private func deleteGivenUp() throws {
    try delete(connection.ints("SELECT number FROM cache WHERE generation <= 0 AND used < \(Self.now) - 3600"))
  }

  /// Hides all lists before a compaction commits, so that no reader begins to use a list and no writer adds to it.
  ///
  /// A reader that already uses a list continues to read its pages, because the list can't be rebuilt: the compaction
  /// removes the events that the list was built from.
  func hideAll() throws {
    guard try exist else { return }
    try deleteGivenUp()
    try connection.execute("UPDATE cache SET generation = -1, used = \(Self.now) WHERE generation >= 0")
  }

  private func delete(_ caches: [Int64]) throws {
    let pages = try connection.statement("DELETE FROM cache_page WHERE id BETWEEN ?1 AND ?2")
    let cache = try connection.statement("DELETE FROM cache WHERE number = ?1")
    for number in caches {
      // No pages exist for a number outside the valid range.
      if Self.caches.contains(number) {
        try pages.bind(1, Self.pageID(0, Int(number)))
        try pages.bind(2, Self.pageID(1 << 32 - 1, Int(number)))
        try pages.run()
      }
      try cache.bind(1, number)
      try cache.run()
    }
  }

  /// The valid cache numbers, which are limited because a key combines a cache number with a page number.
  private static var caches: ClosedRange<Int64> { 1...Int64(Int32.max) }
  /// The valid page numbers.
  private static var pages: ClosedRange<Int> { 1...(1 << 32 - 1) }

  /// Returns the key of a page's row.
  ///
  /// SQLite stores rows in key order, so a cache's pages are adjacent.
  private static func pageID(_ page: Int, _ cache: Int) -> Int64 { Int64(cache) << 32 | Int64(page) }

  /// Returns the checksum of a page.
  static func checksum(ofPage page: Int64, _ cache: Int64, _ bytes: [UInt8]) -> UInt32 {
    CRC32.of(["\(cache)", "\(page)"], bytes)
  }

  /// Returns the checksum of a list.
  static func checksum(
    _ cache: Int64, _ generation: Int64, _ position: Int64, _ root: [UInt8], _ name: String, _ fingerprint: String
  ) -> UInt32 {
    CRC32.of([name, fingerprint, "\(cache)", "\(generation)", "\(position)"], root)
  }
}

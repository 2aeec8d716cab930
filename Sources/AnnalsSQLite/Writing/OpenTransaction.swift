import Annals

/// A log as a transaction sees it that is not committed: for what is saved in the transaction of an append.
///
/// `@unchecked Sendable`: it is used only by the thread that has the transaction open, while the writer's lock is held.
final class OpenTransaction: CacheStore, @unchecked Sendable {
  private let connection: SQLiteConnection
  let source = ""
  let environment = StoreEnvironment()
  let signal = CommitSignal()

  init(_ connection: SQLiteConnection) { self.connection = connection }

  func commit(_ append: Append) throws -> Receipt {
    preconditionFailure("a projection appends nothing: it is folded inside an append")
  }

  func head() throws -> Position { try EventReader(connection).head() }

  func version(of stream: StreamName) throws -> Int { try EventReader(connection).version(of: stream) }

  func position(of id: EventID) throws -> Position? { try EventReader(connection).position(of: id) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try EventReader(connection).events(query, after: after, through: through, limit: limit)
  }

  func cache(named name: String, fingerprint: String) throws -> SavedList? {
    try CacheTables(connection).list(named: name, fingerprint: fingerprint)
  }

  func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]? {
    try CacheTables(connection).page(page, ofCache: cache)
  }

  func erasures() throws -> Int { try PersonalTables(connection).erasures }

  func compacted() throws -> CompactedHistory { try CompactionTables(connection).history }

  func rewrites() throws -> Int { try CompactionTables(connection).rewrites }

  func hasPersonalFields() throws -> Bool { try PersonalTables(connection).hasValues }

  func makeCache(named name: String, fingerprint: String, rewrites: Int) throws -> Int? {
    try CacheTables(connection).make(named: name, fingerprint: fingerprint, rewrites: rewrites)
  }

  func add(_ pages: [SavedPage], toCache cache: Int) throws {
    try CacheTables(connection).add(pages, toCache: cache)
  }

  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool {
    try CacheTables(connection).save(list, adding: pages, removing: freed)
  }

  func deleteCaches(named name: String?) throws { try CacheTables(connection).deleteAll(named: name) }
}

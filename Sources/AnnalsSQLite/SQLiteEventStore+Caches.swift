package import Annals
import Foundation

/// Saved lists lie in tables beside the events, which are made when the first list is saved. A reader of the log may ignore them,
/// and whoever deletes them loses nothing. Each page and each list has a checksum, so that damage is a miss.
extension SQLiteEventStore: InlineStore {
  package func addInline(_ member: any InlineMember) throws {
    guard let writer else {
      throw EventStoreError(.readOnly, "\(path): was opened for reading only; a list cannot be kept in it")
    }
    try writer.add(member)
  }

  package func cache(named name: String, fingerprint: String) throws -> SavedList? {
    try pool.read { try CacheTables($0).list(named: name, fingerprint: fingerprint) }
  }

  package func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]? {
    do {
      return try pool.read { try CacheTables($0).page(page, ofCache: cache) }
    } catch let error as EventStoreError where error.code == .closed {
      return try readAfterClose { try CacheTables($0).page(page, ofCache: cache) }
    }
  }

  package func cacheBytes() throws -> Int {
    try pool.read { connection in
      let (pages, size) = (try connection.int("PRAGMA page_count") ?? 0, try connection.int("PRAGMA page_size") ?? 0)
      // A file that is damaged may say anything.
      let (bytes, isTooMuch) = pages.multipliedReportingOverflow(by: size)
      return isTooMuch || bytes < 0 ? 0 : Int(bytes)
    }
  }

  /// Reads the pages of lists that are still shown when the store was closed, by a connection for one page alone: nothing is left beside
  /// the log.
  private func readAfterClose<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try place.check()
    let connection = try connectionAfterClose()
    defer { connection.close() }
    let found = try Schema.opened(connection, path: path).source
    guard found == source else {
      throw EventStoreError(
        .replaced, "\(path): expected the log \(source), which was closed, found \(found); open it again")
    }
    return try body(connection)
  }

  /// A connection that takes SQLite's files away when it is closed, if it is the last one and may.
  private func connectionAfterClose() throws -> SQLiteConnection {
    if writer != nil { return try SQLiteConnection(path: place.file, access: .write) }
    let commits = FileSystem.status(place.commits)?.size
    // Commits that were not copied into the log are a writer's.
    if let commits, commits > 0 { return try SQLiteConnection(path: place.file, access: .read) }
    let files = FileManager.default
    if files.isWritableFile(atPath: place.folder), files.isWritableFile(atPath: place.file) {
      return try SQLiteConnection(path: place.file, access: .write)
    }
    return try SQLiteConnection(path: place.file, access: commits == nil ? .immutable : .read)
  }

  package func hasPersonalFields() throws -> Bool { try pool.read { try PersonalTables($0).hasValues } }

  package func makeCache(named name: String, fingerprint: String, rewrites: Int) throws -> Int? {
    try writing { try $0.make(named: name, fingerprint: fingerprint, rewrites: rewrites) }
  }

  package func add(_ pages: [SavedPage], toCache cache: Int) throws {
    try writing { try $0.add(pages, toCache: cache) }
  }

  package func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool {
    try writing { try $0.save(list, adding: pages, removing: freed) }
  }

  package func deleteCaches(named name: String?) throws {
    try writing { try $0.deleteAll(named: name) }
  }

  private func writing<T>(_ body: (CacheTables) throws -> T) throws -> T {
    try writing { (connection: SQLiteConnection) in try body(CacheTables(connection)) }
  }

  /// Runs a body in a transaction that writes.
  func writing<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    guard let writer else {
      throw EventStoreError(
        .readOnly, "\(path): was opened for reading only; lists and positions cannot be saved in it")
    }
    defer { writer.checkpointIfDue() }
    return try writer.use { connection in try connection.write { try body(connection) } }
  }
}

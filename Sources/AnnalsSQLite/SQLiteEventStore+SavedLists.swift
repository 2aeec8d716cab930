public import Annals
import Foundation

extension SQLiteEventStore {
  /// The saved lists, in tables of the log's file that are created when the first list is saved.
  ///
  /// Other readers of the file can ignore these tables, and you can delete the tables without losing data. Pages and
  /// lists have checksums, and a damaged page or list is treated as missing.
  public var savedLists: (any SavedListStore)? { SavedLists(store: self) }

  /// The store for inline lists, which are updated in the transactions of appends.
  public var inlineLists: (any InlineListStore)? { InlineLists(store: self) }
}

private struct InlineLists: InlineListStore {
  let store: SQLiteEventStore

  func add(_ member: any InlineListMember) throws {
    guard let writer = store.writer else {
      throw EventStoreError(.readOnly, "\(store.path): was opened for reading only; it can't store a saved list")
    }
    try writer.add(member)
  }
}

private struct SavedLists: SavedListStore {
  let store: SQLiteEventStore

  func list(named name: String, fingerprint: String) throws -> SavedList? {
    try store.pool.read { try CacheTables($0).list(named: name, fingerprint: fingerprint) }
  }

  func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]? {
    do {
      return try store.pool.read { try CacheTables($0).page(page, ofCache: cache) }
    } catch let error as EventStoreError where error.code == .closed {
      return try store.readAfterClose { try CacheTables($0).page(page, ofCache: cache) }
    }
  }

  func byteLimit() throws -> Int { try store.pool.read { try CacheTables($0).byteLimit() } }

  func makeCache(named name: String, fingerprint: String, revision: LogRevision) throws -> Int? {
    try writing { try $0.makeCache(named: name, fingerprint: fingerprint, revision: revision) }
  }

  func add(_ pages: [SavedPage], toCache cache: Int) throws { try writing { try $0.add(pages, toCache: cache) } }

  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool {
    try writing { try $0.save(list, adding: pages, removing: freed) }
  }

  func deleteLists(named name: String?) throws { try writing { try $0.deleteLists(named: name) } }

  private func writing<T: Sendable>(_ body: (CacheTables) throws -> T) throws -> T {
    try store.writing { try body(CacheTables($0)) }
  }
}

extension SQLiteEventStore {
  /// Reads pages of lists that are still shown although the store was closed.
  ///
  /// Every page is read by a new connection, so that no files remain next to the log.
  fileprivate func readAfterClose<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try place.check()
    let connection = try connectionAfterClose()
    defer { connection.close() }
    let found = try Schema.opened(connection, path: path).source
    guard found == source else {
      throw EventStoreError(
        .replaced, "\(path): expected the closed log \(source), found the log \(found); reopen the log")
    }
    return try body(connection)
  }

  /// Returns a connection that removes SQLite's companion files when it is closed, if it is the last one and has
  /// permission.
  private func connectionAfterClose() throws -> SQLiteConnection {
    if writer != nil { return try SQLiteConnection(path: place.file, access: .write) }
    let commits = FileSystem.status(place.commits)?.size
    // Commits that were not yet copied into the log belong to a writer.
    if let commits, commits > 0 { return try SQLiteConnection(path: place.file, access: .read) }
    let files = FileManager.default
    if files.isWritableFile(atPath: place.folder), files.isWritableFile(atPath: place.file) {
      return try SQLiteConnection(path: place.file, access: .write)
    }
    return try SQLiteConnection(path: place.file, access: commits == nil ? .immutable : .read)
  }

  /// Runs a closure in a write transaction.
  func writing<T: Sendable>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    guard let writer else {
      throw EventStoreError(
        .readOnly, "\(path): was opened for reading only; it can't store lists and checkpoints")
    }
    defer { writer.checkpointIfDue() }
    return try writer.write(body)
  }
}

public import AnnalsLog
import Foundation

extension SQLiteEventStore {
  /// The storage for saved lists, in tables that are created in the log's file when the first list is saved.
  ///
  /// Other programs that read the file can ignore these tables, and you can delete the tables without losing data.
  /// Every list is stored in pages, and the list and its pages have checksums. If a checksum is wrong, the store treats
  /// the list or the page as missing. `Docs/SavedLists.md` describes how a controller rebuilds the list.
  public var savedLists: (any SavedListStore)? { SavedLists(store: self) }

  /// The storage for inline lists, which every append updates in the same transaction.
  public var inlineLists: (any InlineListStore)? { InlineLists(store: self) }
}

private struct InlineLists: InlineListStore {
  let store: SQLiteEventStore

  func add(_ member: any InlineListMember) throws {
    guard let writer = store.writer else {
      throw EventStoreError(
        .readOnly,
        "\(store.path): the log was opened for reading only, so no list can be saved; open the log with "
          + "SQLiteEventStore(path:)")
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
    if let found = store.writer?.page(page, ofCache: cache) { return found }
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
  /// Reads pages for lists that an app still shows after the store was closed.
  ///
  /// Every page is read through a new connection, so that no `-wal` or `-shm` file remains next to the log.
  fileprivate func readAfterClose<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try place.check()
    let connection = try connectionAfterClose()
    defer { connection.close() }
    let found = try Schema.opened(connection, path: path).source
    guard found == source else {
      throw EventStoreError(
        .replaced,
        "\(path): this store had opened the log \(source), but the file now contains the log \(found); reopen the log")
    }
    return try body(connection)
  }

  /// Returns a connection for one read.
  ///
  /// If it's the log's last connection and has write permission, it removes the `-wal` and `-shm` files when it's
  /// closed.
  private func connectionAfterClose() throws -> SQLiteConnection {
    if suspension.isOn { return try SQLiteConnection(path: place.file, access: .read) }
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
        .readOnly,
        "\(path): the log was opened for reading only, so lists and checkpoints can't be saved; open the log with "
          + "SQLiteEventStore(path:)")
    }
    defer { writer.checkpointIfDue() }
    return try writer.write(body)
  }
}

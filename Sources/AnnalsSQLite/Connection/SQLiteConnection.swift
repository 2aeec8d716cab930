import AnnalsLog
import CAnnalsSQLite
import Foundation

/// A connection to SQLite.
///
/// Only the code in this folder uses SQLite's C API.
///
/// `@unchecked Sendable`: a lock or a pool gives a connection to only one thread at a time.
final class SQLiteConnection: @unchecked Sendable {
  /// The way in which a connection opens a file.
  enum Access {
    /// The connection writes the file, and creates it if it does not exist.
    case create
    /// The connection writes the file, which must exist.
    case write
    case read
    /// The connection reads a file that no process writes, without files next to it (sqlite.org/uri.html, "immutable").
    case immutable

    var writes: Bool { self == .create || self == .write }
  }

  let path: String
  /// The time to wait for other writers, in microseconds.
  private var patience: Int64
  private var waited: Int64 = 0
  /// The switch that ends waits for other connections' locks.
  var suspension: Suspension?
  /// The connection's handle, or `nil` once it is closed.
  private var handle: OpaquePointer?
  private var statements: [String: SQLiteStatement] = [:]
  private var frequent: [SQLiteStatement?] = Array(repeating: nil, count: Frequent.allCases.count)
  /// The cached names of `NameCache`.
  var names: [NameCache.Table: [Int64: String]] = [:]
  /// The names of streams and sources as bytes, for readers of the whole log.
  let streamNames = NameTable("stream")
  let sourceNames = NameTable("source")
  let sharedMetadata = NameTable("shared_metadata", column: "text")
  /// The cached keys of `TypeKeys`, by choice of types.
  var typeKeys: [ObjectIdentifier: (choice: EventTypeFilter, keys: TypeKeys)] = [:]
  private var knownFormat: Int64 = 0
  private var knowsTypeStretches = false
  /// The number of statements that currently stay on a row, during which all reads return the same snapshot of the log.
  var rowsHeld = 0
  /// The newest file format, which a log stores at byte 60 ("user version").
  static let newestFormat: Int64 = 8
  /// SQLite's version number of the schema that was last compared with the expected schema.
  var checkedSchema: Int64?
  /// The size in bytes to which SQLite truncates the `-wal` file when it restarts the file from its beginning.
  static let commitBytesKept = 16_777_216
  /// The number of pages in the `-wal` file after the last commit, as SQLite reported it.
  private(set) var logPages = 0

  /// The page size in bytes, or 0 if it was not read yet.
  private var pageSize = 0
  /// The value of ``dataVersion`` after this connection's last commit, for ``isAsCommitted``.
  private var committedVersion: UInt32?

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - path: The file's path with links resolved, because SQLite's other files are next to the file that a link
  ///     refers to.
  ///   - access: The way in which to open the file.
  ///   - patience: The time to wait for other writers.
  ///   - hasPageChecksums: True if it is known that the log's pages have checksums.
  /// - Throws: ``EventStoreError``.
  init(
    path: String, access: Access, patience: Duration = .seconds(60), hasPageChecksums: Bool = false
  ) throws {
    self.path = path
    let (seconds, attoseconds) = patience.components
    self.patience = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    var opened: OpaquePointer?
    let (flags, name) =
      switch access {
      case .create: (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path)
      case .write: (SQLITE_OPEN_READWRITE, path)
      // A URI is used only for reading, because a file's name can begin with "file:" too.
      case .read: (SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, Self.uri(path))
      case .immutable: (SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, Self.uri(path) + "?immutable=1")
      }
    try SystemFailure.checkLength(of: path)
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, CheckedFiles.name)
    guard code == SQLITE_OK, let opened else {
      let reason = Self.openReason(opened, path) ?? opened.map { String(cString: sqlite3_errmsg($0)) }
      sqlite3_close_v2(opened)
      throw EventStoreError(.io, "\(path): cannot be opened: \(reason ?? "out of memory")")
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    // SQLite opens a write-protected file for reading, and would report that only at the first write.
    if access.writes, sqlite3_db_readonly(handle, "main") == 1 {
      let reason =
        FileSystem.writeFailure(path).map { ": \($0.sentence)" } ?? "; check the permissions of the file and its folder"
      throw EventStoreError(
        .readOnly, "\(path): cannot be written\(reason), or open the log with SQLiteEventStore(readingFrom:)")
    }
    distrust()
    if hasPageChecksums { requirePageChecksums() }
    // Some systems map files into memory by default, which isn't allowed for several writing processes.
    try execute("PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON")
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context else { return 0 }
        return Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().waits(count) ? 1 : 0
      }, context)
    if !access.writes { EndOfReading.watch(opened) }
    // This hook replaces SQLite's own checkpoints; see `LogWriter.checkpointIfDue()`.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
        connection.logPages = Int(pages)
        connection.committedVersion = connection.dataVersion
        return SQLITE_OK
      }, context)
  }

  /// Shortens the wait for other writers to at most 20 ms.
  func hurry() { patience = min(patience, 20_000) }

  /// Waits for another connection's lock, for at most two milliseconds per call and for less in the first calls.
  ///
  /// SQLite's own busy handler sleeps up to 100 ms, during which many other connections would get the lock first.
  private func waits(_ count: Int32) -> Bool {
    if count == 0 { waited = 0 }
    guard waited < patience, suspension?.isOn != true else { return false }
    let longest = min(2_000, 100 + 50 * count)
    let pause = Int32.random(in: 50...longest)
    FileSystem.sleep(microseconds: UInt32(pause))
    waited += Int64(pause)
    return true
  }

  private static func uri(_ path: String) -> String {
    // Foundation's URL makes its first sets at a program's start, so it is used only for relative paths.
    let absolute = path.hasPrefix("/") ? path : URL(fileURLWithPath: path).path
    let bytes = absolute.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return "file://" + bytes.joined()
  }

  deinit { close() }

  /// Closes the connection, which can't be used afterwards.
  func close() {
    statements = [:]
    frequent = Array(repeating: nil, count: Frequent.allCases.count)
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Sets whether the log's files stay unchanged when this connection closes, even if it is the log's last connection.
  func keepsLogOnClose(_ keeps: Bool) { configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps) }

  private func configure(_ option: Int32, _ isOn: Bool) { _ = annals_sqlite_configure(handle, option, isOn ? 1 : 0) }

  /// Prevents SQL code in the file from running, because a log can have an unknown author (sqlite.org/security.html).
  private func distrust() {
    configure(SQLITE_DBCONFIG_DEFENSIVE, true)
    configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    // The log's own triggers are for other programs.
    configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    configure(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    for (limit, most) in [
      (SQLITE_LIMIT_SQL_LENGTH, 1_000_000), (SQLITE_LIMIT_COLUMN, 100), (SQLITE_LIMIT_EXPR_DEPTH, 100),
      (SQLITE_LIMIT_COMPOUND_SELECT, 200), (SQLITE_LIMIT_ATTACHED, 1), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
      (SQLITE_LIMIT_VARIABLE_NUMBER, 10_000), (SQLITE_LIMIT_TRIGGER_DEPTH, 10), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ] as [(Int32, Int32)] { sqlite3_limit(handle, limit, most) }
  }

  /// True if pages reserve space for a checksum, according to the log's first page.
  ///
  /// The latest version of the first page might be in the `-wal` file.
  var reservesPageChecksums: Bool {
    // A negative number queries the value.
    var reserved: Int32 = -1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    return reserved == Int32(PageChecksum.size)
  }

  /// True if a page's checksum is checked when the page is read from the file.
  var checksPages: Bool { file?.pointee.isChecked ?? false }

  /// The checked file that the connection reads and writes.
  private var file: CheckedFile.Pointer? {
    guard handle != nil else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      file?.pointee.pMethods != nil
    else { return nil }
    return CheckedFile.at(file)
  }

  /// Makes later reads fail for pages without a valid checksum, even if the file's header declares no checksums.
  func requirePageChecksums() { file?.pointee.require() }

  /// Makes pages reserve space for a checksum, in a new file or in a file that is rewritten as a whole.
  ///
  /// - Returns: False if this version of SQLite is too old to reserve space.
  @discardableResult
  func reservePageChecksums() -> Bool {
    var size = Int32(PageChecksum.size)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &size)
    return reservesPageChecksums
  }

  /// Returns the first bytes of the file without a lock, or fewer bytes if the file is shorter.
  ///
  /// The bytes are read through SQLite, because opening and closing the file separately would release the locks that
  /// all connections of this process have on it (sqlite.org/howtocorrupt.html, section 2.2). Without these locks,
  /// another process that closes the log would remove its `-wal` file while this process uses it.
  func header(_ count: Int) throws -> [UInt8] {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee else { throw failure(code) }
    func read() throws -> [UInt8] {
      var size: sqlite3_int64 = 0
      guard methods.xFileSize(file, &size) == SQLITE_OK else { throw failure(SQLITE_IOERR) }
      var bytes = [UInt8](repeating: 0, count: min(count, Int(size)))
      if !bytes.isEmpty, methods.xRead(file, &bytes, Int32(bytes.count), 0) != SQLITE_OK {
        throw failure(SQLITE_IOERR)
      }
      return bytes
    }
    // Without a lock, a partial write of another process can be visible. If two reads are equal, the bytes are
    // complete.
    var bytes = try read()
    for _ in 0..<100 {
      let again = try read()
      if again == bytes { break }
      bytes = again
    }
    return bytes
  }

  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Executes a statement that fails immediately in SQLite if another connection has a lock, and retries it.
  ///
  /// The method retries for as long as other statements wait for a lock. For example, a change of the journal mode
  /// first reads and then writes. For such a statement, SQLite doesn't wait until another connection releases its lock.
  func executeWaiting(_ sql: String) throws {
    var count: Int32 = 0
    while true {
      do {
        return try execute(sql)
      } catch let error as EventStoreError where error.code == .busy {
        guard waits(count) else { throw error }
        count += 1
      }
    }
  }

  /// Returns the statement for an SQL string, which is prepared at its first use.
  func statement(_ sql: String) throws -> SQLiteStatement {
    if let known = statements[sql] { return known }
    // Different kinds of queries have different strings, so the cache could grow without limit. After it is cleared,
    // frequent statements are soon back in the cache.
    if statements.count >= 128 { statements = [:] }
    let made = try SQLiteStatement(sql, of: self, handle: handle)
    statements[sql] = made
    return made
  }

  /// The statements that every command executes.
  ///
  /// They are found by this number instead of by their SQL, because hashing the SQL took 3,000 instructions per
  /// statement.
  enum Frequent: Int, CaseIterable {
    case streamBeginning, streamSince, batch, insertEvent, insertTag, insertPersonal, insertStretch
  }

  /// Returns a frequent statement, which is prepared from its SQL at its first use.
  func statement(_ which: Frequent, _ sql: String) throws -> SQLiteStatement {
    if let known = frequent[which.rawValue] { return known }
    let made = try ownStatement(sql)
    frequent[which.rawValue] = made
    return made
  }

  /// Returns a new statement, which the caller can keep for as long as the connection is open.
  func ownStatement(_ sql: String) throws -> SQLiteStatement { try SQLiteStatement(sql, of: self, handle: handle) }

  /// The log's file format, which never decreases.
  var format: Int64 {
    get throws {
      if knownFormat < Self.newestFormat { knownFormat = try int("PRAGMA user_version") ?? 0 }
      return knownFormat
    }
  }

  /// True if the receipts of commands and the checkpoints of followers have checksums.
  var hasReceiptChecksums: Bool { get throws { try format >= 5 } }

  /// True if events can have short identities and shared metadata.
  var hasShortEvents: Bool { get throws { try format >= 7 } }

  /// True if the log records, for each event type, which stretches of 64 positions contain events of the type.
  ///
  /// The value never changes from true to false.
  var hasTypeStretches: Bool {
    get throws {
      if !knowsTypeStretches, try format >= 6 {
        knowsTypeStretches = try int("SELECT count(*) FROM meta WHERE name = 'type_stretches' AND value = '1'") == 1
      }
      return knowsTypeStretches
    }
  }

  /// Runs a closure with exclusive access to a log, or does nothing if another connection has the log open.
  static func alone(_ file: String, _ durability: Durability, _ body: (SQLiteConnection) throws -> Void) throws {
    let connection = try SQLiteConnection(path: file, access: .write, patience: .zero)
    defer { connection.close() }
    guard try connection.takeAlone() else { return }
    try connection.execute(durability.pragmas)
    try body(connection)
  }

  /// Acquires exclusive access to the log, or returns false if another connection has it open.
  private func takeAlone() throws -> Bool {
    do {
      // This lock is refused as long as any other connection has the file open (sqlite.org/wal.html, 8).
      try execute("PRAGMA locking_mode = EXCLUSIVE")
      try write {}
      return true
    } catch let error as EventStoreError where error.code == .busy {
      return false
    }
  }

  /// Discards the cached names, because the keys that a rolled back transaction created can be reused for other names.
  func forgetNames() {
    names = [:]
    typeKeys = [:]
    streamNames.forget()
    sourceNames.forget()
    sharedMetadata.forget()
  }

  func int(_ sql: String) throws -> Int64? { try statement(sql).firstInt() }

  /// Returns true if the log contains a table that is created at its first use.
  func hasTable(_ name: String) throws -> Bool {
    try int("SELECT count(*) FROM sqlite_schema WHERE name = '\(name)'") == 1
  }

  /// Returns the first column of all rows that a query returns.
  func ints(_ sql: String, _ bind: (SQLiteStatement) throws -> Void = { _ in }) throws -> [Int64] {
    let statement = try statement(sql)
    try bind(statement)
    var found: [Int64] = []
    try statement.run { found.append($0.int(0)) }
    return found
  }

  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The number of rows that the last statement inserted, updated or deleted.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// SQLite's number for the log's contents that this connection has read, which changes with every commit.
  private var dataVersion: UInt32? {
    var version: UInt32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return code == SQLITE_OK ? version : nil
  }

  /// True inside a transaction if no other connection has committed since this connection's last commit.
  ///
  /// In that case the `-wal` file contains ``logPages``.
  var isAsCommitted: Bool { committedVersion != nil && committedVersion == dataVersion }

  /// Returns the size of the `-wal` file in bytes after this connection's last commit.
  ///
  /// The file has a header of 32 bytes, and a header of 24 bytes before every page (sqlite.org/fileformat.html, section
  /// 4.1).
  func commitBytes() throws -> Int {
    if pageSize == 0 { pageSize = Int(try int("PRAGMA page_size") ?? 0) }
    return logPages == 0 ? 0 : 32 + logPages * (pageSize + 24)
  }

  /// True if no connection of any process has the write lock, false if one has it, or `nil` if the system fails.
  ///
  /// The connection must have read the log in WAL mode before.
  ///
  /// The write lock is the first lock in the shared memory (sqlite.org/walformat.html, section 2.3). The connection
  /// takes the lock as a reader and releases it immediately, because other ways to look at a lock of this process would
  /// need a file descriptor, and to close it would release the locks of all connections.
  var isWriteLockFree: Bool? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let methods = file.pointee.pMethods?.pointee, methods.iVersion >= 2, methods.xShmLock != nil
    else { return nil }
    switch methods.xShmLock(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED) {
    case SQLITE_OK:
      _ = methods.xShmLock(file, 0, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED)
      return true
    case SQLITE_BUSY: return false
    default: return nil
    }
  }

  /// True while a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs a closure in a transaction that holds the write lock from its beginning.
  func write<T>(_ body: () throws -> T) throws -> T { try transaction("BEGIN IMMEDIATE", body) }

  /// Runs a closure in one transaction, so that all reads return the same snapshot of the log.
  func read<T>(_ body: () throws -> T) throws -> T { try transaction("BEGIN", body) }

  private func transaction<T>(_ begin: String, _ body: () throws -> T) throws -> T {
    try statement(begin).run()
    do {
      let result = try body()
      try statement("COMMIT").run()
      return result
    } catch {
      // A failed commit might have truncated the `-wal` file, or restarted it from its beginning.
      if (error as? EventStoreError)?.code != .replaced { committedVersion = nil }
      rollback()
      throw error
    }
  }

  /// Rolls back the open transaction, if any.
  ///
  /// After some failures, SQLite has already rolled it back.
  func rollback() {
    if isInTransaction { try? execute("ROLLBACK") }
  }

  /// Copies commits from the `-wal` file into the log's own file, except for pages whose old contents a reader still
  /// needs.
  ///
  /// - Returns: True if all commits were copied.
  @discardableResult
  func checkpoint() throws -> Bool {
    var (pages, copied): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &copied)
    if code != SQLITE_OK, code & 0xFF != SQLITE_BUSY { throw failure(code) }
    return code == SQLITE_OK && pages == copied
  }

  /// Copies all commits from the `-wal` file into the log's own file, or throws.
  ///
  /// No other connection may use the log.
  func checkpointWhole() throws {
    var (pages, copied): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &copied)
    if code != SQLITE_OK { throw failure(code) }
    // Both numbers are -1 if the file has no commits next to it.
    guard pages == copied else {
      throw EventStoreError(
        .busy,
        "\(path): only \(copied) of \(pages) committed pages were copied from the write-ahead log (-wal) into the "
          + "log's file, because another process uses the log. End the other process and retry")
    }
  }

  /// Reads all pages of the file, verifies their checksums, and compares the file's size with the number of pages.
  func readAllPages() throws {
    let (size, count) = (try int("PRAGMA page_size") ?? 0, try int("PRAGMA page_count") ?? 0)
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee else { throw failure(code) }
    var bytes: sqlite3_int64 = 0
    let sized = methods.xFileSize(file, &bytes)
    guard sized == SQLITE_OK else { throw failure(sized) }
    guard bytes == size * count else {
      throw EventStoreError(
        .corrupt, "\(path): expected a file of \(size * count) bytes, found \(bytes) bytes; check the disk")
    }
    var page = [UInt8](repeating: 0, count: Int(size))
    for number in 0..<count {
      let code = methods.xRead(file, &page, Int32(size), number * size)
      guard code == SQLITE_OK else { throw failure(code) }
    }
  }

  /// Copies the whole database into another connection's database, while other connections read and write.
  func copy(into target: SQLiteConnection, pagesAtOnce: Int32, _ said: (_ rest: Int, _ all: Int) throws -> Void) throws
  {
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.failure(sqlite3_errcode(target.handle))
    }
    var code = SQLITE_OK
    do {
      while code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED {
        code = sqlite3_backup_step(backup, pagesAtOnce)
        try said(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
        if code == SQLITE_BUSY || code == SQLITE_LOCKED { FileSystem.sleep(microseconds: 1_000) }
      }
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let end = sqlite3_backup_finish(backup)
    // The damaged page is in the file that is read.
    if code == CheckedFile.ioErrorData { throw failure(code) }
    if end != SQLITE_OK { throw target.failure(end) }
    if code != SQLITE_DONE { throw target.failure(code) }
  }

  /// Returns the error for a result code of SQLite.
  func failure(_ code: Int32) -> EventStoreError {
    let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "the connection is closed"
    if code == CheckedFile.ioErrorData {
      return EventStoreError(
        .corrupt,
        "\(path): the log is damaged: page \(file?.pointee.damagedPage ?? 0) doesn't match its checksum; restore the "
          + "log from a copy")
    }
    switch code & 0xFF {
    case SQLITE_NOTADB:
      return EventStoreError(
        .notALog,
        "\(path): expected an event log, but SQLite reported: \(reason). Check the path, or restore the log from "
          + "a copy")
    case SQLITE_CORRUPT:
      if let cause = readFailure() {
        return EventStoreError(.io, "\(path): cannot be read: \(SystemFailure.sentence(cause))")
      }
      return EventStoreError(.corrupt, "\(path): the log is damaged: \(reason); restore the log from a copy")
    case SQLITE_READONLY: return EventStoreError(.readOnly, "\(path): cannot be written: \(reason)")
    case _ where code == Self.shortRead:
      return EventStoreError(
        .io,
        "\(path): a file of the log is shorter than expected: the write-ahead log (-wal) was removed or truncated "
          + "while a program had the log open, or the disk lost data; reopen the log and verify it")
    case SQLITE_FULL:
      return EventStoreError(.io, "\(path): the disk is full, and no data was added. Free disk space and retry")
    case SQLITE_CANTOPEN:
      return EventStoreError(.io, "\(path): cannot be opened: \(Self.systemReason(code, handle) ?? reason)")
    case SQLITE_BUSY, SQLITE_PROTOCOL:
      return EventStoreError(
        .busy,
        "\(path): another process held the log's lock for over \(patience / 1_000_000) seconds (\(reason)), and "
          + "no data was added. End the other process and retry")
    case SQLITE_TOOBIG:
      return EventStoreError.invalidAppend(
        "\(path): an event is larger than SQLite's limit of 1 billion bytes; store large data in a separate file")
    default:
      let system = Self.systemReason(code, handle).map { ": \($0)" } ?? ""
      return EventStoreError(.io, "\(path): SQLite failed with code \(code): \(reason)\(system)")
    }
  }

  /// SQLite's code for reading past the end of a file (SQLITE_IOERR_SHORT_READ).
  private static let shortRead = SQLITE_IOERR | 2 << 8

  /// Returns a failed system call's cause with a way to resolve it, or `nil` if no system call failed.
  private static func systemReason(_ code: Int32, _ handle: OpaquePointer?) -> String? {
    guard let handle, code != shortRead, code != CheckedFile.ioErrorData,
      code & 0xFF == SQLITE_CANTOPEN || code & 0xFF == SQLITE_IOERR
    else { return nil }
    let cause = lastCause(code, handle)
    return cause == 0 ? nil : SystemFailure.sentence(cause)
  }

  /// Returns the system's error number for a failure, or 0 if the number is not known.
  private static func lastCause(_ code: Int32, _ handle: OpaquePointer) -> Int32 {
    if code & 0xFF == SQLITE_IOERR {
      if let failure = fileFailures(handle).first { return failure.cause }
    }
    return sqlite3_system_errno(handle)
  }

  /// Returns the system's error number if SQLite reports an unreadable file as damage, or `nil` for real damage.
  ///
  /// SQLite does so for EIO, ENXIO and ERANGE (`SQLITE_IOERR_CORRUPTFS`), which the system can also return while the
  /// device is locked. The log might then be intact. The system's error number can be from an earlier failure, so the
  /// method counts it only if a read of the file's beginning also fails.
  private func readFailure() -> Int32? {
    guard let handle else { return nil }
    for (file, methods, cause) in Self.fileFailures(handle) where SystemFailure.isReportedAsDamage(cause) {
      var byte: UInt8 = 0
      let code = methods.xRead(file, &byte, 1, 0)
      if code != SQLITE_OK, code != Self.shortRead { return cause }
    }
    return nil
  }

  private typealias FileFailure = (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods, cause: Int32)

  /// Returns the open files for which a system call failed, with the system's last error number.
  ///
  /// SQLite records the cause in the files, but not always in the connection.
  private static func fileFailures(_ handle: OpaquePointer) -> [FileFailure] {
    [SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER].compactMap { pointer in
      var (file, cause): (UnsafeMutablePointer<sqlite3_file>?, Int32) = (nil, 0)
      guard sqlite3_file_control(handle, "main", pointer, &file) == SQLITE_OK, let file,
        let methods = file.pointee.pMethods?.pointee,
        methods.xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &cause) == SQLITE_OK, cause != 0
      else { return nil }
      return (file, methods, cause)
    }
  }

  /// Returns the reason why the system could not open a file, with a way to resolve it.
  private static func openReason(_ handle: OpaquePointer?, _ path: String) -> String? {
    guard let handle else { return nil }
    let cause = sqlite3_system_errno(handle)
    // If SQLite may not create a file, it then tries to open the file for reading, and reports that the file doesn't
    // exist.
    if SystemFailure.isMissing(cause), FileSystem.status(path) == nil,
      let failure = FileSystem.writeFailure(FileSystem.folder(of: path))
    {
      return failure.sentence
    }
    return cause == 0 ? nil : SystemFailure.sentence(cause)
  }
}

/// The version of SQLite in this process.
enum SQLiteVersion {
  static var number: Int32 { sqlite3_libversion_number() }

  static var text: String { String(cString: sqlite3_libversion()) }

  /// True if SQLite supports STRICT tables (sqlite.org/stricttables.html).
  static var hasStrictTables: Bool { number >= 3_037_000 }
}

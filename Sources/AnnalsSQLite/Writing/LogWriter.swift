import AnnalsLog
import Dispatch
import Synchronization

/// The writer of an open log.
///
/// It has a connection that appends, and a second connection (``Copier``) that copies commits from the `-wal` file into
/// the log's own file.
final class LogWriter: Sendable {
  struct Open {
    let connection: SQLiteConnection
    let writer: EventWriter
    let copier: Copier
    /// The number of pages in the `-wal` file at which commits are copied next.
    var checkpointDue = LogWriter.checkpointPages
    var lastPages = 0
    /// True if another thread was started to copy commits, but has not begun yet.
    var isCopyComing = false
    /// The inline lists that every transaction updates, as long as other code references them.
    var inline: [Weak] = []

    /// The open connections, of which the last one to close is the one that appends.
    var connections: [SQLiteConnection] { [copier.connection, connection].compactMap(\.self) }
    /// The inline lists that still exist.
    var members: [any InlineListMember] { inline.compactMap(\.member) }
  }

  /// The connection that copies commits, which is opened before the store's first write.
  ///
  /// An app that only shows a list at its start doesn't need the connection. It must be open before a write, because it
  /// can still copy the commits if another program removes the `-wal` file.
  ///
  /// `@unchecked Sendable`: it's used only while the writer's lock is held.
  final class Copier: @unchecked Sendable {
    private(set) var connection: SQLiteConnection?
    private let make: () throws -> SQLiteConnection

    init(_ make: @escaping () throws -> SQLiteConnection) { self.make = make }

    /// Returns the connection, which is opened by the first call.
    @discardableResult
    func open() throws -> SQLiteConnection {
      if let connection { return connection }
      let made = try make()
      connection = made
      return made
    }
  }

  struct Weak {
    weak var member: (any InlineListMember)?
  }

  let place: LogLocation
  var path: String { place.path }
  private let open: Mutex<Open?>
  private let drive: DriveFlush?
  /// The durability that appends have reached, which can be lower than the requested durability.
  let reached: Mutex<Durability>
  private let end = Mutex(OwnEnd())
  /// The last position that this writer committed.
  var ownEnd: OwnEnd { end.withLock { $0 } }
  private let hasLargeCache = Mutex(false)
  /// True while the thread that has the lock runs code of other types.
  ///
  /// This code may read a saved list, but a thread must not try to take a lock that it has.
  private let isForeign = Atomic(false)
  private let suspension: Suspension
  /// A closure that runs work on another thread.
  ///
  /// Tests can replace it.
  let handOver = Mutex<@Sendable (@escaping @Sendable () -> Void) -> Void>({ work in
    DispatchQueue.global(qos: .userInitiated).async(execute: work)
  })
  /// The number of pages in the `-wal` file at which commits are copied, which is also SQLite's default.
  private static let checkpointPages = 1_000

  init(
    _ place: LogLocation, connection: SQLiteConnection, durability: Durability, patience: Duration,
    hasPageChecksums: Bool, suspension: Suspension
  ) throws {
    self.place = place
    self.suspension = suspension
    // The first read opens the files next to the log.
    _ = try connection.int("PRAGMA user_version")
    try place.noteCompanions(connection)
    connection.suspension = suspension
    let copier = Copier {
      let copier = try SQLiteConnection(
        path: place.file, access: .write, patience: patience, hasPageChecksums: hasPageChecksums)
      do {
        try copier.execute(durability.pragmas)
        _ = try copier.int("PRAGMA user_version")
        try place.check()
      } catch {
        copier.close()
        throw error
      }
      copier.suspension = suspension
      return copier
    }
    open = Mutex(Open(connection: connection, writer: try EventWriter(connection), copier: copier))
    drive = durability == .power ? DriveFlush(logPath: place.file) : nil
    reached = Mutex(durability)
  }

  /// Commits groups of appends in one transaction, and returns the results of every group.
  ///
  /// A refused append leaves no trace and doesn't affect other groups, but it ends its own group. If the transaction
  /// can't be committed, one of the groups might be the reason. In that case, each group is retried in its own
  /// transaction.
  func commit(_ groups: [PreparedGroup]) -> [[Result<Receipt, any Error>]] {
    open.withLock { open in
      guard let open else { return groups.map { _ in [.failure(ConnectionPool.closed(path))] } }
      do {
        return try together(groups, open, isCareful: false)
      } catch let error as EventStoreError where [.busy, .replaced, .suspended].contains(error.code) {
        return groups.map { _ in [.failure(error)] }
      } catch {
        return groups.map { group in
          do {
            return try together([group], open, isCareful: true)[0]
          } catch {
            return [.failure(error)]
          }
        }
      }
    }
  }

  private func together(
    _ groups: [PreparedGroup], _ open: Open, isCareful: Bool
  ) throws -> [[Result<Receipt, any Error>]] {
    let members = open.members
    do {
      let answers = try write(open) {
        try open.writer.begin()
        let answers = try groups.map { try open.writer.write($0, isCareful: isCareful) }
        try fold(members, open.connection)
        return answers
      }
      for case .success(let receipt) in answers.joined() where receipt.count > 0 {
        end.withLock { $0.move(to: receipt.position, at: open.writer.rebases) }
      }
      for member in members { member.settle(isCommitted: true) }
      flushDrive()
      return answers
    } catch {
      open.writer.forget()
      // The transaction was rolled back, so its names can later get other keys.
      open.connection.forgetNames()
      for member in members { member.settle(isCommitted: false) }
      throw error
    }
  }

  /// Runs a closure in a transaction, and returns only if the commit is in the files that the log's path refers to.
  ///
  /// If an open file is removed, programs that have the file open can still use it, and the system deletes the file
  /// when they close it. So the files are checked before the transaction, because no more data must be written to a
  /// removed file. They are checked a second time after the commit, before the commit is acknowledged.
  private func write<T: Sendable>(_ open: Open, _ body: () throws -> T) throws -> T {
    try suspension.check(path)
    let size = try files(open)
    try open.copier.open()
    let connection = open.connection
    let isShort = try size < connection.commitBytes()
    let result: T
    do {
      result = try connection.write {
        // Another process might have truncated the file after it copied all commits. In that case, the process has
        // committed since this connection's last commit.
        if isShort, connection.isAsCommitted { throw place.shortened }
        return try body()
      }
    } catch let error as EventStoreError where error.code == .busy {
      // A suspension might have ended the wait for another process's lock.
      try suspension.check(path)
      throw error
    }
    if try files(open) < connection.commitBytes() {
      try connection.write { if connection.isAsCommitted { throw place.shortened } }
    }
    return result
  }

  /// Returns the size of the `-wal` file, or throws if one of the log's files was removed or replaced.
  private func files(_ open: Open) throws -> Int {
    var size: Int?
    guard let change = place.find(&size) else { return size ?? .max }
    throw place.error(change, isSaved: Self.save(open, place, change))
  }

  /// Copies commits from a removed `-wal` file into the log's own file, if no other process has committed since.
  ///
  /// The log's own file must still be the file that was opened. As long as the `-shm` file is the same, all processes
  /// respect the locks in it, and find all processes' commits in it. If the `-shm` file was removed too, no other
  /// process has opened the log since then.
  ///
  /// - Returns: True if all commits of this store are in the log's own file.
  private static func save(_ open: Open, _ place: LogLocation, _ change: LogLocation.Change) -> Bool {
    guard change.file != .log, place.isSharedAsBefore || (place.isAlone && !change.isReplaced) else { return false }
    guard (try? open.connection.execute("BEGIN IMMEDIATE")) != nil else { return false }
    defer { open.connection.rollback() }
    return open.connection.isAsCommitted && (try? open.copier.connection?.checkpoint()) == true
  }

  /// Enlarges the page cache of the writing connection, for commits that change thousands of pages.
  ///
  /// With a small cache, SQLite writes pages to the disk before the commit and rereads them.
  func enlargeCache() throws {
    let isNew = hasLargeCache.withLock { known in
      defer { known = true }
      return !known
    }
    if isNew { try use(writes: false) { try $0.execute("PRAGMA cache_size = -65536") } }
  }

  /// Flushes the drive's cache if a sync doesn't, and lowers the reached durability if that fails.
  func flushDrive() {
    if let drive, !drive.flush() { reached.withLock { $0 = min($0, .system) } }
  }

  /// Updates inline lists, which may read pages of saved lists.
  private func fold(_ members: [any InlineListMember], _ connection: SQLiteConnection) throws {
    if members.isEmpty { return }
    isForeign.store(true, ordering: .relaxed)
    defer { isForeign.store(false, ordering: .relaxed) }
    let log = SQLiteLog(connection)
    defer { log.end() }
    for member in members { try member.fold(log, saving: CacheTables(connection)) }
  }

  /// Adds an inline list, which every later transaction updates.
  func add(_ member: any InlineListMember) throws {
    try open.withLock { open in
      guard let connection = open?.connection else { throw ConnectionPool.closed(path) }
      do {
        if let open { try write(open) { try fold([member], connection) } }
      } catch {
        connection.forgetNames()
        member.settle(isCommitted: false)
        throw error
      }
      member.settle(isCommitted: true)
      open?.inline.removeAll { $0.member == nil }
      open?.inline.append(Weak(member: member))
    }
  }

  /// Starts to copy commits from the `-wal` file into the log's own file, if the `-wal` file is long.
  ///
  /// Another thread copies the commits, so that the committing thread does not wait: copying a thousand pages takes 5
  /// ms and two syncs. A command that arrives during the copy waits until the copy is complete. If the next thousand
  /// pages are written before the other thread starts, the committing thread copies the commits, so that the `-wal`
  /// file doesn't grow without limit.
  ///
  /// Versions of SQLite before 3.51.3 can damage a database (sqlite.org/wal.html, "the WAL-reset bug"). The damage
  /// occurs if one connection copies commits at the moment when another connection begins to overwrite commits that
  /// were copied before. So here, no connection copies without a lock. A transaction that writes no data holds the
  /// write lock while a second connection copies. During that time, no connection of any process can begin to write.
  /// The last connection also copies when it closes, under a lock that it gets only if no other connection has the log
  /// open.
  func checkpointIfDue() {
    let isLeft = open.withLock { open -> Bool in
      guard let pages = open?.connection.logPages, let due = open?.checkpointDue else { return false }
      defer { open?.lastPages = pages }
      if pages < open?.lastPages ?? 0 {
        // The `-wal` file has restarted from its beginning.
        open?.checkpointDue = Self.checkpointPages
      }
      if pages < due { return false }
      // A reader can prevent the copy. The next attempt waits for the same number of pages.
      open?.checkpointDue = pages + Self.checkpointPages
      if open?.isCopyComing == true {
        // Pages that are not copied now are copied later.
        if let open { try? checkpoint(open) }
        return false
      }
      open?.isCopyComing = true
      return true
    }
    if !isLeft { return }
    let handOver = handOver.withLock { $0 }
    handOver { self.copy() }
  }

  /// Copies commits on the thread that `checkpointIfDue()` started, unless the log was closed in the meantime.
  private func copy() {
    open.withLock { open in
      open?.isCopyComing = false
      // The commits are copied when the store is resumed.
      if suspension.isOn { open?.checkpointDue = Self.checkpointPages }
      if let open { try? checkpoint(open) }
    }
  }

  private func checkpoint(_ open: Open) throws {
    try suspension.check(path)
    let copier = try open.copier.open()
    try Self.note(isOpen: true, open.connection)
    try open.connection.execute("BEGIN IMMEDIATE")
    defer { open.connection.rollback() }
    try copier.checkpoint()
  }

  /// Records in the log whether its `-wal` file might contain commits.
  ///
  /// While a process writes, the log's own file contains this record. If a file contains the record but has no `-wal`
  /// file, it was copied or moved without its last commits.
  private static func note(isOpen: Bool, _ connection: SQLiteConnection) throws {
    let value = isOpen ? "1" : "0"
    guard try connection.int("SELECT count(*) FROM meta WHERE name = 'open' AND value <> '\(value)'") == 1 else {
      return
    }
    try connection.write { try connection.execute("UPDATE meta SET value = '\(value)' WHERE name = 'open'") }
  }

  /// Copies commits from the `-wal` file into the log's own file immediately.
  func checkpoint() throws {
    try open.withLock { open in
      if let open { try checkpoint(open) }
    }
  }

  /// Waits until the write in progress is committed.
  func finishWrites() { open.withLock { _ in } }

  /// Runs a closure that changes existing events in a transaction, which also updates all inline lists.
  func transaction<T: Sendable>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try open.withLock { open in
      guard let open else { throw ConnectionPool.closed(path) }
      isForeign.store(true, ordering: .relaxed)
      defer { isForeign.store(false, ordering: .relaxed) }
      let members = open.members
      // The closure might have removed a stream, whose version is 0 afterwards.
      defer { open.writer.forget() }
      do {
        let result = try write(open) {
          let result = try body(open.connection)
          try fold(members, open.connection)
          return result
        }
        for member in members { member.settle(isCommitted: true) }
        return result
      } catch {
        open.connection.forgetNames()
        for member in members { member.settle(isCommitted: false) }
        throw error
      }
    }
  }

  /// Runs a closure in a transaction that does not update inline lists.
  func write<T: Sendable>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try open.withLock { open in
      guard let open else { throw ConnectionPool.closed(path) }
      isForeign.store(true, ordering: .relaxed)
      defer {
        isForeign.store(false, ordering: .relaxed)
        open.writer.forgetRevision()
      }
      return try write(open) { try body(open.connection) }
    }
  }

  /// Runs a closure with the open connections, or returns `nil` if other code uses them.
  func useIfFree<T: Sendable>(_ body: (Open) throws -> T?) throws -> T? {
    if isForeign.load(ordering: .relaxed) { return nil }
    let found = try open.withLockIfAvailable { open in try open.flatMap(body) }
    return found ?? nil
  }

  /// Runs a closure with the connection that appends.
  ///
  /// With `writes: false`, the closure takes no write lock, so it may run while the store is suspended.
  func use<T>(writes: Bool = true, _ body: (SQLiteConnection) throws -> T) throws -> T {
    try open.withLock { open in
      guard let open else { throw ConnectionPool.closed(path) }
      if writes { try suspension.check(path) }
      isForeign.store(true, ordering: .relaxed)
      defer {
        isForeign.store(false, ordering: .relaxed)
        open.writer.forgetRevision()
      }
      return try body(open.connection)
    }
  }

  /// Copies all commits into the log's own file, for a log that no other connection uses.
  ///
  /// - Throws: ``EventStoreError`` if some commits could not be copied.
  func checkpointWhole() throws {
    try open.withLock { open in
      guard let open else { throw ConnectionPool.closed(path) }
      try suspension.check(path)
      let copier = try open.copier.open()
      try Self.note(isOpen: false, open.connection)
      try copier.checkpointWhole()
    }
  }

  func close() {
    open.withLock { open in
      guard let closing = open else { return }
      open = nil
      closing.connection.hurry()
      if let change = place.find(nil) {
        if !suspension.isOn { _ = Self.save(closing, place, change) }
        // The content of a removed file must not be mixed with commits of programs that opened the log later.
        for connection in closing.connections { connection.keepsLogOnClose(true) }
      } else if suspension.isOn || (try? Self.note(isOpen: false, closing.connection)) == nil {
        // The log's file still records that commits might be next to it, so the `-wal` file must remain. Otherwise the
        // last connection would remove it when it closes.
        for connection in closing.connections { connection.keepsLogOnClose(true) }
      }
      place.forgetCompanions()
      // If another process has the log open, it records that the log is open before any commits are copied.
      for connection in closing.connections { connection.close() }
    }
  }
}

public import AnnalsLog
import Foundation
import Synchronization

/// An event store in one SQLite file.
///
/// Any number of threads and processes can append and read at the same time, and readers are never blocked. The store's
/// ``durability`` determines which kinds of failure an acknowledged append survives. See `Docs/FileFormat.md` and
/// `Docs/Durability.md`.
///
///     let store = try SQLiteEventStore(path: "todo.annals")
///     try store.execute(.add(id: "1", title: "Buy milk"), on: TodoList["home"])
public final class SQLiteEventStore: EventStore {
  /// The source in the identities (`EventID`) that this store creates for events.
  ///
  /// The source is generated when the log is created, and stored in the log.
  public let source: String
  /// The store's dependencies, including its clock, its identifier generator and a closure that tests can run at every
  /// step of a command.
  public let environment: StoreEnvironment
  /// The parts of the store that exist only in memory, such as its threads and the closures to call after commits.
  ///
  /// To be notified of commits, register a closure with `StoreRuntime.watch(_:)`.
  public let runtime = StoreRuntime()
  /// The kinds of failure that an acknowledged append must survive.
  public let durability: Durability
  let place: LogLocation
  var path: String { place.path }
  let pool: ConnectionPool
  /// The writer, or `nil` in a store that was opened for reading only.
  let writer: LogWriter?
  private let queue: WriteQueue?
  /// The observer of other processes, or `nil` if the store was opened without `observesExternalWriters`.
  let others: OtherProcesses?
  let times = TimeMarks()
  let suspension: Suspension
  let locks: FollowerLocks
  /// True if the log's last writer did not close it, and the `-wal` file with its last commits was missing.
  package let mayLackCommits: Bool
  /// True for a reader that removes the files that SQLite creates for its reads, because no `-wal` file had commits.
  private let tidiesUp: Bool

  /// Opens a log, or creates the log if the file doesn't exist.
  ///
  /// If the file isn't an event log, the call throws an error and leaves the file unchanged. A log in an older format
  /// is migrated to the current format.
  ///
  /// - Parameters:
  ///   - path: The log's file path. A relative path is resolved once, against the current working directory, so the
  ///     store keeps its log even if the process changes the directory later. The path isn't expanded: `:memory:` and
  ///     `file::memory:?cache=shared` create files with these names, and `~` isn't replaced with the home directory.
  ///     For a log in memory, use `MemoryEventStore`.
  ///   - durability: The kinds of failure that an acknowledged append must survive.
  ///   - patience: The maximum time to wait for other processes' writes. After this time, an append throws
  ///     `EventStoreError` (`.busy`).
  ///   - environment: The store's dependencies, including its clock, its identifier generator and a closure that tests
  ///     can run at every step of a command.
  ///   - observesExternalWriters: True to notify controllers and followers of appends by other stores and processes
  ///     (``externalWriters``). If false, this store notifies them only of its own commits. In that case, controllers
  ///     and followers handle the commits of other stores after this store's next commit. A controller also handles
  ///     them when you refresh it.
  /// - Throws: `EventStoreError`.
  public init(
    path: String, durability: Durability = .power, patience: Duration = .seconds(60),
    environment: StoreEnvironment = StoreEnvironment(), observesExternalWriters: Bool = true
  ) throws {
    let path = try LogLocation.absolute(path)
    let file = FileSystem.withoutLinks(path)
    try Schema.checkHeader(file, path: path)
    try LogLocation.checkNames(file, path: path)
    let hadCommits = FileSystem.status(file + "-wal") != nil
    var connection = try SQLiteConnection(path: file, access: .create, patience: patience)
    var opened = try Schema.prepare(connection, path: path, durability: durability, makeID: environment.makeID)
    // Another process may have opened the log, and recorded that it's open, since the `-wal` file was looked for.
    let hasOthersCommits = !opened.wrote && FileSystem.size(file + "-wal") > 0
    if !opened.hasPageChecksums || !opened.hasTypeStretches || !opened.isCurrent {
      connection.close()
      if !opened.hasPageChecksums { try PageChecksums.add(to: file, durability: durability) }
      if !opened.hasTypeStretches { try TypeStretches.complete(file, durability: durability) }
      if !opened.isCurrent { try ExclusiveMigration.run(in: file, durability: durability) }
      connection = try SQLiteConnection(path: file, access: .write, patience: patience)
      opened = try Schema.prepare(connection, path: path, durability: durability, makeID: environment.makeID)
    }
    let place = LogLocation(path)
    let suspension = Suspension()
    let writer = try LogWriter(
      place, connection: connection, durability: durability, patience: patience,
      hasPageChecksums: opened.hasPageChecksums, suspension: suspension)
    // The first commits are copied into the log's own file, so that the file itself identifies its format, and not only
    // the commits next to it.
    do {
      if opened.wrote { try writer.checkpoint() }
    } catch {
      // Without this call, the log would record that a writer didn't close it.
      writer.close()
      throw error
    }
    source = opened.source
    mayLackCommits = opened.isOpen && !hadCommits && !hasOthersCommits
    self.environment = environment
    self.durability = durability
    self.place = place
    self.suspension = suspension
    locks = FollowerLocks(place, suspension: suspension)
    self.writer = writer
    queue = WriteQueue(writer)
    pool = ConnectionPool(place, access: .read, patience: patience, hasPageChecksums: opened.hasPageChecksums)
    others =
      observesExternalWriters
      ? OtherProcesses(place, pool: pool, runtime: runtime) { [weak writer] in writer?.ownEnd ?? .init() } : nil
    tidiesUp = false
  }

  /// Opens an existing log for reading only.
  ///
  /// The store never creates the log's file or writes to it. The store's reads include events that other processes
  /// append.
  ///
  /// While a log is open, SQLite needs a `-wal` file and a `-shm` file next to the log. SQLite creates these files, and
  /// removes them when no process has the log open. In a folder without write permission, SQLite can't create these
  /// files. If the folder contains no `-wal` file, the store then reads only the log's own file.
  ///
  /// - Parameters:
  ///   - path: The log's file path. A relative path is resolved once, against the current working directory.
  ///   - environment: The store's dependencies, including a closure for failure reports and a closure that tests can
  ///     run at every step of a command.
  ///   - observesExternalWriters: True to notify controllers and followers of appends by other processes
  ///     (``externalWriters``).
  /// - Throws: `EventStoreError`, with the code `notFound` if the file doesn't exist.
  public init(
    readingFrom path: String, environment: StoreEnvironment = StoreEnvironment(), observesExternalWriters: Bool = true
  ) throws {
    let path = try LogLocation.absolute(path)
    let place = LogLocation(path)
    switch try Schema.checkHeader(place.file, path: path) {
    case .missing: throw EventStoreError(.notFound, "\(path): the file doesn't exist. Check the path")
    case .empty: throw EventStoreError(.notALog, "\(path): expected an event log, found an empty file. Check the path")
    case .log: break
    }
    try LogLocation.checkNames(place.file, path: path)
    let commits = FileSystem.status(place.commits)
    let isStill = commits == nil
    let isWritable = FileManager.default.isWritableFile(atPath: place.folder)
    let access: SQLiteConnection.Access = isStill && !isWritable ? .immutable : .read
    // A killed reader might have left an empty `-wal` file.
    let tidiesUp =
      (commits?.size ?? 0) == 0 && isWritable && FileManager.default.isWritableFile(atPath: place.file)
    let connection = try SQLiteConnection(path: place.file, access: access)
    let opened: Schema.Opened
    do {
      opened = try Schema.opened(connection, path: path)
      if access != .immutable { try place.noteCompanions(connection) }
    } catch {
      connection.close()
      if tidiesUp { Self.tidy(place) }
      throw error
    }
    source = opened.source
    // If the `-wal` file has commits now, another process has opened the log in the meantime.
    mayLackCommits = opened.isOpen && isStill && FileSystem.size(place.commits) == 0
    self.environment = environment
    durability = .power
    self.place = place
    suspension = Suspension()
    locks = FollowerLocks(place, suspension: suspension)
    writer = nil
    queue = nil
    pool = ConnectionPool(
      place, access: access, patience: .seconds(60), hasPageChecksums: opened.hasPageChecksums, first: connection)
    others = observesExternalWriters ? OtherProcesses(place, pool: pool, runtime: runtime) : nil
    self.tidiesUp = tidiesUp
  }

  deinit { close() }

  /// The durability level of the appends acknowledged so far, which can be lower than the requested ``durability``.
  ///
  /// On Linux, the value is the requested durability. The store can't detect a disk that loses data after it reports
  /// the data as written. On Apple's systems, the value is `system` instead of `power` if the drive can't flush its
  /// cache on demand.
  public var reachedDurability: Durability { writer?.reached.withLock { $0 } ?? durability }

  /// Closes the log after the appends in progress are completed.
  ///
  /// Later appends throw `EventStoreError` (`.closed`). A store also closes when it is deallocated.
  public func close() {
    locks.close()
    others?.close()
    if writer == nil { place.forgetCompanions() }
    pool.close()
    queue?.close()
    if tidiesUp, !suspension.isOn { Self.tidy(place) }
  }

  /// Closes the log, or throws if some commits are only in the `-wal` file and not yet in the log's own file.
  ///
  /// ``close()`` leaves such commits in the `-wal` file, where the next store finds them.
  func closeWhole() throws {
    others?.close()
    pool.close()
    try writer?.checkpointWhole()
    close()
  }

  /// Removes the `-wal` and `-shm` files that SQLite created next to a log for a reader.
  ///
  /// A read-only connection leaves these files behind. So a connection with write permission opens and closes the log.
  /// When the last connection closes, SQLite removes the files, under a lock that SQLite gets only if no other
  /// connection has the log open. A `-wal` file that isn't empty belongs to a writer, so the method doesn't change the
  /// file.
  private static func tidy(_ place: LogLocation) {
    guard place.isKept, FileSystem.status(place.commits)?.size == 0,
      let last = try? SQLiteConnection(path: place.file, access: .write)
    else { return }
    // The result doesn't matter, and neither does an error, because a log can be damaged.
    _ = try? last.int("PRAGMA schema_version")
    last.close()
  }

  /// Commits an append, or throws and leaves the log unchanged.
  ///
  /// Concurrent appends from several threads are committed together, with one disk sync.
  public func commit(_ append: Append) throws -> Receipt {
    try writing().commit(PreparedAppend(append, source: source, environment: environment)).reaching(reachedDurability)
  }

  /// Returns the queue that accepts appends, or throws in a store that was opened for reading only.
  func writing() throws -> WriteQueue {
    guard let queue else {
      throw EventStoreError(
        .readOnly, "\(path): the log was opened for reading only; open it with SQLiteEventStore(path:)")
    }
    return queue
  }
}

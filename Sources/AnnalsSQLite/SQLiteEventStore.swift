public import Annals
import Foundation
import Synchronization

/// An event store in one SQLite file.
///
/// Any number of threads and processes may append and read at the same time. Readers are never blocked. An acknowledged
/// append survives what ``durability`` says. See `Docs/FileFormat.md` and `Docs/Durability.md`.
///
///     let store = try SQLiteEventStore(path: "todo.annals")
///     try store.execute(.add(id: "1", title: "Buy milk"), on: TodoList.self, id: "home")
public final class SQLiteEventStore: EventStore {
  /// The source that events made in this log carry, chosen when it was created.
  public let source: String
  /// The time, the identifiers and the hook that the store uses.
  public let environment: StoreEnvironment
  /// Notifies those who watch the store of its commits.
  public let signal = CommitSignal()
  /// What an acknowledged append is to survive.
  public let durability: Durability
  let place: LogPlace
  var path: String { place.path }
  let pool: ConnectionPool
  /// Nil in a store that only reads.
  let writer: LogWriter?
  private let queue: WriteQueue?
  /// Nil if the store does not hear others.
  let others: OtherProcesses?
  let times = TimeMarks()
  /// True if the log's last writer did not end it, and its file of commits was not there.
  package let mayLackCommits: Bool
  /// True for a reader that found nothing beside the log, and leaves nothing there.
  private let tidiesUp: Bool

  /// Opens a log, or creates it.
  ///
  /// A file that is not an event log is refused and not touched. A log of an older format is brought up to date.
  ///
  /// - Parameters:
  ///   - path: The file. A relative path is taken from the working folder of this moment. The store keeps its log if
  ///     the process changes the folder later. The path is only a file's name: `:memory:` and
  ///     `file::memory:?cache=shared` make files of these names, and `~` isn't a home folder. For a log in memory use
  ///     `MemoryEventStore`.
  ///   - durability: What an acknowledged append is to survive.
  ///   - patience: For how long to wait while other processes write, before an append throws the error `busy`.
  ///   - environment: The time, the identifiers and the hook.
  ///   - hearsOtherWriters: True if controllers and followers are to hear what other stores and processes append, see
  ///     ``otherWriters``. With false they hear of this store's commits alone, and of others' with the next of these or
  ///     with a refresh.
  /// - Throws: `EventStoreError`.
  public init(
    path: String, durability: Durability = .power, patience: Duration = .seconds(60),
    environment: StoreEnvironment = StoreEnvironment(), hearsOtherWriters: Bool = true
  ) throws {
    let path = try LogPlace.absolute(path)
    let file = FileSystem.withoutLinks(path)
    try Schema.checkHeader(file, path: path)
    try LogPlace.checkNames(file, path: path)
    let hadCommits = FileSystem.status(file + "-wal") != nil
    var connection = try SQLiteConnection(path: file, access: .create, patience: patience)
    var opened = try Schema.prepare(connection, path: path, durability: durability, makeID: environment.makeID)
    if !opened.hasPageChecksums || !opened.hasTypeStretches || !opened.hasShortEvents {
      connection.close()
      if !opened.hasPageChecksums { try PageChecksums.add(to: file, durability: durability) }
      if !opened.hasTypeStretches { try TypeStretches.complete(file, durability: durability) }
      if !opened.hasShortEvents { try ShortEvents.make(in: file, durability: durability) }
      connection = try SQLiteConnection(path: file, access: .write, patience: patience)
      opened = try Schema.prepare(connection, path: path, durability: durability, makeID: environment.makeID)
    }
    let place = LogPlace(path)
    let writer = try LogWriter(
      place, connection: connection, durability: durability, patience: patience,
      hasPageChecksums: opened.hasPageChecksums)
    // So that the file itself says what it is, and not only the commits beside it.
    do {
      if opened.wrote { try writer.checkpoint() }
    } catch {
      // Otherwise the log would say that a writer did not end it.
      writer.close()
      throw error
    }
    source = opened.source
    mayLackCommits = opened.isOpen && !hadCommits
    self.environment = environment
    self.durability = durability
    self.place = place
    self.writer = writer
    queue = WriteQueue(writer)
    pool = ConnectionPool(place, access: .read, patience: patience, hasPageChecksums: opened.hasPageChecksums)
    others =
      hearsOtherWriters
      ? OtherProcesses(place, pool: pool, signal: signal) { [weak writer] in writer?.ownEnd ?? 0 } : nil
    tidiesUp = false
  }

  /// Opens a log that is there, for reading only.
  ///
  /// The file is never written to or created. You see what other processes append. SQLite puts files beside a log while
  /// it is open. They are gone again when no process has the log open any more. In a folder that cannot be written to,
  /// a log that no process has open is read as it is.
  ///
  /// - Parameters:
  ///   - path: The file. A relative path is taken from the working folder of this moment.
  ///   - environment: Where stops are reported, and a hook.
  ///   - hearsOtherWriters: True if controllers and followers are to hear what other processes append, see
  ///     ``otherWriters``.
  /// - Throws: `EventStoreError`, with the code `notFound` if there is no such file.
  public init(
    readingFrom path: String, environment: StoreEnvironment = StoreEnvironment(), hearsOtherWriters: Bool = true
  ) throws {
    let path = try LogPlace.absolute(path)
    let place = LogPlace(path)
    switch try Schema.checkHeader(place.file, path: path) {
    case .missing: throw EventStoreError(.notFound, "\(path): there is no such file")
    case .empty: throw EventStoreError(.notALog, "\(path): expected an event log, found an empty file")
    case .log: break
    }
    try LogPlace.checkNames(place.file, path: path)
    let commits = FileSystem.status(place.commits)
    let isStill = commits == nil
    let isWritable = FileManager.default.isWritableFile(atPath: place.folder)
    let access: SQLiteConnection.Access = isStill && !isWritable ? .immutable : .read
    // A reader that was killed may have left an empty file.
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
    mayLackCommits = opened.isOpen && isStill
    self.environment = environment
    durability = .power
    self.place = place
    writer = nil
    queue = nil
    pool = ConnectionPool(
      place, access: access, patience: .seconds(60), hasPageChecksums: opened.hasPageChecksums, first: connection)
    others = hearsOtherWriters ? OtherProcesses(place, pool: pool, signal: signal) { 0 } : nil
    self.tidiesUp = tidiesUp
  }

  deinit { close() }

  /// What acknowledged appends have survived so far, which may be less than ``durability`` asks for.
  ///
  /// On Linux it is what you asked for, as far as the disk keeps what it says it has written. On Apple's systems a
  /// drive that cannot empty its memory on demand turns `power` into `system`.
  public var reachedDurability: Durability { writer?.reached.withLock { $0 } ?? durability }

  /// Closes the log: appends that are under way are answered, later ones are refused with the code `closed`.
  ///
  /// A store that is not held any more closes by itself.
  public func close() {
    others?.close()
    if writer == nil { place.forgetCompanions() }
    pool.close()
    queue?.close()
    if tidiesUp { Self.tidy(place) }
  }

  /// Closes the log, or throws if a part of it is not in the log's own file.
  ///
  /// ``close()`` leaves such a part in the file of commits, where the next store finds it.
  func closeWhole() throws {
    others?.close()
    pool.close()
    try writer?.checkpointWhole()
    close()
  }

  /// Removes the files that SQLite made beside a log for a reader.
  ///
  /// A connection that may not write leaves SQLite's files behind. The last one that may write removes them, under a
  /// lock that it gets only if no other connection has the log open. A file that is not empty belongs to a writer, and
  /// is left to writers.
  private static func tidy(_ place: LogPlace) {
    guard place.isKept, FileSystem.status(place.commits)?.size == 0,
      let last = try? SQLiteConnection(path: place.file, access: .write)
    else { return }
    // What it reads does not matter, nor whether it can: a log may be damaged.
    _ = try? last.int("PRAGMA schema_version")
    last.close()
  }

  /// Commits an append, or throws and changes nothing.
  ///
  /// Appends of several threads are committed together, so that the disk is asked once for all of them.
  public func commit(_ append: Append) throws -> Receipt {
    try writing().commit(PreparedAppend(append, source: source, environment: environment)).reaching(reachedDurability)
  }

  /// What takes appends; throws in a store that only reads.
  func writing() throws -> WriteQueue {
    guard let queue else {
      throw EventStoreError(.readOnly, "\(path): was opened for reading only; open it with SQLiteEventStore(path:)")
    }
    return queue
  }
}

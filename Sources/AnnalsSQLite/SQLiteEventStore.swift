public import Annals
import Foundation
import Synchronization

/// An event store in one SQLite file.
///
/// An acknowledged append survives the end of the process and the loss of power, as far as the disk keeps what it says it
/// has written: the log is in WAL mode with synchronous level FULL (sqlite.org/pragma.html#pragma_synchronous).
public final class SQLiteEventStore: EventStore {
  /// The source that events made in this log carry, chosen when it was created.
  public let source: String
  /// The time, the identifiers and the hook that the store uses.
  public let environment: StoreEnvironment
  /// Tells those who watch the store of its commits.
  public let signal = CommitSignal()
  private let connection: Mutex<SQLiteConnection>
  private let path: String
  private let isReadOnly: Bool
  /// True for a reader that found nothing beside the log, and leaves nothing there.
  private let tidiesUp: Bool

  /// Opens a log, or creates it.
  ///
  /// A file that is not an event log is refused and not touched.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - environment: The time, the identifiers and the hook.
  /// - Throws: ``EventStoreError``.
  public init(path: String, environment: StoreEnvironment = StoreEnvironment()) throws {
    try Schema.checkHeader(path: path)
    let connection = try SQLiteConnection(path: path, access: .readWrite)
    source = try Schema.prepare(connection, path: path, makeID: environment.makeID)
    self.environment = environment
    self.connection = Mutex(connection)
    self.path = path
    isReadOnly = false
    tidiesUp = false
  }

  /// Opens a log that is there, for reading only.
  ///
  /// The file is never written to or created. What other processes append is seen. The files that SQLite puts beside a log
  /// while it is open are gone when nobody has it open any more, as they were before. In a folder that cannot be written
  /// to, a log that nobody has open is read as it lies.
  ///
  /// - Parameter path: The file.
  /// - Throws: ``EventStoreError``, with the code `notFound` if there is no such file.
  public init(readingFrom path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      throw EventStoreError(.notFound, "\(path): there is no such file")
    }
    let isEmpty = try Schema.checkHeader(path: path)
    if isEmpty { throw EventStoreError(.notALog, "\(path): expected an event log, found an empty file") }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let isStill = !FileManager.default.fileExists(atPath: path + "-wal")
    let isWritable = FileManager.default.isWritableFile(atPath: folder)
    let access: SQLiteConnection.Access = isStill && !isWritable ? .immutable : .readOnly
    let connection = try SQLiteConnection(path: path, access: access)
    source = try Schema.source(connection, path: path)
    environment = StoreEnvironment()
    self.connection = Mutex(connection)
    self.path = path
    isReadOnly = true
    tidiesUp = isStill && isWritable && FileManager.default.isWritableFile(atPath: path)
  }

  deinit {
    guard tidiesUp else { return }
    // A connection that may not write leaves SQLite's files behind; the last one that may takes them away, under a lock
    // that it gets only if nobody has the log open. A file with something in it is a writer's, and is left to writers.
    connection.withLock { reader in
      let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
      guard size == 0, let last = try? SQLiteConnection(path: path, access: .existing) else { return }
      _ = try? last.int("SELECT count(*) FROM meta")
      reader.close()
      last.close()
    }
  }

  /// Commits an append, or throws and changes nothing.
  public func commit(_ append: Append) throws -> Receipt {
    if isReadOnly {
      throw EventStoreError(.readOnly, "\(path): was opened for reading only; open it with SQLiteEventStore(path:)")
    }
    try append.validate()
    let entries = append.entries.map { entry in
      (
        entry: entry, id: entry.event.id ?? EventID(source: source, id: environment.makeID()),
        time: entry.event.time ?? environment.now()
      )
    }
    return try connection.withLock { connection in
      try connection.write { try EventWriter(connection).write(append, entries) }
    }
  }

  /// The position of the last event, 0 in an empty log.
  public func head() throws -> Position {
    try connection.withLock { try EventWriter($0).head() }
  }

  /// The number of events in a stream.
  public func version(of stream: StreamName) throws -> Int {
    try connection.withLock { try EventWriter($0).version(of: stream) }
  }

  /// The place of the event with an identity, or nil.
  public func position(of id: EventID) throws -> Position? {
    try connection.withLock { try EventWriter($0).position(of: id) }
  }

  /// Reads a page of events in the order of their positions.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    precondition(limit > 0, "a page has room for at least one event, a limit of \(limit) does not")
    return try connection.withLock {
      try EventReader($0).events(query, after: after, through: through, limit: limit)
    }
  }
}

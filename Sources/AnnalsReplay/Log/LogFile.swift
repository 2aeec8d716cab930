import Annals
import AnnalsSQLite

/// A log that a command may create.
///
/// The file is created only when there is something to append.
///
/// So a command that fails before that leaves no empty log behind. It also need not delete one, which another process
/// may have opened.
final class LogFile {
  private let path: String
  /// The log; nil if it was not created yet.
  private(set) var store: (any EventStore)?

  /// Opens a log that must exist; some commands must not create one.
  init(existing path: String) throws {
    self.path = path
    store = try Self.openExisting(path)
  }

  /// Opens a log if it exists; does nothing otherwise.
  init(_ path: String) throws {
    self.path = path
    if let file = Platform.file(path), file.size > 0 || !file.isRegular { store = try Self.open(path) }
  }

  /// The log, created now if it does not exist.
  func create() throws -> any EventStore {
    if let store { return store }
    let created = try Self.open(path)
    store = created
    return created
  }

  /// Appends to the log.
  ///
  /// Creates it if it does not exist and the append is valid.
  func append(_ append: Append) throws -> Receipt {
    if store == nil {
      try append.validate()
      _ = try append.cutPersonalFields()
    }
    return try create().append(append)
  }

  /// Opens a log that must exist, for writing.
  static func openExisting(_ path: String) throws -> SQLiteEventStore {
    guard let file = Platform.file(path) else { throw ReplayError(.inputOutput, "\(path): there is no such file") }
    if file.isRegular, file.size == 0, Platform.file(path + "-wal") == nil {
      throw ReplayError(.unreadable, "\(path): expected an event log, found an empty file")
    }
    return try open(path)
  }

  /// Opens a log for writing, or creates it.
  private static func open(_ path: String) throws -> SQLiteEventStore {
    try check(path)
    do {
      return try SQLiteEventStore(path: path)
    } catch let error as EventStoreError where error.code == .readOnly {
      throw ReplayError(.inputOutput, "\(path): cannot be written; change its permissions")
    }
  }

  /// Throws if the path is not a file, or if the file is too short for a log: a file with some bytes is not an empty
  /// log.
  static func check(_ path: String) throws {
    guard let file = Platform.file(path), !file.isFolder else { return }
    guard file.isRegular else {
      throw ReplayError(.inputOutput, "\(path): expected a file, found a device, a pipe or a socket")
    }
    // SQLite's header has a hundred bytes (sqlite.org/fileformat.html, 1.3).
    if (1..<100).contains(file.size) {
      throw ReplayError(
        .unreadable,
        "\(path): is not an event log: expected a SQLite database, found a file of \(Text.counted(file.size, "byte"))")
    }
  }
}

import Annals
import AnnalsSQLite

/// A log that a command may begin: it is created only when something is to be put into it.
///
/// So a command that fails before leaves no empty log behind, and none has to be removed, which another process may have opened.
final class LogFile {
  private let path: String
  /// The log; nil as long as it was not created.
  private(set) var store: (any EventStore)?

  /// A log that must be there: a command that does not begin one must not create it.
  init(existing path: String) throws {
    self.path = path
    store = try Self.openExisting(path)
  }

  /// Opens a log that is there; of one that is not, nothing is done yet.
  init(_ path: String) throws {
    self.path = path
    if let file = Platform.file(path), file.size > 0 || !file.isRegular { store = try Self.open(path) }
  }

  /// The log, which is created now if it is not there.
  func create() throws -> any EventStore {
    if let store { return store }
    let created = try Self.open(path)
    store = created
    return created
  }

  /// Appends to the log; one that is not there is created for what it can take.
  func append(_ append: Append) throws -> Receipt {
    if store == nil {
      try append.validate()
      _ = try append.personalFields()
    }
    return try create().append(append)
  }

  /// Opens a log that must be there, for writing.
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

  /// Refuses what is no file, and one that is too short for a log: a file that has something is not called empty.
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

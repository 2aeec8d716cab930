import AnnalsLog
import Synchronization

/// A pool of read connections, with a connection per concurrent reader and a few idle connections for later readers.
final class ConnectionPool: Sendable {
  private struct State {
    var idle: [SQLiteConnection] = []
    var isClosed = false
    var access: SQLiteConnection.Access
  }

  private let path: String
  /// The log's path, and the file that the path referred to when the log was opened.
  private let place: LogLocation
  private let patience: Duration
  private let hasPageChecksums: Bool
  private let state: Mutex<State>
  /// The maximum number of idle connections.
  private static let idleLimit = 4

  init(
    _ place: LogLocation, access: SQLiteConnection.Access, patience: Duration, hasPageChecksums: Bool,
    first: SQLiteConnection? = nil
  ) {
    self.place = place
    path = place.path
    self.patience = patience
    self.hasPageChecksums = hasPageChecksums
    state = Mutex(State(idle: first.map { [$0] } ?? [], access: access))
  }

  /// Calls a closure with a connection that no other reader uses.
  func read<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try leaveStillness()
    let (idle, access) = try state.withLock { state in
      if state.isClosed { throw Self.closed(path) }
      return (state.idle.popLast(), state.access)
    }
    let connection = try idle ?? open(access)
    defer {
      let isKept = state.withLock { state in
        guard !state.isClosed, state.access == access, state.idle.count < Self.idleLimit else { return false }
        state.idle.append(connection)
        return true
      }
      if !isKept { connection.close() }
    }
    return try body(connection)
  }

  /// True while connections read the log as a file that doesn't change, without locks and without a `-wal` file.
  var isStill: Bool { state.withLock { $0.access == .immutable } }

  /// Returns a new connection, which the caller must close.
  func extra() throws -> SQLiteConnection {
    try leaveStillness()
    return try open(state.withLock { $0.access })
  }

  private func open(_ access: SQLiteConnection.Access) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path: place.file, access: access, patience: patience, hasPageChecksums: hasPageChecksums)
    if access == .immutable { return connection }
    do {
      // The first read opens the files next to the log, which must be the same files as for the other connections.
      _ = try connection.int("PRAGMA user_version")
      try place.noteCompanions(connection)
      try place.check()
    } catch {
      connection.close()
      throw error
    }
    return connection
  }

  /// Switches to normal reading if a `-wal` file exists.
  ///
  /// A reader that cannot create files next to the log opens the log as a file that doesn't change. Once a `-wal` file
  /// exists, the log can change, because a writer creates the `-wal` file before its first commit.
  private func leaveStillness() throws {
    guard state.withLock({ $0.access == .immutable }), FileSystem.status(place.commits) != nil else { return }
    let old = state.withLock { state in
      defer { (state.idle, state.access) = ([], .read) }
      return state.idle
    }
    for connection in old { connection.close() }
  }

  /// Closes the idle connections, and makes later reads fail.
  ///
  /// A connection in use is closed when its reader returns it.
  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { connection.close() }
  }

  static func closed(_ path: String) -> EventStoreError {
    EventStoreError(.closed, "\(path): the store was closed; reopen the log")
  }
}

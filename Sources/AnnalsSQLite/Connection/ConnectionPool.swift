import Annals
import Synchronization

/// Connections for reading: as many as there are readers at a time, and a few that wait for the next.
final class ConnectionPool: Sendable {
  private struct State {
    var idle: [SQLiteConnection] = []
    var isClosed = false
  }

  private let path: String
  private let access: SQLiteConnection.Access
  private let patience: Duration
  private let state: Mutex<State>
  /// How many connections wait for the next reader at most.
  private static let idleLimit = 4

  init(path: String, access: SQLiteConnection.Access, patience: Duration, first: SQLiteConnection? = nil) {
    self.path = path
    self.access = access
    self.patience = patience
    state = Mutex(State(idle: first.map { [$0] } ?? []))
  }

  /// Lends a connection to a body, which uses it alone.
  func read<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    let idle = try state.withLock { state in
      if state.isClosed { throw Self.closed(path) }
      return state.idle.popLast()
    }
    let connection = try idle ?? SQLiteConnection(path: path, access: access, patience: patience)
    defer {
      let isKept = state.withLock { state in
        guard !state.isClosed, state.idle.count < Self.idleLimit else { return false }
        state.idle.append(connection)
        return true
      }
      if !isKept { connection.close() }
    }
    return try body(connection)
  }

  /// A connection that is the caller's own, to be closed by it.
  func extra() throws -> SQLiteConnection { try SQLiteConnection(path: path, access: access, patience: patience) }

  /// Closes the connections; those that are lent are closed when they come back.
  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { connection.close() }
  }

  static func closed(_ path: String) -> EventStoreError {
    EventStoreError(.closed, "\(path): the store was closed; open the log again")
  }
}

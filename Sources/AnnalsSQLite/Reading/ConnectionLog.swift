import AnnalsLog
import Foundation
import Synchronization

/// A log that is read through one connection inside a transaction, so that all reads return the same snapshot.
protocol ConnectionLog: EventLog {
  /// Calls a closure with the connection. Only one thread at a time can use it.
  func use<T>(_ body: (SQLiteConnection) throws -> T) throws -> T
}

extension ConnectionLog {
  func head() throws -> Position { try use { try EventReader($0).head() } }

  func revision() throws -> LogRevision { try use { try CompactionTables($0).revision } }

  func unchanged(since earlier: LogRevision) throws -> Position {
    try use { connection in
      let (now, head) = (try CompactionTables(connection).revision, try EventReader(connection).head())
      if now == earlier { return head }
      guard now.compacted == earlier.compacted, now.rebases == earlier.rebases, now.erasures > earlier.erasures,
        let first = try PersonalTables(connection).firstErased(after: earlier.erasures, through: now.erasures)
      else { return 0 }
      return min(head, Position(max(0, first - 1)))
    }
  }

  func version(of stream: StreamName) throws -> Int { try use { try EventReader($0).version(of: stream) } }

  func position(of id: EventID) throws -> Position? { try use { try EventReader($0).position(of: id) } }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    return try use { try EventReader($0).events(query, after: after, through: through, limit: limit) }
  }

  func eventsBackwards(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    return try use {
      try EventReader($0).events(query, after: after, through: through, limit: limit, backwards: true)
    }
  }

  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    return try use { try EventReader($0).batch(after: after, through: through, limit: limit) }
  }

  func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    return try use { try EventReader($0).batch(of: types, after: after, through: through, limit: limit) }
  }

  func receipt(ofCommand commandID: String) throws -> Receipt? {
    try use { connection in
      // Format 1 had no receipts, and a log that is opened for reading only stays in its format.
      try connection.format == 1 ? nil : CommandReceipts(connection).receipt(ofCommand: commandID)
    }
  }
}

/// The log inside a call of `read(_:)` or inside a transaction.
final class SQLiteLog: ConnectionLog, ClockedLog {
  /// The connection, or `nil` after `end()`.
  private let connection: Mutex<SQLiteConnection?>
  private let path: String

  private let clock: @Sendable () -> Date
  var now: Date { clock() }

  init(_ connection: SQLiteConnection, now clock: @escaping @Sendable () -> Date = { Date() }) {
    self.connection = Mutex(connection)
    self.clock = clock
    path = connection.path
  }

  /// Makes later reads fail, so that another reader can use the connection.
  func end() { connection.withLock { $0 = nil } }

  func use<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try connection.withLock { connection in
      guard let connection else {
        throw EventStoreError(
          .closed,
          "\(path): the log was used after the closure of read(_:) had returned. Use the log only in this closure")
      }
      return try body(connection)
    }
  }
}

import Annals
import AnnalsLog

/// A store for tests that forwards to one in memory, except for what it overrides.
protocol StoreAroundMemory: EventStore {
  var memory: MemoryEventStore { get }

  /// Called before anything is read; what it throws is what the reader gets.
  func check() throws

  /// Reads events of a log of the store in memory.
  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent]
}

extension StoreAroundMemory {
  var source: String { memory.source }
  var environment: StoreEnvironment { memory.environment }
  var runtime: StoreRuntime { memory.runtime }

  func check() {}

  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try log.events(query, after: after, through: through, limit: limit)
  }

  func commit(_ append: Append) throws -> Receipt { try memory.commit(append) }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try check()
    return try memory.read { try body(LogAround(inner: $0, store: self)) }
  }
}

/// A log that reads its events as a store for tests does.
private struct LogAround: EventLog {
  let inner: any EventLog
  let store: any StoreAroundMemory

  func head() throws -> Position { try inner.head() }
  func revision() throws -> LogRevision { try inner.revision() }
  func version(of stream: StreamName) throws -> Int { try inner.version(of: stream) }
  func position(of id: EventID) throws -> Position? { try inner.position(of: id) }
  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try store.events(in: inner, query, after: after, through: through, limit: limit)
  }
}

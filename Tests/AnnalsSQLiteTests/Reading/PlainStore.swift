import Annals
import AnnalsLog
import AnnalsSQLite

/// A store that returns events only as values, and does not know where the events of a type are.
final class PlainStore: EventStore {
  private let base: SQLiteEventStore

  init(_ base: SQLiteEventStore) { self.base = base }

  var source: String { base.source }
  var environment: StoreEnvironment { base.environment }
  var runtime: StoreRuntime { base.runtime }
  func commit(_ append: Append) throws -> Receipt { try base.commit(append) }
  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try base.read { try body(Log(base: $0)) } }

  private struct Log: EventLog {
    let base: any EventLog

    func head() throws -> Position { try base.head() }
    func revision() throws -> LogRevision { try base.revision() }
    func version(of stream: StreamName) throws -> Int { try base.version(of: stream) }
    func position(of id: EventID) throws -> Position? { try base.position(of: id) }
    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      try base.events(query, after: after, through: through, limit: limit)
    }
  }
}

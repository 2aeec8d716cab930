import Annals
import AnnalsLog
import Testing
@testable import AnnalsReplay

/// Commands of events, in stores that do not know them.
@Suite struct CommandNamesTests {
  /// A store of an app's own, with no more than a store must have.
  private final class PlainStore: EventStore {
    private let memory = MemoryEventStore()

    var source: String { memory.source }
    var environment: StoreEnvironment { memory.environment }
    var runtime: StoreRuntime { memory.runtime }
    func commit(_ append: Append) throws -> Receipt { try memory.commit(append) }
    func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try memory.read { try body(PlainLog(log: $0)) } }
  }

  private struct PlainLog: EventLog {
    let log: any EventLog

    func head() throws -> Position { try log.head() }
    func revision() throws -> LogRevision { try log.revision() }
    func version(of stream: StreamName) throws -> Int { try log.version(of: stream) }
    func position(of id: EventID) throws -> Position? { try log.position(of: id) }
    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      try log.events(query, after: after, through: through, limit: limit)
    }
  }

  @Test func `an event of a store that keeps no answers has a cause and no command`() throws {
    let store = PlainStore()
    try store.append(Append([NewEvent(type: "E", payload: nil, metadata: ["causationid": "c"])], to: "s"))
    let event = try #require(try store.events(.all, after: 0, through: nil, limit: 1).first)
    #expect(throws: EventStoreError.self) { try store.receipt(ofCommand: "c") }
    #expect(event.metadata.causation == "c")
    #expect(try CommandNames(store).command(of: EventCause(event)) == nil)
  }
}

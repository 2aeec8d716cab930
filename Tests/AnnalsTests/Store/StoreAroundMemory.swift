import Annals

/// A store for tests that forwards to one in memory, except for what it overrides.
protocol StoreAroundMemory: EventStore {
  var memory: MemoryEventStore { get }
}

extension StoreAroundMemory {
  var source: String { memory.source }
  var environment: StoreEnvironment { memory.environment }
  var signal: CommitSignal { memory.signal }

  func commit(_ append: Append) throws -> Receipt { try memory.commit(append) }
  func head() throws -> Position { memory.head() }
  func version(of stream: StreamName) throws -> Int { memory.version(of: stream) }
  func position(of id: EventID) throws -> Position? { memory.position(of: id) }
}

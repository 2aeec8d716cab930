import Annals
import Synchronization

/// A remote store around a log in memory, which counts what goes over the network that it has not.
final class FarStore: RemoteEventStore {
  let log: MemoryEventStore
  let commands = CommandMemory()
  var source: String { log.source }
  var environment: StoreEnvironment { log.environment }
  private let trips = Mutex<[String]>([])

  init(_ log: MemoryEventStore) { self.log = log }

  /// What was sent since the last call.
  func takeTrips() -> [String] {
    trips.withLock { trips in
      defer { trips = [] }
      return trips
    }
  }

  func commit(_ append: Append) async throws -> Receipt {
    trips.withLock { $0.append("commit") }
    await Task.yield()
    return try log.commit(append)
  }

  func ask(_ questions: [LogQuestion]) async throws -> LogReading {
    trips.withLock { $0.append("ask") }
    await Task.yield()
    return try log.reading(of: questions)
  }
}

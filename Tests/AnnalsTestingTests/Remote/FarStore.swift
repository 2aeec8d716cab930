import Annals
import AnnalsLog
import AnnalsRemote
import Synchronization

/// A remote store around a log in memory, which counts what goes over the network that it has not.
final class FarStore: RemoteEventStore {
  let log: MemoryEventStore
  let commands = CommandMemory()
  let checkpoints: (any RemoteCheckpointStore)?
  var source: String { log.source }
  var environment: StoreEnvironment { log.environment }
  private let trips = Mutex<[String]>([])
  /// What was erased from the log, by whichever store.
  private let erasures: FarErasures
  var erasing: (any RemoteErasingStore)? { erasures.store(log) { [self] in trips.withLock { $0.append("erasures") } } }

  init(
    _ log: MemoryEventStore, checkpoints: (any RemoteCheckpointStore)? = nil, erasures: FarErasures = FarErasures()
  ) {
    (self.log, self.checkpoints, self.erasures) = (log, checkpoints, erasures)
  }

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

  /// Followers hear of what is written on this side alone: their tests' clock is not a real one.
  func news() -> AsyncStream<Void> {
    if checkpoints != nil { return AsyncStream { _ in } }
    let sleep = environment.sleep
    return AsyncStream {
      do { try await sleep(.seconds(1)) } catch { return nil }
      return ()
    }
  }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse {
    trips.withLock { $0.append("ask") }
    await Task.yield()
    return try log.reading(of: questions)
  }
}

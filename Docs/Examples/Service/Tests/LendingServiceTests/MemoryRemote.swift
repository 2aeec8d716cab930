import Annals
import AnnalsRemote
import Synchronization

/// A log on a server without a server: it waits and fails as the test says.
final class MemoryRemote: RemoteEventStore {
  let commands = CommandMemory()
  var source: String { log.source }
  var environment: StoreEnvironment { log.environment }
  private let log = MemoryEventStore()
  private let failure = Mutex<EventStoreError?>(nil)

  /// Makes all appends fail, or succeed.
  func fail(_ error: EventStoreError?) { failure.withLock { $0 = error } }

  func commit(_ append: Append) async throws -> Receipt {
    if let error = failure.withLock({ $0 }) { throw error }
    return try log.commit(append)
  }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse {
    try log.read { log in
      LogResponse(
        head: try log.head(), revision: try log.revision(),
        answers: try questions.map { question in
          switch question {
          case .version(let stream): .version(try log.version(of: stream))
          case .position(let id): .position(try log.position(of: id))
          case .events(let query, let after, let through, let limit):
            .events(try log.events(query, after: after, through: through, limit: limit))
          case .eventsBackwards(let query, let after, let through, let limit):
            .events(try log.eventsBackwards(query, after: after, through: through, limit: limit))
          case .stream(let stream, let after): .stream(try log.tail(of: stream, after: after))
          case .receipt(let commandID): .receipt(try log.receipt(ofCommand: commandID))
          }
        })
    }
  }
}

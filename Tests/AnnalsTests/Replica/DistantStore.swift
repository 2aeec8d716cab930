import Annals
import Synchronization

/// A remote store around a log in memory, whose network can be cut, and whose server can be restored from a backup.
final class DistantStore: RemoteEventStore {
  /// The network is cut.
  struct Cut: Error {}

  let commands = CommandMemory()
  let source: String
  let environment: StoreEnvironment
  private let server: Mutex<MemoryEventStore>
  /// How many questions are answered before the network is cut once; nil if it is not.
  private let budget = Mutex<Int?>(nil)
  private let questions = Mutex(0)

  init(_ log: MemoryEventStore = MemoryEventStore(), source: String = "urn:distant") {
    (self.source, environment) = (source, log.environment)
    server = Mutex(log)
  }

  /// The log of the server.
  var log: MemoryEventStore {
    get { server.withLock { $0 } }
    set { server.withLock { $0 = newValue } }
  }

  /// How often the store was asked.
  var count: Int { questions.withLock { $0 } }

  /// Lets the network be cut once after some answers; with nil it is not cut.
  func cut(after answers: Int?) { budget.withLock { $0 = answers } }

  func commit(_ append: Append) async throws -> Receipt {
    await Task.yield()
    return try log.commit(append)
  }

  func ask(_ questions: [LogQuestion]) async throws -> LogReading {
    await Task.yield()
    self.questions.withLock { $0 += 1 }
    let isCut = budget.withLock { budget in
      guard let left = budget else { return false }
      budget = left == 0 ? nil : left - 1
      return left == 0
    }
    if isCut { throw Cut() }
    return try log.reading(of: questions)
  }
}

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
  private let erased = Mutex<[LogErasure]>([])
  /// False to erase as a store that does not say what.
  let saysErasures: Bool

  init(_ log: MemoryEventStore = MemoryEventStore(), source: String = "urn:distant", saysErasures: Bool = true) {
    (self.source, environment, self.saysErasures) = (source, log.environment, saysErasures)
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
    try pay()
    return try erased.withLock { erased in
      let reading = try log.reading(of: questions)
      return LogReading(
        head: reading.head, revision: reading.revision, lineage: Int(erased.last?.time.microseconds ?? 0),
        answers: reading.answers)
    }
  }

  /// Throws if the network is cut now.
  private func pay() throws {
    let isCut = budget.withLock { budget in
      guard let left = budget else { return false }
      budget = left == 0 ? nil : left - 1
      return left == 0
    }
    if isCut { throw Cut() }
  }
}

extension DistantStore {
  var erasing: (any RemoteErasingStore)? { saysErasures ? Erasing(store: self) : nil }

  private struct Erasing: RemoteErasingStore {
    let store: DistantStore

    func commitErasure(of subject: String) async throws -> ErasureReceipt {
      await Task.yield()
      return try store.eraseAtOnce(subject)
    }

    func hasPersonalValues() async throws -> Bool { try store.log.erasing?.hasPersonalValues() ?? false }

    func erasures(after number: Int, limit: Int) async throws -> [LogErasure] {
      await Task.yield()
      try store.pay()
      return store.erased.withLock { Array($0.filter { $0.number > number }.prefix(limit)) }
    }
  }

  /// What was erased in the server.
  var erasures: [LogErasure] { erased.withLock { $0 } }

  /// Restores the server from a backup.
  func restore(_ log: MemoryEventStore, _ erasures: [LogErasure]) {
    erased.withLock { erased in (self.log, erased) = (log, erasures) }
  }

  /// Erases in the server, and notes it there.
  @discardableResult
  func eraseAtOnce(_ subject: String) throws -> ErasureReceipt {
    try erased.withLock { erased in
      let log = log
      let before = log.revision()
      let receipt = try log.erase(subject: subject)
      if log.revision() != before {
        erased.append(
          LogErasure(
            number: erased.count + 1, subject: subject, first: try log.unchanged(since: before) + 1, end: log.head(),
            time: log.environment.now(), fields: receipt.fields))
      }
      return receipt
    }
  }
}

private func + (position: Position, number: Int) -> Position { Position(position.rawValue + number) }

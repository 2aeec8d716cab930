import Annals
import AnnalsLog
import AnnalsRemote
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
  private let deeds = Mutex(Deeds())
  /// Does something after an answer was made, and before it is there.
  private let meanwhile = Mutex<(@Sendable (Call) async throws -> Void)?>(nil)
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

  /// What the store was asked for.
  enum Call { case ask(Int), formerEvents }

  /// Does something once, while an answer that the closure chooses is on its way.
  func meanwhile(at call: @escaping @Sendable (Call) -> Bool, _ body: @escaping @Sendable () async throws -> Void) {
    meanwhile.withLock {
      $0 = { [self] made in
        guard call(made) else { return }
        meanwhile.withLock { $0 = nil }
        try await body()
      }
    }
  }

  private func answered<T>(_ call: Call, _ answer: T) async throws -> T {
    try await meanwhile.withLock { $0 }?(call)
    return answer
  }

  /// Lets the network be cut once after some answers; with nil it is not cut.
  func cut(after answers: Int?) { budget.withLock { $0 = answers } }

  func commit(_ append: Append) async throws -> Receipt {
    await Task.yield()
    return try log.commit(append)
  }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse {
    await Task.yield()
    self.questions.withLock { $0 += 1 }
    try pay()
    let answer = try deeds.withLock { deeds in
      let reading = try log.reading(of: questions)
      return LogResponse(
        head: reading.head, revision: reading.revision, lineage: deeds.lineage, answers: reading.answers)
    }
    return try await answered(.ask(questions.count), answer)
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

/// What was done to the server's log, as it notes it.
struct Deeds {
  fileprivate(set) var erasures: [LogErasure] = []
  fileprivate(set) var compactions: [LogCompaction] = []
  /// What was cut and replaced, with the number of the last compaction that did it.
  fileprivate var former: [Position: (event: RewrittenEvent, number: Int)] = [:]
  fileprivate var done: [String: LogCompaction] = [:]
  fileprivate var lineage = 0
}

extension DistantStore {
  var erasing: (any RemoteErasingStore)? { saysErasures ? Erasing(store: self) : nil }
  var compacting: (any RemoteCompactingStore)? { saysErasures ? Compacting(store: self) : nil }

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
      return store.deeds.withLock { Array($0.erasures.filter { $0.number > number }.prefix(limit)) }
    }
  }

  private struct Compacting: RemoteCompactingStore {
    let store: DistantStore

    func commitCompaction(_ compaction: RemoteCompaction) async throws -> LogCompaction {
      await Task.yield()
      try store.pay()
      return try store.compactAtOnce(compaction)
    }

    func compactions(after number: Int, limit: Int) async throws -> [LogCompaction] {
      await Task.yield()
      try store.pay()
      return store.deeds.withLock { Array($0.compactions.filter { $0.number > number }.prefix(limit)) }
    }

    func formerEvents(since number: Int, after: Position, limit: Int) async throws -> [RewrittenEvent] {
      await Task.yield()
      try store.pay()
      let answer = store.deeds.withLock { deeds in
        deeds.former.values.filter { $0.number > number && $0.event.position > after }.map(\.event)
          .sorted { $0.position < $1.position }.prefix(limit).map(\.self)
      }
      return try await store.answered(.formerEvents, answer)
    }
  }

  /// What was done to the server's log.
  var allDeeds: Deeds { deeds.withLock { $0 } }
  /// What was erased in the server.
  var erasures: [LogErasure] { allDeeds.erasures }

  /// Restores the server from a backup.
  func restore(_ log: MemoryEventStore, _ backup: Deeds) {
    deeds.withLock { deeds in (self.log, deeds) = (log, backup) }
  }

  /// Erases in the server, and notes it there.
  @discardableResult
  func eraseAtOnce(_ subject: String) throws -> ErasureReceipt {
    try deeds.withLock { deeds in
      let log = log
      let before = log.revision()
      let receipt = try log.erase(subject: subject)
      if log.revision() != before {
        let erasure = LogErasure(
          number: deeds.erasures.count + 1, subject: subject, first: try log.unchanged(since: before) + 1,
          end: log.head(), time: log.environment.now(), fields: receipt.fields)
        deeds.erasures.append(erasure)
        deeds.lineage = Int(erasure.time.microseconds)
      }
      return receipt
    }
  }

  /// Compacts the server's log, and notes it there.
  @discardableResult
  func compactAtOnce(_ compaction: RemoteCompaction) throws -> LogCompaction {
    try deeds.withLock { deeds in
      if let done = deeds.done[compaction.id] { return done }
      let log = log
      guard log.revision() == compaction.revision, let compacting = log.compacting else {
        throw EventStoreError.rewritten
      }
      let number = deeds.compactions.count + 1
      var former = deeds.former
      _ = try compacting.commitCompaction(progress: { _ in }) { transaction in
        let plan = try CompactionPlan(following: compaction, in: transaction)
        for (position, change) in plan.changes {
          let event = try transaction.events(.all, after: Position(position.rawValue - 1), through: position, limit: 1)[
            0]
          former[position] = (
            RewrittenEvent(
              position: position, transaction: event.transaction, stream: event.stream, version: event.version,
              ids: (former[position]?.event.ids ?? []) + [event.id], isCut: change == .cut), number
          )
        }
        return CompactionReceipt(of: plan, remaining: try transaction.rewrite(plan))
      }
      let done = LogCompaction(
        number: number, erasures: deeds.erasures.count, horizon: compaction.horizon, end: log.head(),
        time: log.environment.now(), cut: compaction.cutCount, replaced: compaction.replacedCount)
      (deeds.former, deeds.lineage) = (former, Int(done.time.microseconds))
      deeds.compactions.append(done)
      deeds.done[compaction.id] = done
      return done
    }
  }
}

private func + (position: Position, number: Int) -> Position { Position(position.rawValue + number) }

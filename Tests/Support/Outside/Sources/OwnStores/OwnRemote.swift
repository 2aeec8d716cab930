public import AnnalsLog
public import AnnalsRemote
import Foundation
import Synchronization

/// A remote store of someone else around a log in memory, as a server would answer it.
public final class OwnRemote: RemoteEventStore {
  public let commands = CommandMemory()
  public var source: String { log.source }
  public var environment: StoreEnvironment { log.environment }
  private let log: MemoryEventStore
  private let notes = Mutex(Notes())
  private let sent = Atomic(0)
  /// The number of events that the server sent to its clients.
  public var sentEvents: Int { sent.load(ordering: .relaxed) }

  /// What the server notes of what it did.
  private struct Notes {
    var erasures: [LogErasure] = []
    var compactions: [LogCompaction] = []
    var done: [String: LogCompaction] = [:]
    var former: [Position: (event: RewrittenEvent, number: Int)] = [:]
    var lineage = 0
  }

  public init(environment: StoreEnvironment = StoreEnvironment()) { log = MemoryEventStore(environment: environment) }

  public func commit(_ append: Append) async throws -> Receipt {
    await Task.yield()
    return try log.commit(append)
  }

  public func ask(_ questions: [LogQuery]) async throws -> LogResponse {
    await Task.yield()
    let response = try notes.withLock { notes in
      try log.read { log in
        LogResponse(
          head: try log.head(), revision: try log.revision(), lineage: notes.lineage,
          answers: try questions.map { try Self.answer($0, log) })
      }
    }
    for case .events(let events) in response.answers { sent.add(events.count, ordering: .relaxed) }
    return response
  }

  /// Counts on the server, which sends only the numbers.
  public func statistics(streamLimit: Int) async throws -> LogStatistics {
    await Task.yield()
    return try log.statistics(streamLimit: streamLimit)
  }

  private static func answer(_ question: LogQuery, _ log: any EventLog) throws -> LogResult {
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
  }

  public var erasing: (any RemoteErasingStore)? { Erasing(remote: self) }
  public var compacting: (any RemoteCompactingStore)? { Compacting(remote: self) }
}

extension OwnRemote {
  private struct Erasing: RemoteErasingStore {
    let remote: OwnRemote

    func commitErasure(of subject: String) async throws -> ErasureReceipt {
      await Task.yield()
      return try remote.notes.withLock { notes in
        let log = remote.log
        let before = log.revision()
        let receipt = try log.erase(subject: subject)
        if log.revision() != before {
          let erasure = LogErasure(
            number: notes.erasures.count + 1, subject: subject,
            first: Position(try log.unchanged(since: before).rawValue + 1), end: log.head(),
            time: log.environment.now(), fields: receipt.fields)
          notes.erasures.append(erasure)
          notes.lineage = Int((erasure.time.timeIntervalSince1970 * 1_000_000).rounded())
        }
        return receipt
      }
    }

    func hasPersonalValues() async throws -> Bool { try remote.log.erasing?.hasPersonalValues() ?? false }

    func erasures(after number: Int, limit: Int) async throws -> [LogErasure] {
      remote.notes.withLock { Array($0.erasures.filter { $0.number > number }.prefix(limit)) }
    }
  }

  private struct Compacting: RemoteCompactingStore {
    let remote: OwnRemote

    func commitCompaction(_ compaction: RemoteCompaction) async throws -> LogCompaction {
      await Task.yield()
      return try remote.notes.withLock { notes in
        if let done = notes.done[compaction.id] { return done }
        let log = remote.log
        guard log.revision() == compaction.revision, let compacting = log.compacting else {
          throw EventStoreError(.rewritten, "the log has another revision than the one that the plan was made of")
        }
        let number = notes.compactions.count + 1
        var former = notes.former
        _ = try compacting.commitCompaction(progress: { _ in }) { transaction in
          let plan = try CompactionPlan(following: compaction, in: transaction)
          try transaction.forEachEvent { event in
            guard let change = plan.changes[event.position] else { return }
            former[event.position] = (
              RewrittenEvent(
                position: event.position, transaction: event.transaction, stream: event.stream,
                version: event.version, ids: (former[event.position]?.event.ids ?? []) + [event.id],
                isCut: change == .cut), number
            )
          }
          return CompactionReceipt(of: plan, remaining: try transaction.rewrite(plan))
        }
        let done = LogCompaction(
          number: number, erasures: notes.erasures.count, horizon: compaction.horizon, end: log.head(),
          time: log.environment.now(), cut: compaction.cutCount, replaced: compaction.replacedCount)
        notes.former = former
        notes.lineage = Int((done.time.timeIntervalSince1970 * 1_000_000).rounded())
        notes.compactions.append(done)
        notes.done[compaction.id] = done
        return done
      }
    }

    func compactions(after number: Int, limit: Int) async throws -> [LogCompaction] {
      remote.notes.withLock { Array($0.compactions.filter { $0.number > number }.prefix(limit)) }
    }

    func formerEvents(since number: Int, after: Position, limit: Int) async throws -> [RewrittenEvent] {
      remote.notes.withLock { notes in
        let found = notes.former.values.filter { $0.number > number && $0.event.position > after }.map(\.event)
        return Array(found.sorted { $0.position < $1.position }.prefix(limit))
      }
    }
  }
}

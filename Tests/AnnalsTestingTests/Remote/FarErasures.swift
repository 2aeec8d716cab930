import Annals
import AnnalsLog
import AnnalsRemote
import Synchronization

/// What was erased from a log in memory, for all stores that stand on it.
final class FarErasures: Sendable {
  private let all = Mutex<[LogErasure]>([])

  func store(_ log: MemoryEventStore, _ note: @escaping @Sendable () -> Void) -> any RemoteErasingStore {
    Store(erasures: self, log: log, note: note)
  }

  private struct Store: RemoteErasingStore {
    let erasures: FarErasures
    let log: MemoryEventStore
    let note: @Sendable () -> Void

    func commitErasure(of subject: String) async throws -> ErasureReceipt {
      try erasures.all.withLock { all in
        let before = log.revision()
        let receipt = try log.erasing?.commitErasure(of: subject) ?? ErasureReceipt(fields: 0)
        if log.revision() != before {
          all.append(
            LogErasure(
              number: all.count + 1, subject: subject, first: Position(try log.unchanged(since: before).rawValue + 1),
              end: log.head(), time: log.environment.now(), fields: receipt.fields))
        }
        return receipt
      }
    }

    func hasPersonalValues() async throws -> Bool { try log.erasing?.hasPersonalValues() ?? false }

    func erasures(after number: Int, limit: Int) async throws -> [LogErasure] {
      note()
      return erasures.all.withLock { Array($0.filter { $0.number > number }.prefix(limit)) }
    }
  }
}

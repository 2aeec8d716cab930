/// A log in memory that an import creates.
///
/// The importer's sources use it instead of the one in a file.
final class LogFile {
  let memory: MemoryEventStore
  private(set) var store: (any EventStore)?

  init(_ memory: MemoryEventStore) { self.memory = memory }

  func create() throws -> any EventStore {
    store = memory
    return memory
  }

  func append(_ append: Append) throws -> Receipt { try create().append(append) }

  func beginCommit(_ appends: [Append]) throws -> CommitInFlight {
    let found = try commit(appends)
    return CommitInFlight { found }
  }

  /// Appends one after the other, up to the first one that is refused.
  func commit(_ appends: [Append]) throws -> GroupReceipt {
    let store = try create()
    var receipts: [Receipt] = []
    for append in appends {
      var append = append
      // A condition of the first append holds for all of them.
      if let end = receipts.last?.position {
        append.conditions = appends[0].conditions.map { .init(noneMatching: $0.noneMatching, after: end) }
      }
      do {
        receipts.append(try store.append(append))
      } catch let error as EventStoreError {
        return GroupReceipt(receipts: receipts, refusal: error)
      }
    }
    return GroupReceipt(receipts: receipts, refusal: nil)
  }

  func positions(of ids: [EventID]) throws -> [Position?] {
    try ids.map { try store?.position(of: $0) }
  }
}

/// What became of appends that were to be committed together.
struct GroupReceipt: Sendable {
  let receipts: [Receipt]
  let refusal: (any Error)?
}

import Annals
import AnnalsLog

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

  /// An append with nothing to prepare.
  struct Ready {
    var append: Append
    mutating func set(_ conditions: [Append.Condition]) { append.conditions = conditions }
  }

  func ready(_ append: Append) -> Ready { Ready(append: append) }

  func beginCommit(_ appends: [Ready]) throws -> InFlight<GroupReceipt> {
    let found = try commit(appends.map(\.append))
    return InFlight<GroupReceipt> { found }
  }

  func commit(_ appends: [Append]) throws -> GroupReceipt { try create().commitOneByOne(appends) }

  func positions(of ids: [EventID]) throws -> [Position?] {
    try ids.map { try store?.position(of: $0) }
  }
}

import Annals
import AnnalsLog
import Synchronization

enum ItemEvent: Event {
  case put(Item)
  case removed(id: String)
  case renamed(group: String?, title: String)
  case numbered(group: String?, number: Double)
  case refused(reason: String)

  static var typePrefix: String { "Item" }
}

struct Refusal: Error, Equatable {
  let reason: String
}

struct Items: Projection {
  // Random batches put an item several times, and remove items that aren't there.
  static let toleratedEvents: Set = ["ItemPut", "ItemRemoved"]

  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    switch event {
    case .put(let item): rows.insert(item)
    case .removed(let id): rows[id] = nil
    case .renamed(let group, let title): rows.renameSection(group, of: \.group, to: title)
    case .numbered(let group, let number): rows.numberSection(group, of: \.group, to: number)
    case .refused(let reason):
      rows.insert(Item(id: "half done", group: nil, rank: 0, name: ""))
      throw Refusal(reason: reason)
    }
  }
}

extension EventStore {
  /// Commits events as one transaction.
  @discardableResult
  func put(_ events: ItemEvent..., isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    try put(events, isolation: isolation)
  }

  @discardableResult
  func put(_ events: [ItemEvent], isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let coder = try EventCoder<ItemEvent>()
    return try append(Append(events.map { try coder.encode($0) }, to: "items"), isolation: isolation)
  }
}

extension Item {
  init(_ id: String, _ group: String?, _ rank: Int, _ name: String = "") {
    self.init(id: id, group: group, rank: rank, name: name)
  }
}

extension ListRequest where Row == Item {
  static let byGroup = ListRequest(sort: [.ascending(\.rank)], section: .by(\.group))
}

func controller(
  _ store: some EventStore, _ request: ListRequest<Item> = .byGroup, isolation: isolated (any Actor)? = #isolation
) throws -> FetchedResultsController<Item> {
  let controller = FetchedResultsController(store: store, projection: Items(), request: request)
  try controller.performFetch()
  return controller
}

/// A store in memory with reads that can be made to fail.
final class FailingStore: StoreAroundMemory {
  let memory = MemoryEventStore(environment: .quiet)
  private let failing = Mutex(false)

  var fails: Bool {
    get { failing.withLock { $0 } }
    set { failing.withLock { $0 = newValue } }
  }

  func check() throws {
    if fails { throw EventStoreError(.io, "the disk does not answer") }
  }
}

/// A store in memory that counts the events that are read.
final class CountingStore: StoreAroundMemory {
  let memory = MemoryEventStore(environment: .quiet)
  private let count = Mutex(0)

  /// How many events were read.
  var read: Int { count.withLock { $0 } }

  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    let found = try log.events(query, after: after, through: through, limit: limit)
    count.withLock { $0 += found.count }
    return found
  }
}

extension StoreEnvironment {
  /// For tests that stop lists on purpose: nothing is written to standard error.
  static var quiet: StoreEnvironment { StoreEnvironment(report: { _ in }) }
}

@testable import Annals
@testable import AnnalsLog
import AnnalsTesting
import Testing

/// Positions after a saved list, reached from it by one who shows a log.
@Suite struct RestoredPastTests {
  /// A store that counts what is read, and keeps lists.
  private final class SavingStore: StoreAroundMemory {
    let memory: MemoryEventStore
    private let counting: CountingStore

    init(_ counting: CountingStore) { (self.counting, memory) = (counting, counting.memory) }

    var savedLists: (any SavedListStore)? { memory.savedLists }

    func events(
      in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
    ) throws -> [StoredEvent] {
      try counting.events(in: log, query, after: after, through: through, limit: limit)
    }
  }

  @Test func `a position after the saved list is reached from there, and one before it from the first event`() throws {
    let counting = CountingStore()
    let store = SavingStore(counting)
    func put(_ count: Int, _ first: Int) throws {
      for rank in first..<first + count { try store.put([.put(Item("\(rank % 50)", "g\(rank % 3)", rank))]) }
    }
    try put(2_000, 1)
    func open() -> FetchedResultsController<Item> {
      FetchedResultsController(
        store: store, projection: Items(), request: ListRequest(sort: [.ascending(\.rank)]), cacheName: "all")
    }
    let saving = open()
    try saving.performFetch()
    try saving.saveCache()
    try put(100, 2_001)

    let reader = open()
    reader.keepPast(false)
    try reader.performFetch()
    let before = counting.read
    for position in [2_090, 2_000, 2_050, 2_099] {
      try reader.seek(to: Position(position))
      #expect(reader.fetchedObjects.last?.rank == position)
      #expect(reader.fetchedObjects.count == 50)
    }
    #expect(counting.read - before <= 500)
    try reader.seek(to: 1_999)
    #expect(reader.fetchedObjects.last?.rank == 1_999)
    try reader.returnToLive()
    #expect(reader.fetchedObjects.last?.rank == 2_100)
  }

  @Test func `the events of a step are those that folding it once more finds`() throws {
    let generator = Generator<[[Int]]>.array(of: .array(of: .int(in: 0...9), count: 1...5), count: 1...12)
    try check(generator, settings: CheckSettings(examples: 200)) { transactions in
      let store = MemoryEventStore()
      for (number, ids) in transactions.enumerated() {
        try store.put(ids.map { id in id < 8 ? .put(Item("\(id)", "g", number)) : .put(Item("\(id - 8)", "h", 0)) })
      }
      let (noting, folding) = (try controller(store), try controller(store))
      noting.keepPast(false)
      try noting.seek(to: 0)
      var (start, end) = (0 as Position, 0 as Position)
      for ids in transactions {
        (start, end) = (end, Position(end.rawValue + ids.count))
        try noting.seek(to: end)
        let rows = (0...9).map { "\($0)" }
        try ensureEqual(
          try noting.positions(setting: rows, after: start, through: end),
          try folding.positions(setting: rows, after: start, through: end))
        // Of another stretch it is folded all the same.
        try ensureEqual(
          try noting.positions(setting: rows, after: 0, through: end),
          try folding.positions(setting: rows, after: 0, through: end))
      }
    }
  }
}

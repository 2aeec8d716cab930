import Annals
import AnnalsSQLite
import Foundation
import OwnStores
import Synchronization
import Testing

/// What an app does with a store that is not one of Annals.
@Suite struct CapabilityTests {
  @Test(arguments: Stores.allCases)
  func `a controller with a cache name restores its list, and folds only what is new`(stores: Stores) throws {
    try stores.withStore { store, _ in
      for number in 0..<50 { try store.count("b\(number % 5)", number) }
      let first = store.controller()
      try first.performFetch()
      #expect(first.cacheReport.restored == nil)
      try first.saveCache()
      try store.count("b9", 9)
      let second = store.controller()
      try second.performFetch()
      #expect(second.cacheReport.restored == 50)
      #expect(second.results.rows.map(\.id) == ["b0", "b1", "b2", "b3", "b4", "b9"])
      #expect(second.results.rows.map(\.copies) == [45, 46, 47, 48, 49, 9])
      // It goes on with what is appended, before the append returns.
      try store.count("b0", -1)
      #expect(second.results.rows.map(\.copies) == [-1, 46, 47, 48, 49, 9])
    }
  }

  @Test(arguments: Stores.allCases)
  func `a follower handles each event once, and goes on where it was`(stores: Stores) throws {
    try stores.withStore { store, _ in
      let seen = Mutex<[Int]>([])
      func follow() throws {
        let follower = try EventFollower("indexer", of: StockEvent.self, in: store, startingAt: .beginning) {
          recorded, _ in
          if case .counted(_, let copies) = recorded.event { seen.withLock { $0.append(copies) } }
        }
        #expect(try follower.catchUp() == store.head())
      }
      for number in 1...3 { try store.count("a", number) }
      try follow()
      try store.count("a", 4)
      try follow()
      #expect(seen.withLock { $0 } == [1, 2, 3, 4])
      try store.forgetFollower("indexer", version: 1)
      try follow()
      #expect(seen.withLock { $0 } == [1, 2, 3, 4, 1, 2, 3, 4])
    }
  }

  @Test(arguments: Stores.allCases)
  func `a decider's state is kept, and a command folds what came after it`(stores: Stores) throws {
    try stores.withStores { makeStore in
      for budget in [0, 1_000] {
        let store = try makeStore(StoreEnvironment(stateBudget: budget))
        for number in 1...10 { try store.count("b\(number % 3)", number) }
        let expected = Shop(copies: ["b0": 9, "b1": 10, "b2": 8])
        #expect(try store.state(of: Shop["main"]) == expected)
        let report = store.cacheReport(of: Shop.self)
        #expect(report.saveCount > 0)
        // What is in memory need not be read from beside the events.
        #expect(budget == 0 ? report.loadCount > 0 : report.loadCount == 0)
        #expect(report.problem == nil)
        try store.deleteSnapshots()
        #expect(try store.state(of: Shop["main"]) == expected)
      }
    }
  }

  @Test(arguments: Stores.allCases)
  func `a list that is kept shows each append, and is there for a controller`(stores: Stores) throws {
    try stores.withStore { store, _ in
      try store.count("a", 1)
      let list = try store.keepList(
        of: Stocks(), request: ListRequest(sort: [.ascending(\.id)]), cacheName: "stock")
      for number in 2...20 {
        try store.count(number % 2 == 0 ? "a" : "b", number)
        #expect(list.results.position == Position(number))
      }
      #expect(list.results.rows.map(\.copies) == [20, 19])
      #expect(list.failure == nil)
      let controller = store.controller()
      try controller.performFetch()
      #expect(controller.cacheReport.restored == 20)
      #expect(controller.results.rows.map(\.copies) == [20, 19])
    }
  }

  @Test(arguments: Stores.allCases)
  func `a compaction keeps what is proven equal, and refuses what is not`(stores: Stores) throws {
    try stores.withStore { store, inner in
      for number in 1...12 { try store.count("b\(number % 3)", number) }
      let list = try store.keepList(of: Stocks(), request: ListRequest(), cacheName: "kept")
      let (rows, state) = (list.results.rows.map(\.copies), try store.state(of: Shop["main"]))
      func compaction(
        _ replace: @escaping @Sendable (Compaction.Candidate<StockEvent>) -> Compaction.Candidate<StockEvent>
      )
        -> Compaction
      {
        var compaction = Compaction()
        compaction.rewrite(StockEvent.self) { _, events in
          var last: [String: Compaction.Candidate<StockEvent>] = [:]
          for event in events { if case .counted(let book, _) = event.event { last[book] = event } }
          return last.values.sorted { $0.recorded.position < $1.recorded.position }.map(replace)
        }
        compaction.prove(Stocks())
        compaction.prove(Shop.self)
        return compaction
      }
      let refused = #expect(throws: CompactionError.self) {
        try store.compact(compaction { $0.replaced(by: .counted(book: "b0", copies: 0)) })
      }
      #expect(refused?.code == .notEqual)
      #expect(try store.events(.all, after: 0, through: nil, limit: 99).count == 12)
      let receipt = try store.compact(compaction { $0 })
      #expect(receipt.cut == 9 && receipt.remaining == 3 && receipt.horizon == 12)
      #expect(try store.events(.all, after: 0, through: nil, limit: 99).map(\.position) == [10, 11, 12])
      #expect(try store.revision() == inner.revision())
      #expect(list.results.rows.map(\.copies) == rows)
      #expect(try store.state(of: Shop["main"]) == state)
      try store.count("b0", 13)
      #expect(list.results.position == 13)
    }
  }

  @Test(arguments: [Stores.own, .forwardingMemory, .forwardingSQLite])
  func `what is erased is gone from events and lists`(stores: Stores) throws {
    try stores.withStore { store, _ in
      let payload = #"{"name":{"$personal":"ann","value":"Ann"}}"#
      try store.append(Append([NewEvent(type: "T", payload: payload)], to: "s"))
      #expect(try store.erasing?.hasPersonalValues() == true)
      #expect(try store.erase(subject: "ann").fields == 1)
      #expect(try store.erasing?.hasPersonalValues() == false)
      let left = try store.events(.all, after: 0, through: nil, limit: 9)
      #expect(left.map(\.payload) == [#"{"name":{"$personal":"ann"}}"#])
    }
  }

  @Test(arguments: [Stores.sealingMemory, .sealingSQLite])
  func `inside a sealing store every payload is sealed, also after a compaction`(stores: Stores) throws {
    try stores.withStore { store, inner in
      func inside() throws -> [String] {
        try inner.events(.all, after: 0, through: nil, limit: 99).map { $0.payload ?? "" }
      }
      for number in 1...6 { try store.count("secret", number) }
      #expect(try inside().count == 6)
      #expect(try inside().allSatisfy { $0.hasPrefix("{\"sealed\":\"") && !$0.contains("secret") })
      var compaction = Compaction()
      compaction.rewrite(StockEvent.self) { _, events in
        guard let first = events.first, let last = events.last else { return [] }
        return [first.replaced(by: last.event)]
      }
      compaction.prove(Stocks())
      #expect(try store.compact(compaction).replaced == 1)
      #expect(try inside().count == 1)
      #expect(try inside().allSatisfy { $0.hasPrefix("{\"sealed\":\"") && !$0.contains("secret") })
      let left = try store.events(.all, after: 0, through: nil, limit: 99)
      #expect(left.map(\.payload) == [#"{"book":"secret","copies":6}"#])
    }
  }

  @MainActor
  @Test func `every store has awaited commands, which the caller's lists know when they return`() async throws {
    let stores: [any EventStore] = [
      OwnStore(environment: StoreEnvironment()), ForwardingStore(MemoryEventStore()),
      SealingStore(ForwardingStore(MemoryEventStore()), key: 7),
    ]
    for store in stores {
      let list = FetchedResultsController(
        store: store, projection: Stocks(), request: ListRequest(sort: [.ascending(\.id)]))
      try list.performFetch()
      let seen = Mutex<[Position]>([])
      let follower = try EventFollower("indexer", of: StockEvent.self, in: store, startingAt: .beginning) {
        recorded, _ in
        await Task.yield()
        seen.withLock { $0.append(recorded.position) }
      }
      try await store.execute(.counted(book: "a", copies: 1), on: Shop["main"])
      #expect(list.results.rows.map(\.copies) == [1])
      try await store.transaction { transaction in
        try transaction.execute(.counted(book: "a", copies: 2), on: Shop["main"])
        try transaction.execute(.counted(book: "b", copies: 3), on: Shop["other"])
      }
      #expect(list.results.rows.map(\.copies) == [2, 3])
      #expect(try await follower.catchUp() == 3)
      #expect(seen.withLock { $0 } == [1, 2, 3])
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `what another store appends to the same file wakes those who wait at a wrapper`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("outside-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("log").path
    let wrapper = SealingStore(ForwardingStore(try SQLiteEventStore(path: path)), key: 1)
    let other = SealingStore(try SQLiteEventStore(path: path), key: 1)
    async let reached: Void = wrapper.wait(for: 1)
    try await Task.sleep(for: .milliseconds(50))
    try other.count("a", 1)
    try await reached
    #expect(try await wrapper.state(of: Shop["main"]) == Shop(copies: ["a": 1]))
  }
}

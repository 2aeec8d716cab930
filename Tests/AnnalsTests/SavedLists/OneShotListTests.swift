import Annals
import AnnalsTesting
import Synchronization
import Testing

/// Lists that are made once.
@Suite struct OneShotListTests {
  private static let requests: [ListRequest<Item>] = [
    ListRequest(), .byGroup,
    ListRequest(filter: .where("low") { $0.rank < 3 }, sort: [.descending(\.name)], section: .by(\.group), limit: 4),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, order: .byFirstAppearance), offset: 1),
  ]

  @Test func `a list once is the one that a controller shows, now and at each position`() throws {
    try check(Generator.array(of: .itemTransaction, count: 0...6), settings: CheckSettings(examples: 40)) { history in
      try EveryStore.each { store in
        for events in history { try store.append(events, to: "items") }
        for request in Self.requests {
          let controller = FetchedResultsController(store: store, projection: Items(), request: request)
          try controller.performFetch()
          let list = try store.list(of: Items(), request)
          try ensure(list == controller.results && list.position == controller.position)
          let head = try store.head().rawValue
          for position in Set([0, head / 2, head]) {
            try controller.seek(to: Position(position))
            let past = try store.list(of: Items(), request, at: Position(position))
            try ensure(past == controller.results, "\(past), \(controller.results)")
            try ensureEqual(past.position, Position(position))
          }
        }
      }
    }
  }

  @Test func `it throws what a fetch throws, and what the request is refused for`() throws {
    let store = MemoryEventStore()
    try store.append([ItemEvent.put(Item("a", nil, 0)), .refused(reason: "no")], to: "items")
    let error = #expect(throws: ProjectionError.self) { try store.list(of: Items()) }
    #expect(error?.code == .refused && error?.event.position == 2)
    #expect(throws: ProjectionError.self) { try store.list(of: Items(), at: 2) }
    #expect(try store.list(of: Items(), at: 1).rows.map(\.id) == ["a"])
    let seek = #expect(throws: SeekError.self) { try store.list(of: Items(), at: 3) }
    #expect(seek?.end == 2)
    #expect(throws: EventCodingError.self) { try store.list(of: NoEnums()) }
    let nameless = ListRequest<Item>(filter: .where { $0.rank > 0 })
    #expect(throws: ListRequestError.self) { try store.list(of: Items(), nameless, cacheName: "list") }
    #expect(throws: ListRequestError.self) { try store.list(of: Chosen(id: "a"), cacheName: "list") }
    #expect(throws: EventStoreError.self) { try CountingStore().list(of: Items(), cacheName: "list") }
    let failing = FailingStore()
    failing.fails = true
    #expect(throws: EventStoreError.self) { try failing.list(of: Items()) }
  }

  @Test func `with a cache name it reads what was saved, and folds what came since`() throws {
    let every = try EveryStore()
    for store in every.stores where store.savedLists != nil {
      _ = SlowItems.takeCount()
      for number in 0..<40 { try store.append([ItemEvent.put(Item("\(number)", nil, number))], to: "items") }
      // Nothing is saved yet; nor is it by this.
      for _ in 0..<2 { #expect(try store.list(of: SlowItems(), .byGroup, cacheName: "items").rows.count == 40) }
      #expect(SlowItems.takeCount() == 80)
      let controller = FetchedResultsController(
        store: store, projection: SlowItems(), request: .byGroup, cacheName: "items")
      try controller.performFetch()
      try controller.saveCache()
      try store.append([ItemEvent.put(Item("new", nil, 99)), .removed(id: "3")], to: "items")
      _ = SlowItems.takeCount()
      let list = try store.list(of: SlowItems(), .byGroup, cacheName: "items")
      #expect(SlowItems.takeCount() == 2)
      #expect(list == controller.results && list.position == 42 && list.rows.count == 40)
      // Another request has no saved list.
      #expect(try store.list(of: SlowItems(), ListRequest(), cacheName: "items").rows.count == 40)
      #expect(SlowItems.takeCount() == 42)
      #expect(try store.list(of: SlowItems(), .byGroup) == list)
    }
  }

  @Test func `a saved list with pages that are gone is made from the events`() throws {
    let store = FragileStore()
    try store.append((0..<600).map { ItemEvent.put(Item("item \($0)", "g\($0 % 3)", $0)) }, to: "items")
    let controller = FetchedResultsController(
      store: store, projection: Items(), request: .byGroup, cacheName: "items")
    try controller.performFetch()
    try controller.saveCache()
    for divisor in [nil, 0, 1, 2, 3] {
      store.isDamaged.withLock { $0 = divisor }
      let list = try store.list(of: Items(), .byGroup, cacheName: "items")
      #expect(list == controller.results && list.rows.count == 600, "\(String(describing: divisor))")
      try store.append([ItemEvent.put(Item("item 7", "g1", 1_000))], to: "items")
      let next = try store.list(of: Items(), .byGroup, cacheName: "items")
      #expect(try next == store.list(of: Items(), .byGroup) && next.position == store.head())
      try store.append([ItemEvent.put(Item("item 7", "g1", 7))], to: "items")
    }
    store.failsToRead.withLock { $0 = true }
    #expect(throws: EventStoreError.self) { try store.list(of: Items(), .byGroup, cacheName: "items") }
  }

  @Test func `an inline list's pages serve it too`() throws {
    let store = MemoryEventStore()
    let kept = try store.keepList(of: Items(), request: .byGroup, cacheName: "kept")
    try store.append([ItemEvent.put(Item("a", "x", 0))], to: "items")
    #expect(try store.list(of: Items(), .byGroup, cacheName: "kept") == kept.results)
  }

  @Test func `it notifies no list, and is sent anywhere`() async throws {
    let store = MemoryEventStore()
    let controller = try controller(store)
    var batches = 0
    let observation = controller.observe { _ in batches += 1 }
    try await store.append([ItemEvent.put(Item("a", nil, 0))], to: "items")
    #expect(batches == 1)
    let list = try await Task.detached { try store.list(of: Items(), .byGroup) }.value
    #expect(list.rows.map(\.id) == ["a"] && batches == 1)
    observation.cancel()
  }
}

private struct NoEnums: Projection {
  func project(_ event: NoEnum, into rows: inout Rows<Item>) {}
}

/// Has stored properties, and no identity.
private struct Chosen: Projection {
  let id: String
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) {}
}

/// Counts the events that it folds.
private struct SlowItems: Projection {
  private static let count = CountBox()

  static func takeCount() -> Int { count.take() }

  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    Self.count.add()
    try Items().project(event, into: &rows)
  }
}

private final class CountBox: Sendable {
  private let count = Mutex(0)

  func add() { count.withLock { $0 += 1 } }

  func take() -> Int {
    count.withLock { count in
      defer { count = 0 }
      return count
    }
  }
}

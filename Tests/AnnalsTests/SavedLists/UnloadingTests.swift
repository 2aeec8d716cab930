import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLists
@testable import AnnalsLog

/// Lists that are saved, and so are not kept in memory.
@Suite struct UnloadingTests {
  private static func store(_ count: Int, pageBudget: Int) throws -> FragileStore {
    let store = FragileStore(pageBudget: pageBudget)
    try store.put((0..<count).map { .put(Item("item \($0)", "g\($0 % 5)", $0)) })
    return store
  }

  private static func list(
    _ store: some EventStore, named name: String? = "items", isolation: isolated (any Actor)? = #isolation
  ) throws -> FetchedResultsController<Item> {
    let list = FetchedResultsController(store: store, projection: Items(), request: .byGroup, cacheName: name)
    try list.performFetch()
    return list
  }

  /// How many rows of a list are in memory, by their ids and in their sections.
  private static func inMemory(_ results: Results<Item>) -> Int {
    let ids = results.list.ids
    let rows = results.list.sections.map(\.rows)
    return (0..<ids.count).count { ids.isInMemory(at: $0) }
      + rows.reduce(0) { sum, rows in sum + (0..<rows.count).count { rows.isInMemory(at: $0) } }
  }

  @Test func `a list that was made of events is not in memory once it is saved`() throws {
    let store = try Self.store(1_000, pageBudget: 20)
    let list = try Self.list(store)
    let delegate = MirrorDelegate(list.results)
    list.delegate = delegate
    let whole = try Self.list(store, named: nil)
    #expect(Self.inMemory(whole.results) == 2_000)
    try list.saveCache()
    #expect(Self.inMemory(list.results) == 0)
    #expect(list.results.rows.count == 1_000 && list.results.map(\.title) == whole.results.map(\.title))
    #expect(list.results[2][100].rank == 502)
    #expect((1...200).contains(Self.inMemory(list.results)))
    // What comes is delivered as ever, and reads what is on its way.
    try store.put(.put(Item("item 7", "g2", -1)), .removed(id: "item 9"))
    #expect(delegate.violations == [] && delegate.table.shows(list.results))
    #expect(Self.inMemory(list.results) < 300)
    #expect(try list.results == Self.list(store, named: nil).results)
  }

  @Test func `a list that fits on the pages that may be in memory stays there`() throws {
    let store = try Self.store(320, pageBudget: 20)
    let list = try Self.list(store)
    try list.saveCache()
    #expect(Self.inMemory(list.results) == 640)
    let longer = try Self.store(321, pageBudget: 20)
    let other = try Self.list(longer)
    try other.saveCache()
    #expect(Self.inMemory(other.results) == 0)
  }

  @Test func `who scrolls through a long list has never more of it in memory than a few pages`() throws {
    let store = try Self.store(5_000, pageBudget: 20)
    try Self.list(store).saveCache()
    let list = try Self.list(store)
    var most = 0
    for row in 0..<1_000 {
      #expect(list.results[1][row].rank == row * 5 + 1)
      if row % 100 == 0 { most = max(most, Self.inMemory(list.results)) }
    }
    #expect(most > 0 && most <= 20 * 16 * 2, "\(most)")
  }

  @MainActor
  @Test func `in an actor a list lets go by a job, also of what was read by a value of it`() async throws {
    let store = try Self.store(2_000, pageBudget: 20)
    let list = try Self.list(store)
    let delegate = MirrorDelegate(list.results)
    list.delegate = delegate
    var heard = 0
    let observation = list.observe { _ in heard += 1 }
    // The first fetch had more than 512 events, so that the list is saved without being asked.
    try await until { Self.inMemory(list.results) == 0 }
    let value = list.results
    for row in 0..<400 { #expect(value[1][row].rank == row * 5 + 1) }
    try await until { Self.inMemory(list.results) == 0 }
    #expect(Self.inMemory(value) >= 400)
    try store.put(.put(Item("item 7", "g2", -1)))
    #expect(heard == 1 && delegate.violations == [] && delegate.table.shows(list.results))
    withExtendedLifetime(observation) {}
  }

  @MainActor
  private func until(_ condition: @MainActor () -> Bool) async throws {
    for _ in 0..<30_000 {
      if condition() { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("it did not come to it")
  }

  @MainActor
  @Test func `a list that reads four budgets of pages for its changes is saved and released`() async throws {
    let store = try Self.store(5_000, pageBudget: 40)
    let list = try Self.list(store)
    try list.saveCache()
    #expect(Self.inMemory(list.results) == 0)
    let written = store.pagesWritten.withLock { $0 }
    // The list is more than 256 events ahead of the saved one, so that its rows are released only after a save.
    for rank in 0..<300 { try store.put(.put(Item("item 7", "g2", -rank))) }
    var number = 0
    // Each change reads a page by its id, and more pages for its places in the sections.
    func change() throws {
      number += 1
      try store.put(.put(Item("item \(number * 37 % 5_000)", "g\(number % 5)", number)))
    }
    // The change begins the save, which writes the pages on another thread.
    func hasBegun() throws -> Bool {
      let cache = try #require(list.source.listCache)
      return cache.state.withLock { $0.saving } > 0 || store.pagesWritten.withLock { $0 } > written
    }
    while try !hasBegun(), number < 1_000 { try change() }
    #expect(number < 1_000)
    try await until { Self.inMemory(list.results) < 40 * 16 * 2 }
    #expect(try list.results == Self.list(store, named: nil).results)
  }

  @MainActor
  @Test func `a list that goes on while it is saved lets go all the same`() async throws {
    let store = try Self.store(2_000, pageBudget: 20)
    let list = try Self.list(store)
    var table = MirrorTable(list.results)
    let observation = list.observe { changes in try? table.apply(changes) }
    // The first fetch has begun a save, and each of these is more than the way back to it is long.
    for start in stride(from: 0, to: 6_000, by: 300) {
      try store.put((start..<start + 300).map { .put(Item("item \($0 * 7 % 2_000)", "g\($0 % 6)", $0)) })
      await Task.yield()
    }
    // Some of many.
    try await until { stride(from: 0, to: 2_000, by: 10).count { list.results.list.ids.isInMemory(at: $0) } < 20 }
    #expect(table.shows(list.results))
    #expect(try list.results == Self.list(store, named: nil).results)
    withExtendedLifetime(observation) {}
  }

  @Test func `observers and sequences of changes go on from the list that took the place of one in memory`()
    async throws
  {
    let store = try Self.store(1_000, pageBudget: 20)
    let list = try Self.list(store, isolation: nil)
    var changes = list.changes.makeAsyncIterator()
    var known: Results<Item>?
    let observation = list.observe { known = $0.old }
    try list.saveCache()
    try store.put(.put(Item("item 7", "g2", -1)))
    list.refresh()
    let change = await changes.next()
    #expect(change?.new == list.results && change?.rows.count == 1)
    #expect(change.map { Self.inMemory($0.old) < 300 } == true)
    #expect(known.map { Self.inMemory($0) < 300 } == true)
    withExtendedLifetime(observation) {}
  }

  @Test func `rows that others show, aggregates and the index of a search keep a list in memory`() throws {
    let store = try Self.store(1_000, pageBudget: 4)
    let summed = FetchedResultsController(
      store: store, projection: Items(),
      request: ListRequest(sort: [.ascending(\.rank)], aggregates: [.sum(\.rank)]), cacheName: "sums")
    try summed.performFetch()
    try summed.saveCache()
    #expect(Self.inMemory(summed.results) == 2_000)
    #expect(summed.results.defects == [])
  }

  @Test func `a list whose filter changes stays in memory, and is not saved for each filter`() throws {
    let store = try Self.store(1_000, pageBudget: 4)
    let list = try Self.list(store)
    try list.saveCache()
    #expect(Self.inMemory(list.results) == 0)
    let written = store.pagesWritten.withLock { $0 }
    for rank in 1...3 {
      try list.update { $0.filter = .where("from \(rank)") { $0.rank >= rank } }
      #expect(list.results.rows.count == 1_000 - rank)
      #expect(Self.inMemory(list.results) >= 1_000 - rank)
    }
    try list.update { $0.filter = nil }
    #expect(list.results.rows.count == 1_000 && Self.inMemory(list.results) >= 1_000)
    #expect(store.pagesWritten.withLock { $0 } == written)
    // Limit and offset cut the saved list.
    let other = try Self.list(store)
    try other.update { ($0.offset, $0.limit) = (3, 20) }
    #expect(other.results.rows.count == 20 && Self.inMemory(other.results) < 400)
  }

  @MainActor
  @Test func `a list that shares its rows stays in memory until it is alone`() throws {
    let store = try Self.store(1_000, pageBudget: 4)
    let list = try Self.list(store)
    var other: FetchedResultsController<Item>? = try Self.list(store, named: nil)
    try list.saveCache()
    #expect(Self.inMemory(list.results) == 2_000)
    #expect(other?.results == list.results)
    other = nil
    try list.saveCache()
    #expect(Self.inMemory(list.results) == 0)
  }

  @Test func `a section that appeared since the list was saved stands where it did when the list lets go`() throws {
    let store = try Self.store(1_000, pageBudget: 4)
    let request = ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group, order: .byFirstAppearance))
    let list = FetchedResultsController(store: store, projection: Items(), request: request, cacheName: "items")
    try list.performFetch()
    try list.saveCache()
    #expect(Self.inMemory(list.results) == 0)
    for (number, group) in ["z", "a", "m"].enumerated() { try store.put(.put(Item("new \(number)", group, number))) }
    let whole = list.results
    for section in whole { for _ in section {} }
    // It has read all of it by now, and lets go: the last three events are folded again.
    let left = Self.inMemory(list.results)
    #expect(left < 200 && Self.inMemory(whole) >= 1_003, "\(left)")
    #expect(list.results.map(\.title) == ["g0", "g1", "g2", "g3", "g4", "z", "a", "m"])
    try store.put(.put(Item("new", "b", 7)))
    #expect(list.results.map(\.title) == ["g0", "g1", "g2", "g3", "g4", "z", "a", "m", "b"])
  }

  @Test func `a list that looks at the past, is suspended or has stopped is left as it is`() throws {
    // The first fetch of more events would save the list on another thread.
    let store = try Self.store(500, pageBudget: 4)
    let list = try Self.list(store)
    try list.seek(to: 400)
    try list.saveCache()
    #expect(list.results.rows.count == 400 && Self.inMemory(list.results) > 500)
    try list.returnToLive()
    list.suspendDelivery()
    try store.put(.put(Item("new", "g0", 7)))
    try list.saveCache()
    #expect(list.results.rows.count == 500 && Self.inMemory(list.results) == 1_000)
    list.resumeDelivery()
    #expect(list.results.rows.count == 501)
    try list.saveCache()
    #expect(Self.inMemory(list.results) < 100)
    #expect(try list.results == Self.list(store, named: nil).results)
  }
}

import Annals
import AnnalsTesting
import Testing

/// How a controller delivers changes of aggregates.
@Suite struct AggregateDeliveryTests {
  private let store = MemoryEventStore()
  private let request = ListRequest<Item>(
    sort: [.ascending(\.rank)], section: .by(\.group), aggregates: [.count, .sum(\.rank)])

  private func attach(_ controller: FetchedResultsController<Item>) -> MirrorDelegate<Item> {
    let delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    return delegate
  }

  @Test func `the delegate gets changed aggregates after the update cycles and before the snapshot`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "y", 2)))
    let controller = try controller(store, request)
    let delegate = attach(controller)
    try store.put(.put(Item("b", "y", 5)))
    #expect(delegate.calls == ["will", "row update [1, 0] → [1, 0]", "did", "aggregates 1 → 1"])
    #expect(delegate.aggregateChanges.map(\.isTotalChanged) == [true] && delegate.snapshots.count == 1)
    #expect(controller.results[.sum(\.rank)] == 6 && controller.results[1][.sum(\.rank)] == 5)
    try store.put(.put(Item("b", "y", 5, "new name")))
    #expect(delegate.aggregateChanges.count == 1, "no aggregate is another")
    try store.put(.put(Item("c", "a", 0)))
    #expect(delegate.calls.last == "aggregates" && delegate.aggregateChanges.last?.isTotalChanged == true)
    #expect(delegate.violations == [])
  }

  @Test func `a row that changes its section changes the aggregates of both sections but not the total`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)), .put(Item("c", "y", 3)))
    let delegate = attach(try controller(store, request))
    try store.put(.put(Item("b", "y", 2)))
    #expect(delegate.aggregateChanges.map(\.isTotalChanged) == [])
    let controller = try controller(store, request)
    let other = attach(controller)
    try store.put(.put(Item("b", "x", 2)))
    #expect(other.aggregateChanges.map(\.isTotalChanged) == [false] && other.calls.last == "aggregates 0 → 0 1 → 1")
  }

  @Test func `if only a hidden row changes an aggregate, the aggregate is delivered without an update cycle`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "y", 2)))
    let controller = try controller(store, request)
    controller.collapseSection("x")
    let delegate = attach(controller)
    var heard: [AggregateChanges] = []
    let observation = controller.observe { heard.append($0.aggregates) }
    try store.put(.put(Item("a", "x", 7)))
    #expect(delegate.calls == ["aggregates 0 → 0"] && delegate.snapshots.count == 1 && heard.count == 1)
    #expect(controller.results[0][.sum(\.rank)] == 7 && controller.results[0].isEmpty)
    controller.collapsedSections = .none
    #expect(delegate.aggregateChanges.count == 1, "hiding and showing rows is no change of an aggregate")
    _ = observation
  }

  @Test func `a request without aggregates reports no changed aggregates`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "y", 2)))
    let controller = try controller(store)
    let delegate = attach(controller)
    try store.put(.put(Item("a", "x", 3)))
    #expect(delegate.aggregateChanges.isEmpty)
    try controller.update { $0.aggregates = [.maximum(\.rank)] }
    #expect(delegate.calls.last == "aggregates 0 → 0 1 → 1" && controller.results[.maximum(\.rank)] == 3)
    try controller.update { $0.aggregates = [.maximum(\.rank)] }
    #expect(delegate.aggregateChanges.count == 1)
    try store.put(.put(Item("a", "x", 2)))
    #expect(delegate.aggregateChanges.count == 2 && controller.results[.maximum(\.rank)] == 2)
    try controller.update { $0.aggregates = [.minimum(\.rank)] }
    #expect(delegate.aggregateChanges.count == 3 && controller.results[.minimum(\.rank)] == 2)
    try store.put(.put(Item("a", "x", 1)))
    #expect(delegate.aggregateChanges.last?.sections.map(\.key) == ["x"])
  }

  @Test func `a saved list has its aggregates at the next start, and keeps them current`() throws {
    func controller() throws -> FetchedResultsController<Item> {
      let controller = FetchedResultsController(
        store: store, projection: Items(), request: request, cacheName: "items")
      try controller.performFetch()
      return controller
    }
    try store.put((0..<500).map { .put(Item("\($0)", "\($0 % 5)", $0)) })
    let first = try controller()
    try first.saveCache()
    try store.put(.put(Item("7", "2", 1_000)), .removed(id: "8"))
    let second = try controller()
    #expect(second.cacheReport.restored == 500)
    #expect(second.results == first.results && second.results[.count] == 499)
    let delegate = attach(second)
    try store.put(.put(Item("9", "4", 0)))
    let ranks = (0..<500).reduce(0, +) - 7 + 1_000 - 8 - 9
    #expect(second.results[.sum(\.rank)] == ranks)
    #expect(delegate.aggregateChanges.map { $0.sections.map(\.key) } == [["4"]] && delegate.violations == [])
    try second.saveCache()
    #expect(try controller().results == second.results)
  }

  @Test func `a slow observer gets the aggregates of all batches as one exact change`() async throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "y", 2)))
    let controller = try controller(store, request)
    var changes = controller.changes.makeAsyncIterator()
    try store.put(.put(Item("a", "x", 5)))
    try store.put(.put(Item("b", "y", 9)))
    try store.put(.put(Item("a", "x", 1)))
    let batch = try #require(await changes.next())
    #expect(batch.aggregates.sections.map(\.key) == ["y"] && batch.aggregates.isTotalChanged)
    let (old, new): (Int, Int) = (batch.old[.sum(\.rank)], batch.new[.sum(\.rank)])
    #expect(new - old == 7)
  }
}

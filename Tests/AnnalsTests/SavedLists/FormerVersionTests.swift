import Annals
import AnnalsTesting
import Synchronization
import Testing

/// The list of a projection's former version, shown while the new version's list is made.
@MainActor @Suite struct FormerVersionTests {
  /// What the app showed before its update.
  struct First: Projection {
    static let name = "items"
    func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws { try Items().project(event, into: &rows) }
  }

  /// What it shows now: even ranks have another name, and every seventh item is left out.
  struct Second: Projection {
    static let name = "items"
    static let version = 2
    static let formerVersions: Set<Int> = [1, 2]

    func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
      switch event {
      case .put(var item):
        if item.rank % 7 == 0 { return }
        if item.rank % 2 == 0 { item.name = "even" }
        rows.insert(item)
      case .refused where Self.passesRefused.withLock({ $0 }): break
      default: try Items().project(event, into: &rows)
      }
    }

    /// True once the code is fixed.
    static let passesRefused = Mutex(false)
  }

  private let store = FragileStore()

  private func fill() throws {
    for part in 0..<18 {
      try store.put((0..<500).map { .put(Item("item \(part * 500 + $0)", "g\($0 % 4)", part * 500 + $0, "odd")) })
    }
  }

  private func controller<P: Projection>(_ projection: P) -> FetchedResultsController<Item> where P.Row == Item {
    FetchedResultsController(store: store, projection: projection, request: .byGroup, cacheName: "items")
  }

  /// Shows a list with the former version, saves it, and returns it.
  private func former() throws -> Results<Item> {
    let list = controller(First())
    try list.performFetch()
    try list.saveCache()
    return list.results
  }

  private func plain() throws -> Results<Item> {
    let list = FetchedResultsController(store: store, projection: Second(), request: .byGroup)
    try list.performFetch()
    return list.results
  }

  @Test func `the list of a former version stands in, and goes over to the new one's in one batch`() async throws {
    try fill()
    let old = try former()
    try store.put(.put(Item("late", "g1", 1)), .removed(id: "item 11"))
    let list = controller(Second())
    var batches: [Changes<Item>] = []
    let watch = list.observe { batches.append($0) }
    let delegate = MirrorDelegate(old)
    list.delegate = delegate
    var stoodIn = 0
    try await list.performFetch { _ in
      #expect(list.showsFormerVersion && list.results == old && list.results.position == old.position)
      #expect(delegate.calls.isEmpty)
      stoodIn += 1
    }
    watch.cancel()
    #expect(stoodIn >= 2 && !list.showsFormerVersion)
    #expect(try list.results == plain() && list.results.position == 9_002)
    // Observers get the former list and the batch after it; the delegate gets only the batch.
    #expect(batches.count == 2 && batches[0].new == old && batches[1].old == old)
    #expect(batches[1].cause == [.events, .version] && batches[1].new == list.results)
    // The batch contains only the differences: 1,286 items are left out, half of the others have another name.
    #expect(batches[1].rows.count { if case .delete = $0 { true } else { false } } == 1_287)
    #expect(batches[1].rows.count { if case .insert = $0 { true } else { false } } == 1)
    #expect(batches[1].rows.count { if case .update = $0 { true } else { false } } == 3_857)
    #expect(delegate.violations == [] && delegate.snapshots.count == 1 && delegate.table.shows(list.results))
    // From here on it is an ordinary list.
    try store.put(.removed(id: "late"))
    #expect(delegate.snapshots.count == 2 && delegate.table.shows(list.results))
  }

  @Test func `both versions have a saved list of their own afterwards`() async throws {
    try fill()
    _ = try former()
    let list = controller(Second())
    try await list.performFetch { _ in }
    try list.saveCache()
    let (one, two) = (controller(First()), controller(Second()))
    try await two.performFetch { _ in Issue.record("nothing is left to be folded") }
    try one.performFetch()
    #expect(one.cacheReport.restored == 9_000 && two.cacheReport.restored == 9_000)
    #expect(try two.results == plain() && one.results != two.results && !two.showsFormerVersion)
  }

  @Test func `what stands in stays when the new version meets an event that it cannot fold`() async throws {
    Second.passesRefused.withLock { $0 = false }
    try fill()
    let old = try former()
    try store.put(.refused(reason: "no"))
    try store.put(.put(Item("late", "g1", 1)))
    let list = controller(Second())
    let delegate = MirrorDelegate(old)
    list.delegate = delegate
    await #expect(throws: ProjectionError.self) { try await list.performFetch { _ in } }
    #expect(list.showsFormerVersion && list.results == old && list.failure is ProjectionError)
    #expect(throws: ProjectionError.self) { try list.performFetch() }
    #expect(list.results == old && delegate.calls.isEmpty)
    Second.passesRefused.withLock { $0 = true }
    defer { Second.passesRefused.withLock { $0 = false } }
    try await list.performFetch { _ in }
    #expect(!list.showsFormerVersion && list.failure == nil && delegate.table.shows(list.results))
    #expect(try list.results == plain())
  }

  @Test func `a fetch that is cancelled leaves what stands in, and the next goes over to the new list`() async throws {
    try fill()
    let old = try former()
    let list = controller(Second())
    let delegate = MirrorDelegate(old)
    list.delegate = delegate
    let fetch = Task { @MainActor in try await list.performFetch { _ in } }
    while !list.showsFormerVersion { await Task.yield() }
    fetch.cancel()
    await #expect(throws: CancellationError.self) { try await fetch.value }
    #expect(list.showsFormerVersion && list.results == old)
    try list.performFetch()
    #expect(try list.results == plain())
    #expect(delegate.violations == [] && delegate.snapshots.count == 1 && delegate.table.shows(list.results))
  }

  @Test func `a list stands in only if it is whole, of the same request, and its version is named`() async throws {
    try fill()
    _ = try former()
    struct Third: Projection {
      static let name = "items"
      static let version = 3
      func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws { try Second().project(event, into: &rows) }
    }
    let other = controller(Third())
    try await other.performFetch { _ in #expect(!other.showsFormerVersion && other.results.rows.isEmpty) }
    let sorted = FetchedResultsController(
      store: store, projection: Second(), request: ListRequest(sort: [.descending(\.rank)]), cacheName: "items")
    try await sorted.performFetch { _ in #expect(!sorted.showsFormerVersion && sorted.results.rows.isEmpty) }
    let named = FetchedResultsController(store: store, projection: Second(), request: .byGroup, cacheName: "others")
    try await named.performFetch { _ in #expect(!named.showsFormerVersion) }
    // The former version's code is gone, so a missing page cannot be rebuilt.
    store.isDamaged.withLock { $0 = 5 }
    defer { store.isDamaged.withLock { $0 = nil } }
    let torn = controller(Second())
    try await torn.performFetch { _ in #expect(!torn.showsFormerVersion && torn.results.rows.isEmpty) }
    #expect(try torn.results == plain())
  }
}

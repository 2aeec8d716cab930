import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Saved lists with a part that can neither be read nor rebuilt for a while.
@MainActor @Suite struct LostListTests {
  private let store = FragileStore()

  private func list(
    _ request: ListRequest<Item> = .byGroup, named name: String? = "items"
  ) throws -> FetchedResultsController<Item> {
    let list = FetchedResultsController(store: store, projection: Items(), request: request, cacheName: name)
    try list.performFetch()
    return list
  }

  private func fill(_ count: Int = 600) throws {
    try store.put((0..<count).map { .put(Item("item \($0)", "g\($0 % 3)", $0)) })
    try list().saveCache()
  }

  private func lose(_ isLost: Bool = true) {
    store.isDamaged.withLock { $0 = isLost ? 0 : nil }
    store.failsToRead.withLock { $0 = isLost }
  }

  @Test func `rows that cannot be read are others of the list, as many as there were, and nil where that may be`()
    throws
  {
    try fill()
    let results = try list().results
    #expect(results.map(\.count) == [200, 200, 200])
    lose()
    let ids = results.map { $0.map(\.id) }
    #expect(ids.map(\.count) == [200, 200, 200] && results.rows.count == 600)
    #expect(ids.joined().allSatisfy { $0.hasPrefix("item ") })
    #expect(results[1][7].id == ids[1][7] && results.rows[207].id == ids[1][7])
    #expect(results.row(at: RowPath(section: 1, row: 7)) == nil && results.row(forID: "item 22") == nil)
    #expect(results.object(at: IndexPath(RowPath(section: 1, row: 7))).id == ids[1][7])
    // A value does not change: the rows that replaced the lost ones stay.
    lose(false)
    #expect(results.map { $0.map(\.id) } == ids && results.row(at: RowPath(section: 1, row: 7)) == nil)
  }

  @Test(.timeLimit(.minutes(60)))
  func `a delegate is notified when a mere look finds that a list is lost, and then gets a new list`() async throws {
    try fill()
    let whole = try list(named: nil).results
    let shown = try list()
    let listener = Listener()
    shown.delegate = listener
    var changes = shown.changes.makeAsyncIterator()
    // A view asks for the number of rows before it asks for a row.
    #expect(shown.results.map(\.count) == [200, 200, 200])
    lose()
    #expect(shown.results[1].map(\.id).count == 200)
    // There is no commit, but still a round: the events cannot be read either.
    let end = ContinuousClock.now + .seconds(20)
    while listener.failures.isEmpty, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
    #expect((shown.failure as? EventStoreError)?.code == .io && shown.results.map(\.count) == [200, 200, 200])
    #expect(shown.cacheReport.problem?.contains("The damaged part can't be rebuilt") == true)
    #expect(throws: EventStoreError.self) { try shown.saveCache() }
    // What a table view shows now; it knows the number of rows.
    let delegate = MirrorDelegate(shown.results, profile: .lenient)
    shown.delegate = delegate
    store.failsToRead.withLock { $0 = false }
    shown.refresh()
    let change = try #require(await changes.next())
    #expect(change.cause == .repair && change.new == whole && shown.results == whole && shown.failure == nil)
    #expect(change.sections.count == 6 && change.rows.count == 1_200)
    #expect(delegate.violations == [] && delegate.table.shows(whole))
    #expect(shown.results.defects == [])
    store.isDamaged.withLock { $0 = nil }
    try shown.saveCache()
    #expect(try shown.cacheReport.problem == nil && list().results == whole && list().cacheReport.restored == 600)
  }

  @Test func `a list that is lost while it is changed goes over to the rebuilt one in an exact batch`() throws {
    for step in 0..<6 {
      lose(false)
      try store.deleteCache(withName: nil)
      try store.put(.put(Item("step \(step)", "g1", step)))
      try fill(300 + step)
      let shown = try list()
      #expect(shown.cacheReport.restored != nil)
      // An observer knows every row that it shows. Only the pages of those rows are read.
      var table = MirrorTable(shown.results)
      let watch = shown.observe { changes in
        #expect(throws: Never.self, "step \(step)") { try table.apply(changes) }
        #expect(Changes(from: changes.old, to: changes.new).rows.count == changes.rows.count)
      }
      store.isDamaged.withLock { $0 = 0 }
      // The first attempt to rebuild a page fails, the next round does not.
      store.failsToRead.withLock { $0 = true }
      #expect(shown.results.path(forID: "item 70") == nil)
      store.failsToRead.withLock { $0 = false }
      switch step {
      case 0: shown.refresh()
      case 1: try shown.update { $0.sort = [.descending(\.rank)] }
      case 2: shown.collapseSection("g1")
      case 3: try store.put(.removed(id: "item 70"))
      case 4: try shown.seek(to: 200)
      default: try shown.saveCache()
      }
      shown.refresh()
      #expect(shown.failure == nil && table.shows(shown.results))
      let plain = FetchedResultsController(store: store, projection: Items(), request: shown.request)
      try plain.performFetch()
      plain.collapsedSections = shown.collapsedSections
      if step == 4 { try plain.seek(to: 200) }
      #expect(shown.results == plain.results, "step \(step)")
      #expect(shown.cacheReport.problem != nil || step == 5, "step \(step)")
      watch.cancel()
    }
  }

  @Test func `a list that is rebuilt where one was lost stops before an event that cannot be folded`() throws {
    try fill()
    let before = try list(named: nil).results
    try store.put(.refused(reason: "not this one"))
    try store.put(.removed(id: "item 3"))
    let shown = FetchedResultsController(
      store: store, projection: Items(), request: .byGroup, cacheName: "items")
    #expect(throws: ProjectionError.self) { try shown.performFetch() }
    #expect(shown.cacheReport.restored == 600 && shown.position == 600)
    let listener = Listener()
    shown.delegate = listener
    lose()
    _ = shown.results.map { $0.map(\.id) }
    lose(false)
    shown.refresh()
    #expect(shown.results == before && shown.position == 600 && shown.results.defects == [])
    #expect((shown.failure as? ProjectionError)?.event.position == 601)
    #expect(throws: Never.self) { try shown.saveCache() }
    #expect(shown.position == 600)
  }

  @Test(.timeLimit(.minutes(60)))
  func `a reader of changes that is slow gets an exact change from a list that was lost meanwhile`() async throws {
    try fill(120)
    let shown = try list()
    var table = MirrorTable(shown.results, profile: .lenient)
    var changes = shown.changes.makeAsyncIterator()
    try store.put(.put(Item("item 5", "g2", 1)))
    let first = shown.results
    lose()
    _ = first.map { $0.map(\.id) }
    lose(false)
    shown.refresh()
    let change = try #require(await changes.next())
    try table.apply(change)
    #expect(try table.shows(shown.results) && shown.results == list(named: nil).results)
  }
}

/// Records the failures that a controller reports.
private final class Listener: FetchedResultsControllerDelegate {
  typealias Row = Item
  var failures: [any Error] = []

  func controller(_ controller: FetchedResultsController<Item>, didFailWith error: any Error) { failures.append(error) }
}

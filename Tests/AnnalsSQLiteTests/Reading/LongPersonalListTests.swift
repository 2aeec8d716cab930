import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Testing

/// Long lists with personal values, read page by page.
@Suite struct LongPersonalListTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store() throws -> SQLiteEventStore {
    var environment = StoreEnvironment()
    environment.pageBudget = 8
    return try SQLiteEventStore(path: folder.path("log"), durability: .process, environment: environment)
  }

  private func put(_ ids: Range<Int>, in store: SQLiteEventStore) throws {
    let coder = try EventCoder<PowerEvent>()
    try store.append(
      Append(
        try ids.map { id in
          try coder.encode(.put(PowerRow(id: id, shelf: id % 4, text: Personal("t\(id)", of: "subject-\(id % 70)"))))
        }, to: "s"))
  }

  private func list(_ store: SQLiteEventStore, _ name: String?) throws -> FetchedResultsController<PowerRow> {
    let list = FetchedResultsController(
      store: store, projection: FaultRows(), request: FaultRows.request, cacheName: name)
    try list.performFetch()
    return list
  }

  @Test func `a long list with personal values is read page by page, without what was erased`() throws {
    let store = try store()
    try put(0..<700, in: store)
    try list(store, "rows").saveCache()
    let saved = try list(store, "rows")
    #expect(saved.cacheReport.restored == 700)
    #expect(saved.cacheReport.pagesRead < 5)
    #expect(try saved.results == list(store, nil).results)
    try store.erase(subject: "subject-1")
    let after = try list(store, "rows")
    #expect(after.results.rows.allSatisfy { $0.text.isErased == ($0.id % 70 == 1) })
  }

  @Test func `before an erasure of this program a list reads the rest, so that its batch has only rows that change`()
    throws
  {
    let store = try store()
    try put(0..<700, in: store)
    try list(store, "rows").saveCache()
    let shown = try list(store, "rows")
    // Another list of the same program, which was let go of.
    let other = try list(store, "others")
    try other.saveCache()
    let delegates = [MirrorDelegate(shown.results), MirrorDelegate(other.results)]
    (shown.delegate, other.delegate) = (delegates[0], delegates[1])
    var batches: [Changes<PowerRow>] = []
    let observation = shown.observe { batches.append($0) }
    let held = shown.results
    try store.erase(subject: "subject-1")
    #expect(batches.count == 1)
    #expect(batches.first?.cause == .erasure && batches.first?.rows.count == 10 && batches.first?.sections == [])
    for (list, delegate) in zip([shown, other], delegates) {
      #expect(try list.results == self.list(store, nil).results)
      #expect(delegate.violations == [] && delegate.table.shows(list.results))
      #expect(list.failure == nil)
    }
    // What was held before has what it had.
    #expect(held.rows.allSatisfy { !$0.text.isErased })
    withExtendedLifetime(observation) {}
  }

  @Test func `an erasure of another program makes a list again that was not read whole, in one exact batch`() throws {
    let (store, another) = (try store(), try store())
    try put(0..<700, in: store)
    try list(store, "rows").saveCache()
    let shown = try list(store, "rows")
    let delegate = MirrorDelegate(shown.results)
    shown.delegate = delegate
    var causes: [ChangeCause] = []
    let observation = shown.observe { causes.append($0.cause) }
    // The screen shows some rows.
    #expect(shown.results[0].prefix(20).map { $0.text.isErased }.contains(true) == false)
    try another.erase(subject: "subject-3")
    shown.refresh()
    #expect(try shown.results == list(store, nil).results)
    #expect(shown.results.rows.count { $0.text.isErased } == 10)
    #expect(delegate.violations == [] && delegate.table.shows(shown.results))
    #expect(causes == [[.erasure, .repair]])
    try put(700..<710, in: another)
    shown.refresh()
    #expect(try shown.results == list(store, nil).results && shown.failure == nil)
    try shown.saveCache()
    #expect(try list(store, "rows").cacheReport.restored == 710)
    withExtendedLifetime(observation) {}
  }
}

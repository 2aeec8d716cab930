import Annals
import AnnalsSQLite
import Testing

@Suite struct LongPersonalListTests {
  /// Such a list is read whole before it is shown: after an erasure nothing must be left to be read.
  @Test func `a long list with personal values is the same from its saved pages, without what was erased`()
    throws
  {
    let folder = try TemporaryFolder()
    let coder = try EventCoder<PowerEvent>()
    let store = try SQLiteEventStore(path: folder.path("log"))
    try store.append(
      Append(
        try (0..<700).map { id in
          try coder.encode(.put(PowerRow(id: id, shelf: id % 4, text: Personal("t\(id)", of: "subject-\(id % 2)"))))
        }, to: "s"))
    func list(_ name: String?) throws -> FetchedResultsController<PowerRow> {
      let list = FetchedResultsController(
        store: store, projection: FaultRows(), request: FaultRows.request, cacheName: name)
      try list.performFetch()
      return list
    }
    try list("rows").saveCache()
    let saved = try list("rows")
    #expect(saved.cacheReport.restored == 700)
    #expect(saved.cacheReport.pagesRead > 10)
    #expect(try saved.results == list(nil).results)
    try store.erase(subject: "subject-1")
    let after = try list("rows")
    #expect(after.results.rows.allSatisfy { $0.text.isErased == ($0.id % 2 == 1) })
  }
}

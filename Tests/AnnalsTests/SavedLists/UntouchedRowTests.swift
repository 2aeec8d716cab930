import Annals
import AnnalsTesting
import Synchronization
import Testing

/// Rows of a saved list that no event changes, and that stay bytes.
@Suite struct UntouchedRowTests {
  @Test func `an event after a save decodes the row that it changes, and not the other rows of the page`() throws {
    let store = FragileStore()
    try store.put((0..<2_000).map { .put(Item("item \($0)", "g\($0 % 5)", $0)) })
    try Self.list(store).saveCache()
    let list = try Self.list(store)
    var changes = 0
    let observation = list.observe { changes += $0.rows.count }
    defer { observation.cancel() }
    let start = CountedRow.count
    try store.put(.put(Item("item 700", "g2", 1_001)))
    let change = CountedRow.count - start
    #expect((1...8).contains(change) && changes > 0, "\(change) rows")
    try list.saveCache()
    // A saved row is decoded once more, to compare it with the row in memory.
    let save = CountedRow.count - start - change
    #expect((1...8).contains(save), "\(save) rows")
    let next = try Self.list(store)
    #expect(next.cacheReport.restored == 2_001 && next.cacheReport.problem == nil)
    #expect(try next.results == Self.list(store, named: nil).results)
  }

  private static func list(_ store: FragileStore, named name: String? = "rows") throws
    -> FetchedResultsController<CountedRow>
  {
    let list = FetchedResultsController(
      store: store, projection: CountedRows(),
      request: ListRequest(sort: [.ascending(\.rank)], section: .by(\.group)), cacheName: name)
    try list.performFetch()
    return list
  }
}

/// A row that counts how many rows are decoded.
private struct CountedRow: Row {
  private static let decoded = Atomic(0)

  static var count: Int { decoded.load(ordering: .relaxed) }

  let id: String
  let group: String
  let rank: Int

  init(id: String, group: String, rank: Int) { (self.id, self.group, self.rank) = (id, group, rank) }

  init(from decoder: any Decoder) throws {
    Self.decoded.add(1, ordering: .relaxed)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    group = try container.decode(String.self, forKey: .group)
    rank = try container.decode(Int.self, forKey: .rank)
  }
}

private struct CountedRows: Projection {
  func project(_ event: ItemEvent, into rows: inout Rows<CountedRow>) {
    if case .put(let item) = event {
      rows.insert(CountedRow(id: item.id, group: item.group ?? "", rank: item.rank))
    }
  }
}

import Annals
import AnnalsLog
import Testing

private enum PebbleEvent: Event {
  case found(Pebble)
}

private struct Pebble: Row {
  let id: Int
  let shore: String
}

private struct Pebbles: Projection {
  func project(_ event: PebbleEvent, into rows: inout Rows<Pebble>) {
    if case .found(let pebble) = event { rows.insert(pebble) }
  }
}

@Suite struct BeforeFetchTests {
  private let store = MemoryEventStore()
  private let request = ListRequest<Pebble>(sort: [.ascending(\.id)], section: .by(\.shore))

  init() throws {
    for id in 1...4 { try store.append([PebbleEvent.found(Pebble(id: id, shore: id < 3 ? "a" : "b"))], to: "s") }
  }

  /// A controller that was not asked to fetch, after something else was asked of it; and its reports.
  private func untold(
    _ body: (FetchedResultsController<Pebble>) throws -> Void
  ) throws -> (list: FetchedResultsController<Pebble>, count: Int) {
    let list = FetchedResultsController(store: store, projection: Pebbles(), request: request)
    var count = 0
    let observation = list.observe { _ in count += 1 }
    try body(list)
    try store.append([PebbleEvent.found(Pebble(id: 9, shore: "c"))], to: "s")
    list.refresh()
    observation.cancel()
    return (list, count)
  }

  @Test func `before the first fetch a list is empty and reports nothing, whatever is asked of it`() throws {
    for body in [
      { $0.collapseSection("a") }, { $0.collapsedSections = .allExcept(["b"]) },
      {
        try $0.seek(to: 2)
        try $0.returnToLive()
      }, { try $0.update { $0.sort = [.descending(\.id)] } },
    ] as [(FetchedResultsController<Pebble>) throws -> Void] {
      let (list, count) = try untold(body)
      #expect(count == 0)
      #expect(list.results.isEmpty && list.results.rows.isEmpty && list.position == 0)
      try list.performFetch()
      #expect(list.position == store.head())
      #expect(list.results.count == 3)
    }
  }

  @Test func `what was asked before the first fetch holds for the first list`() throws {
    let (collapsed, _) = try untold { $0.collapseSection("a") }
    try collapsed.performFetch()
    #expect(collapsed.results.map(\.count) == [0, 2, 1])
    let (turned, _) = try untold { try $0.update { $0.sort = [.descending(\.id)] } }
    try turned.performFetch()
    #expect(turned.results.rows.map(\.id) == [2, 1, 4, 3, 9])
  }

  @Test func `changes come to one who only awaits them`() async throws {
    let list = FetchedResultsController(store: store, projection: Pebbles(), request: request)
    try list.performFetch()
    var changes = list.changes.makeAsyncIterator()
    _ = try store.commit(Append([EventCoder<PebbleEvent>().encode(.found(Pebble(id: 5, shore: "a")))], to: "s"))
    list.refresh()
    let first = await changes.next(isolation: nil)
    #expect(first?.rows.count == 1)
  }
}

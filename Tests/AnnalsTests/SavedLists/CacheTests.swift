import Annals
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// Lists that are saved and read again, compared with lists that are made from all events.
@Suite struct CacheTests {
  /// The actions on a log and its lists.
  enum Step: Sendable {
    case commit([ItemEvent])
    case save
    case restart
    case request(Int)
    case damage(Int)
    case forget
  }

  private static let event: Generator<ItemEvent> = {
    let (id, group) = (Generator<Int>.int(in: 0...400), Generator<Int>.int(in: 0...6))
    @Sendable func name(_ number: Int) -> String? { number == 0 ? nil : "g\(number)" }
    return .frequency(
      (14, zip(id, group, .int(in: 0...40)).map { .put(Item("item \($0)", name($1), $2, "\($2 % 3)")) }),
      (4, id.map { .removed(id: "item \($0)") }),
      (1, zip(group, .int(in: 0...4)).map { .renamed(group: name($0), title: "title \($1)") }),
      (1, zip(group, .int(in: 0...4)).map { .numbered(group: name($0), number: Double($1)) }))
  }()

  private static let step: Generator<Step> = .frequency(
    (6, Generator<[ItemEvent]>.array(of: event, count: 1...6).map { .commit($0) }),
    (1, Generator<[ItemEvent]>.array(of: event, count: 40...120).map { .commit($0) }),
    (4, .constant(.save)), (4, .constant(.restart)),
    (1, Generator<Int>.int(in: 0...requests.count - 1).map { .request($0) }),
    (1, Generator<Int>.int(in: 1...60).map { .damage($0) }), (1, .constant(.forget)))

  private static let requests: [ListRequest<Item>] = [
    .byGroup, ListRequest(sort: [.descending(\.rank), .ascending(\.name)]),
    ListRequest(filter: .where("even") { $0.rank % 2 == 0 }, sort: [.ascending(\.rank)], section: .by(\.group)),
    ListRequest(filter: .where("thirds") { $0.rank % 3 == 0 }, sort: [.ascending(\.rank)], section: .by(\.group)),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, order: .byTitle)),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, order: .byFirstAppearance)),
    ListRequest(
      sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber, pinned: ["g1", "empty", nil]), limit: 30,
      offset: 5),
    ListRequest(
      sort: [
        SortKey.ascending(\.name, by: { $0 == $1 ? .orderedSame : $0 < $1 ? .orderedAscending : .orderedDescending })
          .named("names")
      ], section: .by("half") { $0.rank / 2 }),
    ListRequest(
      sort: [.descending(\.rank)], section: .by(\.group, order: .byRows, pinned: ["g1", "empty", nil]), limit: 60),
    ListRequest(
      sort: [
        SortKey.descending(\.rank, by: { $0 == $1 ? .orderedSame : $0 < $1 ? .orderedAscending : .orderedDescending })
          .named("ranks")
      ], section: .by(\.group, order: .byRows.descending)),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber.descending)),
    ListRequest(sort: [.descending(\.group)], section: .by(\.group)),
    ListRequest(section: .by(\.group, order: .inOrder(of: ["g3", nil, "g1"]))),
  ]

  @Test func `a saved list and what came after it are the list of all events, whatever happens in between`() throws {
    let restored = Mutex(0)
    let mended = Mutex(0)
    let budget = Generator<Int>.element(of: [1_024, 0, 1, 5])
    let cases = zip(budget, Generator<[Step]>.array(of: Self.step, count: 4...40))
    try check(cases, settings: CheckSettings(examples: 50)) { budget, steps in
      let store = FragileStore(pageBudget: budget)
      try store.put((0..<200).map { .put(Item("item \($0)", "g\($0 % 5)", $0 % 41, "\($0 % 3)")) })
      var request = Self.requests[0]
      var shown = Self.controller(store, request)
      try shown.performFetch()
      var table = MirrorTable(shown.results)
      var watch = shown.observe { changes in try? table.apply(changes) }
      var damage: Int?
      for step in steps {
        // Before a step, so that the reads of the step meet the damage.
        store.isDamaged.withLock { $0 = damage }
        switch step {
        case .commit(let events): try store.put(events)
        case .save: try shown.saveCache()
        case .request(let index):
          request = Self.requests[index]
          try shown.update { $0 = request }
        case .damage(let page): damage = page
        case .forget: try store.deleteCache(withName: "items")
        case .restart:
          watch.cancel()
          shown = Self.controller(store, request)
          try shown.performFetch()
          damage = nil
          if shown.cacheReport.restored != nil { restored.withLock { $0 += 1 } }
          table = MirrorTable(shown.results)
          watch = shown.observe { changes in try? table.apply(changes) }
        }
        let plain = FetchedResultsController(store: store, projection: Items(), request: request)
        try plain.performFetch()
        try ensureEqual(shown.failure == nil, true)
        try ensure(shown.results == plain.results && plain.results == shown.results, "the list is another")
        try ensureEqual(shown.results.position, plain.results.position)
        try SharedListTests.ensureReadsAlike(shown.results, plain.results)
        try ensureEqual(shown.results.defects, [])
        try ensure(table.shows(shown.results), "the table shows another list")
        if shown.cacheReport.problem != nil { mended.withLock { $0 += 1 } }
      }
      watch.cancel()
    }
    // It must happen at least sometimes; how often is chance.
    #expect(isQuickLook || restored.withLock { $0 } > 10 && mended.withLock { $0 } > 0)
  }

  private static func controller(
    _ store: some EventStore, _ request: ListRequest<Item>
  ) -> FetchedResultsController<Item> {
    FetchedResultsController(store: store, projection: Items(), request: request, cacheName: "items")
  }

  private func controller(
    _ store: some EventStore, _ request: ListRequest<Item> = .byGroup, named name: String? = "items"
  ) throws -> FetchedResultsController<Item> {
    let controller = FetchedResultsController(store: store, projection: Items(), request: request, cacheName: name)
    try controller.performFetch()
    return controller
  }

  @Test func `a list that is saved is read at the next start, and only the events after it are folded`() throws {
    let store = FragileStore()
    try store.put((0..<500).map { .put(Item("item \($0)", "g\($0 % 5)", $0)) })
    let first = try controller(store)
    #expect(first.cacheReport.restored == nil && first.cacheReport.miss != nil)
    try first.saveCache()
    #expect(first.cacheReport.saved == 500)
    try store.put(.put(Item("new", "g1", 7)))
    store.eventsRead.withLock { $0 = 0 }
    let second = try controller(store)
    #expect(store.eventsRead.withLock { $0 } == 1)
    #expect(second.cacheReport.restored == 500 && second.cacheReport.miss == nil)
    #expect(second.results == first.results && second.results.position == 501)
  }

  @Test func `the first rows of a long list are shown after a handful of pages was read`() throws {
    let store = FragileStore()
    try store.put((0..<8_000).map { .put(Item("item \($0)", "g\($0 % 5)", $0)) })
    try controller(store).saveCache()
    let list = try controller(store)
    #expect(list.results.rows.count == 8_000 && list.results.count == 5)
    for row in 0..<30 { #expect(list.results[0][row].rank == row * 5) }
    #expect(list.cacheReport.pagesRead <= 10)
    // One row in the middle, one by its id.
    #expect(list.results[3][800].rank == 4_003)
    #expect(list.results.path(forID: "item 777") == RowPath(section: 2, row: 155))
    #expect(list.cacheReport.pagesRead <= 30)
  }

  @Test func `as many rows are read at once as the request asks for`() throws {
    let store = FragileStore()
    try store.put((0..<2_000).map { .put(Item("item \($0)", nil, $0)) })
    try controller(store, ListRequest(sort: [.ascending(\.rank)])).saveCache()
    func pagesRead(_ size: Int, _ rows: Range<Int>) throws -> [Int] {
      let list = try controller(store, ListRequest(sort: [.ascending(\.rank)], fetchBatchSize: size))
      return rows.map { row in
        #expect(list.results.row(at: RowPath(section: 0, row: row))?.rank == row)
        return list.cacheReport.pagesRead
      }
    }
    // The first row also loads the others of its hundred.
    let read = try pagesRead(100, 200..<400)
    #expect(Set(read[..<100]).count == 1 && Set(read[100...]).count == 1 && read[0] < read[100])
    #expect(Set(try pagesRead(0, 200..<300)).count > 5)
  }

  @Test func `a change of a saved list writes the pages on its way and no others`() throws {
    let store = FragileStore()
    try store.put((0..<8_000).map { .put(Item("item \($0)", "g\($0 % 5)", $0)) })
    let list = try controller(store)
    try list.saveCache()
    let all = store.pagesWritten.withLock { $0 }
    #expect(all > 800)
    try store.put(.put(Item("item 7", "g2", -1)))
    list.refresh()
    try list.saveCache()
    #expect(store.pagesWritten.withLock { $0 } - all <= 12)
    #expect(store.pageCount == all)
  }

  @Test func `a change of a list that was opened reads the pages on its way and no others, also when it is saved`()
    throws
  {
    let store = FragileStore()
    try store.put((0..<8_000).map { .put(Item("item \($0)", "g\($0 % 5)", $0)) })
    try controller(store).saveCache()
    let list = try controller(store)
    try store.put(.put(Item("item 7", "g2", -1)))
    list.refresh()
    let before = list.cacheReport.pagesRead
    try list.saveCache()
    #expect(list.cacheReport.saved == 8_001)
    #expect(list.cacheReport.pagesRead - before <= 8)
    #expect(before <= 40)
  }

  @Test func `pages that no list needs are deleted`() throws {
    let store = FragileStore()
    var list: FetchedResultsController<Item>? = try controller(store)
    for round in 0..<60 {
      try store.put((0..<50).map { .put(Item("item \(($0 * 37 + round * 11) % 300)", "g\($0 % 5)", $0 + round)) })
      list?.refresh()
      try list?.saveCache()
      if round % 7 == 0 {
        list = nil
        list = try controller(store)
      }
    }
    let pages = store.pageCount
    try store.deleteCache(withName: nil)
    let fresh = try controller(store)
    try fresh.saveCache()
    // A tree that grew has a few more nodes than one that was built at once.
    #expect(pages <= store.pageCount * 3 / 2 + 8)
    #expect(fresh.results == list?.results)
  }

  @Test func `a page that is not there is made again from the events, and the next list is saved as a whole`() throws {
    let store = FragileStore()
    try store.put((0..<600).map { .put(Item("item \($0)", "g\($0 % 3)", $0)) })
    let whole = try controller(store, named: nil).results
    try controller(store).saveCache()
    let list = try controller(store)
    store.isDamaged.withLock { $0 = 0 }
    #expect(list.results == whole)
    #expect(list.cacheReport.problem?.contains("is missing") == true)
    store.isDamaged.withLock { $0 = nil }
    try store.put(.removed(id: "item 5"))
    list.refresh()
    try list.saveCache()
    #expect(list.cacheReport.problem == nil)
    let next = try controller(store)
    #expect(next.cacheReport.restored == 601 && next.results == list.results)
  }

  @Test func `where neither a page nor the log can be read, what may answer nil does`() throws {
    let store = FragileStore()
    try store.put((0..<600).map { .put(Item("item \($0)", "g\($0 % 3)", $0)) })
    try controller(store).saveCache()
    let list = try controller(store).results
    store.isDamaged.withLock { $0 = 0 }
    store.failsToRead.withLock { $0 = true }
    #expect(list.row(at: RowPath(section: 1, row: 100)) == nil)
    #expect(list.row(forID: "item 5") == nil)
    #expect(list.path(forID: "item 5") == nil)
    store.failsToRead.withLock { $0 = false }
    #expect(list.row(at: RowPath(section: 1, row: 100))?.id == "item 301")
    #expect(list.row(forID: "item 5")?.rank == 5)
  }

  @Test func `a saved section without a key keeps its place among the others when it gets a number`() throws {
    let store = FragileStore()
    try store.put(.put(Item("a", nil, 1)), .put(Item("b", "g1", 1)), .put(Item("c", "", 1)))
    let request = ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber))
    try controller(store, request).saveCache()
    let list = try controller(store, request)
    try store.put(.numbered(group: "g1", number: 1), .numbered(group: nil, number: 1), .numbered(group: "", number: 1))
    list.refresh()
    try list.saveCache()
    #expect(try list.results == controller(store, request, named: nil).results)
    // The sections are as they were saved. Their index by key is rebuilt.
    let next = try controller(store, request).results
    #expect(next.map(\.key) == [.null, .string(""), .string("g1")])
    store.isDamaged.withLock { $0 = 0 }
    #expect(next.sectionIndex(forKey: .null) == 0 && next.sectionIndex(forKey: "g1") == 2)
    #expect(next.defects == [])
  }

  @Test func `sections of a saved list stand by first appearance, those that appear after it too`() throws {
    let store = MemoryEventStore()
    try store.put(.put(Item("a", "m", 1)), .put(Item("b", "k", 1)))
    let request = ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group, order: .byFirstAppearance))
    try controller(store, request).saveCache()
    try store.put(.put(Item("c", "z", 1)))
    let list = try controller(store, request)
    #expect(list.cacheReport.restored == 2)
    try store.put(.put(Item("d", "b", 1)), .removed(id: "a"))
    try store.put(.put(Item("a", "m", 2)))
    list.refresh()
    #expect(list.results.map(\.title) == ["m", "k", "z", "b"])
    #expect(try list.results == controller(store, request, named: nil).results)
  }

  @Test func `two teams that share a cache name get each its own list`() throws {
    let store = MemoryEventStore()
    try store.put((0..<40).map { .put(Item("player \($0)", $0 % 2 == 0 ? "red" : "blue", $0)) })
    func team(_ name: String) -> ListRequest<Item> {
      ListRequest(filter: .where("team \(name)") { $0.group == name }, sort: [.ascending(\.rank)])
    }
    for _ in 0..<3 {
      for name in ["red", "blue"] {
        let list = try controller(store, team(name), named: "Players")
        #expect(list.results.rows.count == 20 && list.results.rows.allSatisfy { $0.group == name })
        try list.saveCache()
      }
    }
    #expect(try controller(store, team("red"), named: "Players").cacheReport.restored == 40)
    #expect(try controller(store, team("blue"), named: "Players").cacheReport.restored == 40)
  }

  @Test func `a list of another filter, order, cut or cache name is not taken`() throws {
    let store = MemoryEventStore()
    try store.put((0..<40).map { .put(Item("item \($0)", "g\($0 % 2)", $0)) })
    for request in Self.requests { try controller(store, request).saveCache() }
    for request in Self.requests {
      let list = try controller(store, request)
      #expect(list.cacheReport.restored == 40)
      #expect(try list.results == controller(store, request, named: nil).results)
    }
    #expect(try controller(store, Self.requests[0], named: "others").cacheReport.restored == nil)
    let descending = ListRequest<Item>(sort: [.descending(\.rank)], section: .by(\.group))
    #expect(try controller(store, descending).cacheReport.restored == nil)
    let pinned = ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group, pinned: ["g1"]))
    #expect(try controller(store, pinned).cacheReport.restored == nil)
  }

  @Test func `a store that keeps no lists refuses a cache name`() throws {
    let store = FailingStore()
    try store.put((0..<600).map { .put(Item("item \($0)", "g\($0 % 2)", $0)) })
    let list = FetchedResultsController(store: store, projection: Items(), request: .byGroup, cacheName: "items")
    for _ in 0..<2 {
      let error = #expect(throws: EventStoreError.self) { try list.performFetch() }
      #expect(error?.code == .unsupported && error?.capability == "saved lists")
      #expect(list.results.isEmpty)
    }
    let kept = #expect(throws: EventStoreError.self) {
      _ = try store.keepList(of: Items(), request: .byGroup, cacheName: "items")
    }
    #expect(kept?.code == .unsupported)
    #expect(throws: EventStoreError.self) { try store.deleteCache(withName: nil) }
    #expect(try controller(store, .byGroup, named: nil).results.rows.count == 600)
  }

  @Test func `what was appended is in the list that is kept when the append has returned, on whatever thread`() throws {
    let store = MemoryEventStore()
    let kept = try store.keepList(of: Items(), request: .byGroup, cacheName: "kept")
    let missing = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 4) { lane in
      for number in 0..<40 {
        let position = try? store.put(.put(Item("\(lane) \(number)", "g", number))).position
        let results = kept.results
        let isThere =
          results.row(forID: "\(lane) \(number)") != nil && results.position >= position ?? Position(Int.max)
        if !isThere { missing.withLock { $0 += 1 } }
      }
    }
    #expect(missing.withLock { $0 } == 0 && kept.results.rows.count == 160)
  }

  @Test func `limit and offset cut a saved list as they cut any other`() throws {
    let store = MemoryEventStore()
    try store.put((0..<400).map { .put(Item("item \($0)", "g\($0 % 2)", $0)) })
    try controller(store).saveCache()
    var request = ListRequest<Item>.byGroup
    (request.offset, request.limit) = (150, 100)
    let list = try controller(store, request)
    #expect(list.cacheReport.restored == 400)
    #expect(try list.results == controller(store, request, named: nil).results)
  }

  @Test func `a request with a part without a name is refused where there is a cache name`() throws {
    let store = MemoryEventStore()
    let unnamed: [(ListRequest<Item>, String)] = [
      (ListRequest(filter: .where { $0.rank > 1 }), "the filter"),
      (ListRequest(filter: .matching(#Predicate { $0.rank > 1 })), "the filter"),
      (ListRequest(sort: [.ascending(\.rank), .ascending { $0.name.count }]), "the sort key at index 1"),
      (ListRequest(sort: [.descending(\.name.count)]), "the sort key at index 0"),
      (ListRequest(section: .by(\.name.count)), "the grouping into sections"),
    ]
    for (request, part) in unnamed {
      let error = #expect(throws: ListRequestError.self) { try controller(store, request) }
      #expect(error?.code == .unnamedPart)
      #expect(error?.message.contains("because \(part) in the list's request must have a name") == true)
      #expect(throws: Never.self) { try controller(store, request, named: nil) }
    }
    let list = try controller(store)
    #expect(throws: ListRequestError.self) { try list.update { $0.filter = .where { $0.rank > 1 } } }
    #expect(list.request.filter == nil)
    #expect(throws: Never.self) {
      try controller(store, ListRequest(sort: [SortKey.ascending { $0.name.count }.named("length")]))
    }
    #expect(throws: Never.self) {
      try controller(store, ListRequest(filter: .matching(#Predicate { $0.rank > 1 }, named: "above one")))
    }
  }

  @Test func `a row that its coding does not keep is not saved, and the list says so`() throws {
    let store = MemoryEventStore()
    try store.put(.put(Item("item", "g", 1)))
    let list = FetchedResultsController(store: store, projection: Forgetting(), cacheName: "forgetting")
    try list.performFetch()
    let error = #expect(throws: PageError.self) { try list.saveCache() }
    #expect(error?.description.contains("expected an equal row after decoding") == true)
    #expect(list.cacheReport.problem != nil && list.cacheReport.saved == nil)
    #expect(list.results.rows.map(\.extra) == [1])
  }

  @Test func `numbers that JSON does not have are saved with their rows`() throws {
    let store = MemoryEventStore()
    try store.put(.put(Item("a", "g", 1)), .put(Item("b", "g", 2)), .put(Item("c", "g", 0)))
    func numbers() throws -> FetchedResultsController<Number> {
      let list = FetchedResultsController(store: store, projection: Numbers(), cacheName: "numbers")
      try list.performFetch()
      return list
    }
    try numbers().saveCache()
    let list = try numbers()
    #expect(list.cacheReport.restored == 3)
    #expect(list.results.rows.map { "\($0.value)" } == ["inf", "-inf", "nan"])
  }

  @Test func `what rows depend on is saved with them`() throws {
    let store = FragileStore()
    try store.put((0..<300).map { .put(Item("item \($0)", "g\($0 % 40)", $0)) })
    try store.put((0..<20).map { .renamed(group: "g\($0)", title: "name \($0)") })
    func titled(_ name: String?) throws -> FetchedResultsController<Titled> {
      let list = FetchedResultsController(
        store: store, projection: TitledItems(),
        request: ListRequest(sort: [.ascending(\.rank)], section: .by(\.title)), cacheName: name)
      try list.performFetch()
      return list
    }
    try titled("titled").saveCache()
    var restored = 0
    for round in 0..<30 {
      let list = try titled("titled")
      // Which pages are missing follows from their numbers: it may be the one that every start reads.
      #expect(list.cacheReport.restored != nil || round > 20)
      if round > 20, list.cacheReport.restored != nil { restored += 1 }
      try store.put(
        .renamed(group: "g\(round * 7 % 40)", title: "new \(round)"), .removed(id: "item \(round)"),
        .put(Item("item \(round + 100)", "g\(round)", round)))
      list.refresh()
      #expect(try list.results == titled(nil).results)
      if round % 3 == 0 { try list.saveCache() }
      if round == 20 { store.isDamaged.withLock { $0 = 3 } }
    }
    #expect(restored > 0, "no list of missing pages was read")
  }

  @Test func `a projection of another version does not take the list of the one before`() throws {
    let store = MemoryEventStore()
    try store.put(.put(Item("item", "g", 1)))
    try controller(store).saveCache()
    let list = FetchedResultsController(
      store: store, projection: MoreItems(), request: .byGroup, cacheName: "items")
    try list.performFetch()
    #expect(list.cacheReport.restored == nil && list.results.rows.map(\.rank) == [2])
  }

  @Test func `several controllers show one saved list while one of them saves newer ones`() throws {
    let store = FragileStore()
    try store.put((0..<800).map { .put(Item("item \($0)", "g\($0 % 3)", $0)) })
    try controller(store).saveCache()
    let (one, other) = (try controller(store), try controller(store))
    // A controller that does not follow has read none of the pages when they are replaced.
    other.suspendDelivery()
    let before = other.results
    let whole = try controller(store, named: nil).results
    for round in 0..<20 {
      try store.put((0..<40).map { .put(Item("item \($0 * 20)", "g\(round % 3)", round)) })
      one.refresh()
      try one.saveCache()
    }
    #expect(before == whole && other.cacheReport.problem == nil)
    other.resumeDelivery()
    #expect(other.results == one.results)
    try other.saveCache()
    #expect(try controller(store).results == one.results)
  }
}

/// A row whose coding loses a property.
private struct Forgetful: Row {
  let id: String
  var extra = 0

  enum CodingKeys: CodingKey { case id }
}

private struct Forgetting: Projection {
  func project(_ event: ItemEvent, into rows: inout Rows<Forgetful>) {
    if case .put(let item) = event { rows.insert(Forgetful(id: item.id, extra: item.rank)) }
  }
}

private struct Number: Row {
  let id: String
  let value: Double
}

private struct Numbers: Projection {
  func project(_ event: ItemEvent, into rows: inout Rows<Number>) {
    guard case .put(let item) = event else { return }
    rows.insert(Number(id: item.id, value: item.rank == 1 ? .infinity : item.rank == 2 ? -.infinity : .nan))
  }
}

private struct GroupName: Row {
  let id: String
  var title: String
}

private struct Titled: Row {
  let id: String
  let group: String
  let rank: Int
  var title = ""
}

private struct TitledItems: Projection {
  static let relations: [Relation<Titled>] = [
    .to(GroupName.self, by: \.group) { row, group in row.title = group?.title ?? "unnamed" }
  ]

  func project(_ event: ItemEvent, into rows: inout Rows<Titled>) {
    switch event {
    case .put(let item): rows.insert(Titled(id: item.id, group: item.group ?? "", rank: item.rank))
    case .removed(let id): rows[id] = nil
    case .renamed(let group, let title): rows.relate(GroupName(id: group ?? "", title: title))
    default: break
    }
  }
}

private struct MoreItems: Projection {
  static var name: String { Items.name }
  static var version: Int { 2 }

  func project(_ event: ItemEvent, into rows: inout Rows<Item>) {
    if case .put(var item) = event {
      item.rank += 1
      rows.insert(item)
    }
  }
}

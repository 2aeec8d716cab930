import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Rows that controllers of one projection share: what is folded, what is kept, and who does not share.
@MainActor
@Suite struct SharedRowsTests {
  private final class Count: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  /// Counts what it folds; equal to those with the same counter and name.
  private struct Counted: Projection, Equatable {
    let count: Count
    var name = ""

    static func == (left: Counted, right: Counted) -> Bool { left.count === right.count && left.name == right.name }

    func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
      count.add()
      try Items().project(event, into: &rows)
    }
  }

  /// Nothing says whether two of these are the same.
  private struct Unknown: Projection {
    let count: Count
    func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
      try Counted(count: count).project(event, into: &rows)
    }
  }

  private struct Named: Projection {
    let count: Count
    let identity: String?
    func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
      try Counted(count: count).project(event, into: &rows)
    }
  }

  private let store = MemoryEventStore(environment: .quiet)

  private func fill(_ numbers: Range<Int>) throws {
    try store.put(numbers.map { .put(Item("item \($0)", "g\($0 % 5)", $0 % 7, "\($0 % 3)")) })
  }

  private func open<P: Projection>(
    _ projection: P, _ request: ListRequest<Item> = .byGroup, cacheName: String? = nil
  ) throws -> FetchedResultsController<Item> where P.Row == Item {
    let controller = FetchedResultsController(
      store: store, projection: projection, request: request, cacheName: cacheName)
    try controller.performFetch()
    return controller
  }

  @Test func `equal projections fold each event once, however many lists there are`() throws {
    try fill(0..<50)
    let count = Count()
    let lists = try (0..<5).map { number in
      try open(
        Counted(count: count), ListRequest(filter: .where { $0.group == "g\(number)" }, sort: [.ascending(\.rank)]))
    }
    #expect(count.value == 50)
    try fill(50..<53)
    #expect(count.value == 53)
    try fill(49..<50)
    #expect(count.value == 54)
    #expect(lists.map(\.results.rows.count) == [11, 11, 11, 10, 10])
    #expect(lists.allSatisfy { $0.position == 54 })
  }

  @Test func `projections that may make other rows fold each for itself`() throws {
    try fill(0..<10)
    let count = Count()
    let lists = [
      try open(Counted(count: count, name: "a")), try open(Counted(count: count, name: "b")),
      try open(Unknown(count: count)), try open(Unknown(count: count)),
      try open(Named(count: count, identity: "a")), try open(Named(count: count, identity: "b")),
      try open(Named(count: count, identity: nil)),
    ]
    #expect(count.value == 70)
    let other = try open(Named(count: count, identity: "b"))
    #expect(count.value == 70)
    #expect(lists.allSatisfy { $0.results == other.results })
  }

  @Test func `controllers without isolation share nothing`() async throws {
    try fill(0..<10)
    let count = Count()
    let store = store
    let rows = try await Task.detached {
      let lists = try (0..<2).map { _ in
        let controller = FetchedResultsController(
          store: store, projection: Counted(count: count), request: .byGroup, isolation: nil)
        try controller.performFetch()
        return controller
      }
      return lists.map(\.results.rows.count)
    }.value
    #expect(rows == [10, 10])
    #expect(count.value == 20)
  }

  private final class Thing: Codable, Sendable {}

  private struct Holder: Row {
    let id: String
    let thing: Thing
    static func == (left: Holder, right: Holder) -> Bool { left.thing === right.thing }
  }

  private final class Things: Sendable {
    private struct Weak { weak var thing: Thing? }
    private let things = Mutex<[Weak]>([])
    func make() -> Thing {
      let thing = Thing()
      things.withLock { $0.append(Weak(thing: thing)) }
      return thing
    }
    var alive: Int { things.withLock { $0.count { $0.thing != nil } } }
  }

  private struct Holders: Projection, Equatable {
    let things: Things
    static func == (left: Holders, right: Holders) -> Bool { left.things === right.things }
    func project(_ event: ItemEvent, into rows: inout Rows<Holder>) {
      if case .put(let item) = event { rows.insert(Holder(id: item.id, thing: things.make())) }
    }
  }

  @Test func `the last controller to go lets the rows go`() throws {
    try fill(0..<20)
    let things = Things()
    func open() throws -> FetchedResultsController<Holder> {
      let controller = FetchedResultsController(store: store, projection: Holders(things: things))
      try controller.performFetch()
      return controller
    }
    var lists = [try open(), try open(), try open()]
    #expect(things.alive == 20)
    lists.removeFirst()
    #expect(things.alive == 20)
    // The next event finds that one is gone, and replaces a row.
    try fill(0..<1)
    lists.removeFirst()
    #expect(things.alive >= 20 && lists[0].results.rows.count == 20)
    lists.removeFirst()
    #expect(things.alive == 0)
    let again = try open()
    #expect(things.alive == 20 && again.position == 21)
  }

  @Test func `a row that a list leaves out is not cut into a section, and no key is made of it`() throws {
    try fill(0..<30)
    let (count, cuts) = (Count(), Count())
    let shown = try open(
      Counted(count: count),
      ListRequest(
        filter: .where { $0.group == "g1" }, sort: [.ascending(\.rank)],
        section: .by("name") { item in
          cuts.add()
          return item.name
        }))
    let all = try open(Counted(count: count))
    let before = cuts.value
    var batches = 0
    let observation = shown.observe { _ in batches += 1 }
    defer { withExtendedLifetime(observation) {} }
    try store.put(.put(Item("item 2", "g2", 5, "other")))
    #expect(cuts.value == before && batches == 0)
    #expect(shown.position == 31 && all.position == 31)
    try store.put(.put(Item("item 1", "g1", 5, "other")))
    #expect(cuts.value > before && batches == 1)
    #expect(shown.results.row(forID: "item 1")?.name == "other" && shown.results.row(forID: "item 2") == nil)
  }

  @Test func `a controller that begins while another folds slice by slice goes on where that one is`() async throws {
    for start in stride(from: 0, to: 20_000, by: 100) { try fill(start..<start + 100) }
    let count = Count()
    let slow = FetchedResultsController(store: store, projection: Counted(count: count), request: .byGroup)
    var (quick, steps): (FetchedResultsController<Item>?, Int) = (nil, 0)
    try await slow.performFetch { _ in
      steps += 1
      if steps == 2 { quick = try open(Counted(count: count), ListRequest(sort: [.descending(\.rank)])) }
    }
    #expect(steps > 2 || quick?.position == 20_000)
    #expect(count.value == 20_000)
    #expect(slow.results.rows.count == 20_000 && quick?.results.rows.count == 20_000)
    #expect(slow.position == 20_000 && quick?.position == 20_000)
  }

  @Test func `what a fetch's progress executes reaches the lists that share its rows`() throws {
    for start in stride(from: 0, to: 10_000, by: 100) { try fill(start..<start + 100) }
    let count = Count()
    let shown = try open(Counted(count: count))
    shown.suspendDelivery()
    for start in stride(from: 10_000, to: 20_000, by: 100) { try fill(start..<start + 100) }
    let other = FetchedResultsController(store: store, projection: Counted(count: count), request: .byGroup)
    var steps = 0
    try other.performFetch { _ in
      steps += 1
      if steps == 1 {
        shown.resumeDelivery()
        try fill(20_000..<20_001)
      }
    }
    #expect(shown.position == 20_001 && other.position == 20_001)
    #expect(shown.results == other.results)
    #expect(count.value == 20_001)
  }

  @Test func `a suspended list is saved as it is shown, though others go on`() throws {
    try fill(0..<40)
    let saved = try open(Items(), cacheName: "items")
    let other = try open(Items())
    try saved.saveCache()
    try fill(40..<42)
    saved.suspendDelivery()
    try fill(42..<50)
    #expect(other.position == 50 && saved.position == 42)
    try saved.saveCache()
    #expect(saved.cacheReport.saved == 42)
    let again = try open(Items(), cacheName: "items")
    #expect(again.cacheReport.restored == 42)
    #expect(again.results == other.results)
  }

  @Test func `a list without a cache goes on with the rows of one that was saved, and reads what it needs`() throws {
    struct Known: Projection, Equatable {
      let count: Count
      var identity: String? { "known" }
      static func == (left: Known, right: Known) -> Bool { left.count === right.count }
      func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
        try Counted(count: count).project(event, into: &rows)
      }
    }
    try fill(0..<400)
    let count = Count()
    do {
      let first = try open(Known(count: count), cacheName: "known")
      try first.saveCache()
    }
    #expect(count.value == 400)
    let saved = try open(Known(count: count), cacheName: "known")
    #expect(saved.cacheReport.restored == 400)
    let request = ListRequest<Item>(filter: .where { $0.rank < 3 }, sort: [.descending(\.name)])
    let plain = try open(Known(count: count), request)
    #expect(count.value == 400)
    try fill(300..<410)
    #expect(count.value == 510)
    let expected = try store.list(of: Items(), request)
    #expect(plain.results == expected)
    #expect(saved.results == (try store.list(of: Items(), .byGroup)))
  }
}

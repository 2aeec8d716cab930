import Annals
import AnnalsTesting
import Foundation
import Testing

/// Lists that show nothing of most events: they are passed over, and no one can tell.
@MainActor
@Suite struct PassedOverTests {
  private static let transaction: Generator<[ItemEvent]> = {
    let (id, group) = (Generator<Int>.int(in: 0...30), Generator<Int>.int(in: 0...3))
    let put = zip(id, group, .int(in: 0...9)).map { ItemEvent.put(Item("\($0)", "g\($1)", $2)) }
    let event = Generator<ItemEvent>.frequency(
      (30, put), (4, id.map { .removed(id: "\($0)") }),
      (1, zip(group, .int(in: 0...2)).map { .renamed(group: "g\($0)", title: "title \($1)") }),
      (1, zip(group, .int(in: 0...2)).map { .numbered(group: "g\($0)", number: Double($1)) }))
    return .frequency((8, event.map { [$0] }), (1, .array(of: event, count: 2...5)))
  }()

  private static let requests: [ListRequest<Item>] = [
    ListRequest(filter: .where { $0.group == "g0" && $0.rank == 0 }, sort: [.ascending(\.rank)]),
    ListRequest(
      filter: .where { $0.group == "g1" }, sort: [.descending(\.rank)], section: .by(\.group, order: .byNumber)),
    ListRequest(
      filter: .where { $0.rank > 8 }, sort: [.ascending(\.name)],
      section: .by(\.group, order: .byTitle, pinned: ["g2", nil])),
    ListRequest(
      filter: .where { $0.rank > 7 }, sort: [.ascending(\.rank)],
      section: .by(\.group, order: .byFirstAppearance, pinned: ["g3"])),
    ListRequest(filter: .where { $0.rank < 2 }, limit: 3), ListRequest(filter: .where { _ in false }),
    ListRequest(section: .by(\.group)),
  ]

  /// The number of the request whose sections stand by their first appearance.
  private static let byAppearance = 3

  /// A list, and what an observer has put together of the changes that it heard of.
  @MainActor
  private final class Screen {
    let controller: FetchedResultsController<Item>
    /// True if the rows alone say what the list is.
    let isOfRows: Bool
    var heard: Results<Item>
    private var observation: ChangeObservation?

    init(_ store: MemoryEventStore, _ number: Int) throws {
      isOfRows = number != PassedOverTests.byAppearance
      let request = PassedOverTests.requests[number]
      controller = FetchedResultsController(store: store, projection: Items(), request: request)
      try controller.performFetch()
      heard = controller.results
      observation = controller.observe { [unowned self] changes in
        #expect(changes.old == heard && !changes.isEmpty)
        let found = Changes(from: heard, to: changes.new)
        #expect(changes.rows == found.rows && changes.sections == found.sections)
        heard = changes.new
      }
    }
  }

  /// Runs are long: a list is made again after 64 events that did not concern it.
  @Test(arguments: [1, 2, 7])
  func `a list says the same whether an event was passed over or not`(count: Int) throws {
    try check(
      .array(of: Self.transaction, count: 0...150), .int(in: 0...6), .int(in: 0...150),
      settings: CheckSettings(examples: isQuickLook ? 8 : 40)
    ) { transactions, first, other in
      let store = MemoryEventStore(environment: .quiet)
      let screens = try (0..<count).map { try Screen(store, (first + $0) % Self.requests.count) }
      var rows = Rows<Item>()
      for (index, events) in transactions.enumerated() {
        try store.put(events)
        for event in events { try Items().project(event, into: &rows) }
        if index == other { try screens[0].controller.update { $0.filter = .where { $0.rank == 3 } } }
        for screen in screens {
          let shown = screen.controller.results
          #expect(shown.position == store.head())
          #expect(screen.heard == shown)
          // Rows alone do not know which section appeared first; those lists are looked at in the end.
          if screen.isOfRows {
            #expect(shown == Results(screen.controller.request, of: rows, at: shown.position))
          }
        }
      }
      for screen in screens {
        // Made from nothing by another store: rows and sections, and each row where its id says.
        let fresh = FetchedResultsController(store: store, projection: Fresh(), request: screen.controller.request)
        try fresh.performFetch()
        #expect(fresh.results == screen.controller.results)
        for id in 0...30 {
          #expect(
            fresh.results.path(forID: "\(id)") == screen.controller.results.path(forID: "\(id)"), "the row \(id)")
        }
      }
    }
  }

  /// The same rows as `Items`, which it does not share.
  private struct Fresh: Projection {
    func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws { try Items().project(event, into: &rows) }
  }

  @Test func `a row that a list had left out is shown however many events were passed over`() throws {
    for passed in [0, 1, 63, 64, 65, 130, 300] {
      let store = MemoryEventStore(environment: .quiet)
      try store.put([.put(Item("a", "g", 1)), .put(Item("b", "g", 0)), .put(Item("c", "g", 0))])
      let list = try controller(store, ListRequest(filter: .where { $0.rank > 0 }, sort: [.ascending(\.rank)]))
      for number in 0..<passed { try store.put(.put(Item("b", "g", -number))) }
      #expect(list.results.rows.map(\.id) == ["a"])
      #expect(list.position == Position(3 + passed))
      try store.put(.put(Item("c", "g", 2)))
      #expect(list.results.rows.map(\.id) == ["a", "c"])
      try store.put(.removed(id: "b"))
      try store.put(.put(Item("b", "g", 3)))
      try store.put(.put(Item("a", "g", 0)))
      #expect(list.results.rows.map(\.id) == ["c", "b"])
    }
  }

  /// A row that comes and goes in one commit is no change, and yet its section has appeared.
  @Test func `a fixed section whose first row came and went takes its place`() throws {
    let store = MemoryEventStore(environment: .quiet)
    let request = ListRequest<Item>(
      filter: .where { $0.rank > 0 }, section: .by(\.group, order: .byFirstAppearance, pinned: ["a", "b"]))
    try store.put(.put(Item("0", "left out", 0)))
    let list = try controller(store, request)
    #expect(list.results.map(\.title) == ["a", "b"])
    try store.put(.put(Item("1", "b", 1)), .removed(id: "1"))
    #expect(list.results.map(\.title) == ["b", "a"])
  }

  @Test func `a section is called otherwise without a row that changes`() throws {
    let store = MemoryEventStore(environment: .quiet)
    try store.put(.put(Item("1", "a", 1)), .put(Item("2", "b", 1)))
    let list = try controller(
      store, ListRequest(filter: .where { $0.rank > 0 }, section: .by(\.group, order: .byNumber)))
    try store.put(.put(Item("3", "a", 0)))
    try store.put(.renamed(group: "a", title: "A"))
    #expect(list.results.map(\.title) == ["A", "b"])
    try store.put(.numbered(group: "b", number: 1))
    #expect(list.results.map(\.title) == ["b", "A"])
  }

  @Test func `a list that is passed over is the object that it was, at the later position`() throws {
    let store = MemoryEventStore(environment: .quiet)
    try store.put(.put(Item("a", "g", 1)))
    let list = try controller(store, ListRequest(filter: .where { $0.rank > 0 }))
    let before = list.results
    var heard = 0
    let observation = list.observe { _ in heard += 1 }
    try store.put(.put(Item("b", "g", 0)))
    #expect(list.results == before && list.position == 2 && heard == 0)
    try store.put(.put(Item("b", "g", 1)))
    #expect(list.results.rows.count == 2 && heard == 1)
    observation.cancel()
  }
}

import Annals
import AnnalsTesting
import Testing

/// Sections by first appearance: their order depends only on the events, the request and the position.
@Suite struct AppearanceTests {
  enum Step: Sendable {
    /// Events in groups, one transaction per group.
    case commit([[ItemEvent]])
    /// To a part of the log, in sixteenths.
    case seek(Int)
    case resume
    case request(Int)
    case restart
  }

  private static let requests: [ListRequest<Item>] = [[], ["c", "never", nil], ["a", ""]].flatMap { fixed in
    [nil, RowFilter<Item>.where("low") { $0.rank < 3 }].map { filter in
      ListRequest(
        filter: filter, sort: [.ascending(\.rank)],
        section: .by(\.group, order: .byFirstAppearance, pinned: fixed as [String?]))
    }
  }

  private static let step: Generator<Step> = {
    let events = Generator<[ItemEvent]>.array(of: .itemEvent, count: 1...6)
    // A row that is inserted and removed inside one commit is in no list, but its section has appeared.
    let passing = zip(.element(of: ["a", "b", "c", "never", "", nil] as [String?]), .int(in: 0...5)).map {
      group, rank in
      [ItemEvent.put(Item("passing", group, rank)), .removed(id: "passing")]
    }
    let lots = Generator<[[ItemEvent]]>.array(of: .frequency((3, events), (2, passing)), count: 1...3)
    return .frequency(
      (5, lots.map { .commit($0) }), (2, lots.map { .commit([$0.flatMap { $0 }]) }),
      (2, lots.map { .commit($0.flatMap { $0 }.map { [$0] }) }), (6, Generator<Int>.int(in: 0...16).map { .seek($0) }),
      (2, .constant(.resume)), (2, Generator<Int>.int(in: 0...5).map { .request($0) }), (1, .constant(.restart)))
  }()

  private static func controller(
    _ store: MemoryEventStore, _ request: ListRequest<Item>, cacheName: String? = nil
  ) -> FetchedResultsController<Item> {
    FetchedResultsController(store: store, projection: Items(), request: request, cacheName: cacheName)
  }

  /// The expected keys in order, found by going through the events one by one.
  private static func keys(_ events: [ItemEvent], _ index: Int) throws -> [SectionKey] {
    let (request, fixed) = (requests[index], [[], ["c", "never", nil], ["a", ""]][index / 2] as [String?])
    var (rows, first, shown) = (Rows<Item>(), [:] as [String?: Int], Set(fixed))
    for (position, event) in events.enumerated() {
      try Items().project(event, into: &rows)
      let groups = rows.all.filter { request.filter == nil || $0.rank < 3 }.map(\.group)
      for group in groups where first[group] == nil { first[group] = position }
      if position == events.count - 1 { shown.formUnion(groups) }
    }
    let order = shown.sorted { left, right in
      let (one, other) = (first[left] ?? .max, first[right] ?? .max)
      return one != other ? one < other : (left.map { "1" + $0 } ?? "0") < (right.map { "1" + $0 } ?? "0")
    }
    return order.map { $0.map { .string($0) } ?? .null }
  }

  @Test func `sections by first appearance stand as in a new controller, whatever was shown before`() throws {
    try check(.array(of: Self.step, count: 1...25), settings: CheckSettings(examples: 250)) { steps in
      let store = MemoryEventStore()
      var (events, index) = ([] as [ItemEvent], 0)
      var shown = Self.controller(store, Self.requests[0], cacheName: "items")
      try shown.performFetch()
      for step in steps {
        switch step {
        case .commit(let lots):
          for lot in lots { try store.put(lot) }
          events += lots.flatMap { $0 }
        case .seek(let part): try shown.seek(to: Position(events.count * part / 16))
        case .resume: try shown.returnToLive()
        case .request(let number):
          index = number
          try shown.update { $0 = Self.requests[number] }
        case .restart:
          try shown.saveCache()
          shown = Self.controller(store, Self.requests[index], cacheName: "items")
          try shown.performFetch()
        }
        shown.refresh()
        let position = shown.position
        try ensureEqual(shown.results.map(\.key), try Self.keys(Array(events.prefix(position.rawValue)), index))
        let (early, late) = (Self.controller(store, Self.requests[index]), Self.controller(store, Self.requests[index]))
        try early.seek(to: position)
        try early.performFetch()
        try late.performFetch()
        try late.seek(to: position)
        for other in [early, late] {
          try ensure(
            shown.results == other.results, "a new controller shows \(other.results), this one \(shown.results)")
        }
      }
    }
  }

  @Test func `Sections of the past stand in their order after the request was set again`() throws {
    let store = MemoryEventStore()
    let list = Self.controller(store, Self.requests[2])
    try list.performFetch()
    try list.seek(to: 0)
    try store.put(.put(Item("0", "b", 0)))
    try store.put(.put(Item("1", "a", 0)))
    for _ in 0..<2 {
      try list.seek(to: 0)
      try list.update { $0 = Self.requests[2] }
      try list.seek(to: 2)
      #expect(list.results.map(\.key) == ["b", "a", .null, "c", "never"])
    }
  }

  @Test func `a fixed section has its place from the event that made it non-empty, though it is empty again`() throws {
    let fixed = ListRequest<Item>(
      sort: [.ascending(\.rank)], section: .by(\.group, order: .byFirstAppearance, pinned: ["x", "y"]))
    let (one, two) = (MemoryEventStore(), MemoryEventStore())
    let events: [ItemEvent] = [.put(Item("1", "y", 1)), .removed(id: "1"), .put(Item("2", "z", 1))]
    let (shownOne, shownTwo) = (Self.controller(one, fixed), Self.controller(two, fixed))
    try shownOne.performFetch()
    try shownTwo.performFetch()
    try one.put(events)
    for event in events { try two.put(event) }
    for shown in [shownOne, shownTwo] { #expect(shown.sections.map(\.title) == ["y", "z", "x"]) }
    for (position, titles) in [
      (0, ["x", "y"]), (1, ["y", "x"]), (2, ["y", "x"]), (3, ["y", "z", "x"]), (0, ["x", "y"]),
    ] {
      try shownOne.seek(to: Position(position))
      #expect(shownOne.sections.map(\.title) == titles, "at \(position)")
    }
  }
}

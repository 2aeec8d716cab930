import Annals
import AnnalsLog
import AnnalsTesting
import Synchronization
import Testing

/// Stored events and the events that they become: positions, queries, and types without steps.
@Suite struct StoredTypeTests {
  private let store = FragileStore()

  /// Appends two events that are split, each between others.
  private func fill() throws {
    func add(_ events: (type: String, schema: Int, payload: String)...) throws {
      try store.append(
        Append(events.map { NewEvent(type: $0.type, schema: $0.schema, payload: $0.payload) }, to: "Shop-main"))
    }
    try add(("ShopStocked", 3, #"{"id":"a","title":"A","shelf":"s"}"#))
    try add(
      ("ShopPriced", 3, #"{"id":"a","cents":1}"#),
      ("ShopImported", 1, #"{"books":[{"id":"b","title":"B","cents":3},{"id":"c","title":"C","cents":4}]}"#),
      ("ShopVisited", 1, "1"))
    try add(("ShopImported", 2, #"{"books":[{"id":"d","title":"D"},{"id":"e","title":"E","cents":5}]}"#))
    try add(("ShopSold", 3, #"{"id":"a"}"#))
  }

  @Test func `a seek never stops between what one stored event has become`() throws {
    try store.append(
      Append(
        [
          NewEvent(type: "ShopStocked", schema: 3, payload: #"{"id":"a","title":"A","shelf":"s"}"#),
          NewEvent(
            type: "ShopImported", schema: 1,
            payload: #"{"books":[{"id":"b","title":"B","cents":3},{"id":"c","title":"C","cents":4}]}"#),
          NewEvent(type: "ShopSold", schema: 3, payload: #"{"id":"a"}"#),
        ], to: "Shop-main"))
    let lists: [[(id: String, cents: Int)]] = [[], [("a", 0)], [("a", 0), ("b", 3), ("c", 4)], [("b", 3), ("c", 4)]]
    for cacheName in [nil, "wares"] {
      let list = FetchedResultsController(
        store: store, projection: Wares(), request: ListRequest(sort: [.ascending(\.id)]), cacheName: cacheName)
      try list.performFetch()
      try list.saveCache()
      let batches = Mutex<[Results<Ware>]>([])
      let token = list.observe { changes in batches.withLock { $0 += [changes.old, changes.new] } }
      // From every position to every other, each difference in both directions.
      for from in 0...3 {
        for to in 0...3 {
          try list.seek(to: Position(from))
          try list.seek(to: Position(to))
          #expect(list.position == Position(to))
        }
      }
      try list.returnToLive()
      token.cancel()
      let seen = batches.withLock { $0 }
      #expect(seen.count > 12)
      for results in seen {
        let expected = lists[results.position.rawValue]
        #expect(results.rows.map(\.id) == expected.map(\.id) && results.rows.map(\.cents) == expected.map(\.cents))
      }
    }
  }

  @Test func `a query, a subscription and a condition are of what is stored, by the stored names`() async throws {
    try fill()
    func positions(_ query: EventQuery) throws -> [Int] {
      try store.events(query, after: 0, through: nil, limit: 99).map(\.position.rawValue)
    }
    #expect(try positions(.types("ShopImported")) == [3, 5])
    // Not what the two have become.
    #expect(try positions(.types("ShopStocked")) == [1] && positions(.types("ShopPriced")) == [2])
    #expect(try positions(.types("ShopVisited")) == [4])
    let stored = try store.events(.types("ShopImported"), after: 0, through: nil, limit: 1)[0]
    #expect(stored.schema == 1 && stored.payload?.contains(#""books":[{"id":"b""#) == true)
    for (type, expected) in [("ShopImported", [3, 5]), ("ShopStocked", [1])] {
      var seen: [Int] = []
      for try await page in store.subscription(to: .types(type), after: 0) {
        seen += page.events.map(\.position.rawValue)
        if seen.count >= expected.count { break }
      }
      #expect(seen == expected)
    }
    let fits = Append.Condition(noneMatching: .types("ShopStocked"), after: 1)
    let conflicts = Append.Condition(noneMatching: .types("ShopImported"), after: 1)
    let event = Append.Entry(stream: "other", event: NewEvent(type: "T", payload: "1"))
    let error = #expect(throws: EventStoreError.self) { try store.append(Append([event], conditions: [conflicts])) }
    #expect(error == .conditionConflict(after: 1, found: 3))
    #expect(try await store.append(Append([event], conditions: [fits])).position == 7)
  }

  @Test func `a stored type without steps is read as it is, at each schema up to the present one`() throws {
    enum PlainEvent: Event, Equatable {
      case said(text: String)
      case renamed(text: String)
      static let schema = 4
      static let upcasters: [Upcaster] = [.renamed("PlainOld", from: 1, to: 4, as: "PlainRenamed")]
    }
    var coder = try EventCoder<PlainEvent>()
    for schema in [1, 2, 3, 4] {
      let payload = #"{"text":"x","unknown":1}"#
      #expect(try coder.read(type: "PlainSaid", schema: schema, payload: payload).events == [.said(text: "x")])
    }
    for schema in [5, Int.max] {
      let error = #expect(throws: EventCodingError.self) {
        try coder.read(type: "PlainSaid", schema: schema, payload: #"{"text":"x"}"#)
      }
      #expect(error?.code == .newerSchema)
    }
  }
}

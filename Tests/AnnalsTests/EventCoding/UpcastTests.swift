import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Stored events of older and newer schemas, as projections, lists and deciders see them.
@Suite struct UpcastTests {
  /// Keeps no states in memory, so that those that were saved are found.
  private let store = {
    var environment = StoreEnvironment.quiet
    environment.stateBudget = 0
    return MemoryEventStore(environment: environment)
  }()

  @discardableResult
  private func append(_ events: (type: String, schema: Int, payload: String)...) throws -> Receipt {
    try store.append(
      Append(
        events.map { NewEvent(type: $0.type, schema: $0.schema, payload: $0.payload, tags: ["shop"]) }, to: "Shop-main")
    )
  }

  private func list<P: Projection>(_ projection: P) throws -> FetchedResultsController<P.Row> where P.Row == Ware {
    let controller = FetchedResultsController(
      store: store, projection: projection, request: ListRequest(sort: [.ascending(\.title)], section: .by(\.shelf)))
    try controller.performFetch()
    return controller
  }

  /// Three transactions, with a split and a dropped event in the middle of the second.
  private func oldHistory() throws {
    try append(("ShopAdded", 1, #"{"id":"a","name":"Annals"}"#))
    try append(
      ("ShopPriced", 1, #"{"id":"a","price":"12.5"}"#),
      ("ShopImported", 1, #"{"books":[{"id":"b","title":"Book","cents":3},{"id":"c","title":"Code","cents":4}]}"#),
      ("ShopVisited", 2, "7"), ("ShopStocked", 2, #"{"id":"d","name":"Diary","shelf":"old"}"#))
    try append(("ShopBought", 1, #"{"id":"b"}"#), ("ShopVisited", 3, #"["not read"]"#))
  }

  @Test func `old events list as today's, each where and when it was recorded`() throws {
    try oldHistory()
    let list = try list(Wares())
    #expect(
      Array(list.fetchedObjects) == [
        Ware(id: "c", title: "Code", shelf: "import", cents: 4, place: "3.3.2"),
        Ware(id: "a", title: "Annals", shelf: "new", cents: 1250, place: "2.2.2"),
        Ware(id: "d", title: "Diary", shelf: "old", place: "5.5.2"),
      ])
    #expect(list.position == 7)
  }

  @Test func `a seek in between shows what a log cut off there would show, and its batches lead there`() throws {
    try oldHistory()
    let whole = try list(Wares())
    let table = MirrorDelegate(whole.results)
    whole.delegate = table
    let all = store.events(.all, after: 0, through: nil, limit: 99)
    for position in [3, 4, 0, 1, 2, 5, 6, 3, 7, 2] {
      try whole.seek(to: Position(position))
      var rows = Rows(for: Wares.self)
      for event in all.prefix(position) {
        for event in try ShopEvent.read(event) { Wares().project(event, into: &rows) }
      }
      let expected = Results(whole.request, of: rows, at: Position(position))
      #expect(Array(whole.fetchedObjects) == Array(expected.rows), "at \(position)")
      #expect(table.violations == [] && table.table.shows(whole.results))
    }
    try whole.seek(to: 3)
    #expect(whole.fetchedObjects.map(\.place) == ["3.3.2", "3.3.2", "2.2.2"])
  }

  @Test func `a batch of an old transaction is one batch, whatever became of its events`() throws {
    try append(("ShopAdded", 1, #"{"id":"a","name":"Annals"}"#))
    let controller = try list(Wares())
    var batches: [Int] = []
    let token = controller.observe { batches.append($0.rows.count) }
    defer { token.cancel() }
    try append(
      ("ShopImported", 1, #"{"books":[{"id":"b","title":"Book"},{"id":"c","title":"Code"}]}"#),
      ("ShopVisited", 1, "1"), ("ShopSold", 3, #"{"id":"a"}"#))
    controller.refresh()
    try append(("ShopVisited", 1, "1"))
    controller.refresh()
    #expect(batches == [3])
    #expect(controller.position == 5)
  }

  @Test func `what fails on the way up stops the list before its transaction, and is named with the step`() throws {
    let priced = "from ShopPriced (schema version 1) to ShopPriced (schema version 3) failed"
    for (type, schema, payload, words) in [
      ("ShopPriced", 1, #"{"id":"a","price":"dear"}"#, [priced, #"NoPrice(text: "dear")"#]),
      ("ShopPriced", 1, #"{"id":"a"}"#, [priced, "price"]),
      ("ShopPriced", 2, #"{"id":"a"}"#, ["no upcasting step converts ShopPriced (schema version 2)", "version, 3"]),
      ("ShopAdded", 2, #"{"id":"a"}"#, ["no upcasting step converts ShopAdded (schema version 2)"]),
      ("ShopStocked", 2, #"{"name":"x"}"#, ["the upcasters converted ShopStocked from schema version 2 to 3", "id"]),
      ("ShopStocked", 2, "[1]", ["the upcasters converted ShopStocked from schema version 2 to 3"]),
      (
        "ShopTaxed", 1, "{}",
        ["to ShopSold (schema version 3)", "of the type ShopStocked, but declares only ShopSold"]
      ),
    ] {
      let store = MemoryEventStore(environment: .quiet)
      try store.append(Append([NewEvent(type: "ShopSold", schema: 3, payload: #"{"id":"z"}"#)], to: "Shop-main"))
      try store.append(
        Append(
          [
            NewEvent(type: "ShopStocked", schema: 3, payload: #"{"id":"y","title":"","shelf":""}"#),
            NewEvent(type: type, schema: schema, payload: payload),
          ], to: "Shop-main"))
      let controller = FetchedResultsController(store: store, projection: Wares())
      let error = #expect(throws: ProjectionError.self) { try controller.performFetch() }
      #expect(error?.code == .notUpcast && error?.event.position == 3, "\(type) \(schema)")
      #expect((error?.underlying as? EventCodingError)?.code == .notUpcast)
      let place = "Wares stopped before event 3 (\(type), version 3 of stream \"Shop-main\")"
      for word in [place] + words {
        #expect(error?.message.contains(word) == true, "\(word) in \(error?.message ?? "nothing")")
      }
      #expect(controller.position == 1 && controller.results.rows.isEmpty)
      let refusal = #expect(throws: EventCodingError.self) { try store.execute("a", on: Shop["main"]) }
      #expect(refusal?.code == .notUpcast && refusal?.event?.position == 3)
    }
  }

  @Test func `steps that do not fit are refused at the first use, with all that is wrong`() throws {
    enum BrokenEvent: Event {
      case one(id: Int)

      static let schema = 3
      static let formerNames = ["BrokenFormer": "BrokenOne", "BrokenLost": "BrokenGone"]
      static let upcasters: [Upcaster] = [
        .changed("BrokenOne", from: 1, to: 2) { _ in },
        .changed("BrokenOne", from: 1, to: 3) { _ in },
        .renamed("BrokenOld", from: 1, to: 3, as: "BrokenNone"),
        .renamed("BrokenThis", from: 1, to: 1, as: "BrokenThat"),
        .renamed("BrokenThat", from: 1, to: 1, as: "BrokenThis"),
        .changed("BrokenOne", from: 3, to: 4) { _ in },
        .changed("BrokenFormer", from: 2, to: 3) { _ in },
        .changed("BrokenBack", from: 3, to: 0) { _ in },
      ]
    }
    struct Broken: Projection {
      func project(_ event: BrokenEvent, into rows: inout Rows<Ware>) {}
    }
    struct BrokenDecider: Decider {
      func decide(_ command: Int) -> [BrokenEvent] { [.one(id: command)] }
      func evolve(_ event: BrokenEvent) {}
    }
    let controller = FetchedResultsController(store: store, projection: Broken())
    let error = #expect(throws: EventCodingError.self) { try controller.performFetch() }
    #expect(error?.code == .unsuitableUpcasters)
    for sentence in [
      "the upcasting steps of BrokenEvent, whose schema version is 3, are inconsistent",
      "1. expected one step from BrokenOne (schema version 1), found several",
      "the step from BrokenOne (schema version 3) produces schema version 4, but the event type's current "
        + "schema version is 3",
      "a step starts at BrokenFormer (schema version 2), but BrokenFormer is a former name of BrokenOne",
      "the step from BrokenBack (schema version 3) produces the earlier schema version 0",
      "a step produces BrokenOne (schema version 2), but no step converts this event to the current schema version, 3",
      "the step from BrokenOld (schema version 1) produces BrokenNone (schema version 3), but no case has that name",
      "form a cycle: BrokenThat (schema version 1), BrokenThis (schema version 1)",
      "the former name BrokenLost refers to BrokenGone",
    ] {
      #expect(error?.message.contains(sentence) == true, "\(sentence) in \(error?.message ?? "nothing")")
    }
    #expect(error?.message.contains("9. ") == false)
    let refusal = #expect(throws: EventCodingError.self) { try store.execute(1, on: BrokenDecider["main"]) }
    #expect(refusal?.code == .unsuitableUpcasters)
    #expect(store.head() == 0)
  }

  @Test func `an event that a newer program wrote stops a list, is skipped, or is read as it is`() throws {
    struct Skipping: Projection {
      static let newerEvents = NewerEventPolicy.skip
      func project(_ event: ShopEvent, into rows: inout Rows<Ware>) {}
      func project(_ recorded: Recorded<ShopEvent>, into rows: inout Rows<Ware>) {
        Wares().project(recorded, into: &rows)
      }
    }
    struct Reading: Projection {
      static let newerEvents = NewerEventPolicy.read
      func project(_ event: ShopEvent, into rows: inout Rows<Ware>) {}
      func project(_ recorded: Recorded<ShopEvent>, into rows: inout Rows<Ware>) {
        Wares().project(recorded, into: &rows)
      }
    }
    try oldHistory()
    try append(("ShopStocked", 4, #"{"id":"n","title":"New","shelf":"x","colour":"red"}"#))
    let error = #expect(throws: ProjectionError.self) { try list(Wares()) }
    #expect(error?.code == .newerEvent && error?.event.position == 8)
    #expect(
      error?.message.contains(
        "a newer program wrote the event: ShopStocked has schema version 4, but this program can read only schema "
          + "versions up to 3") == true)
    #expect(try list(Skipping()).fetchedObjects.map(\.id) == ["c", "a", "d"])
    #expect(try list(Reading()).fetchedObjects.map(\.id) == ["c", "a", "d", "n"])
    // Newer events of other types are skipped. One that does not fit is an error where newer events are read.
    try append(("PlayerAdded", 9, "{}"), ("ShopPriced", 4, #"{"id":"a"}"#))
    #expect(try list(Skipping()).position == 10)
    let misfit = #expect(throws: ProjectionError.self) { try list(Reading()) }
    #expect(misfit?.code == .undecodable && misfit?.event.position == 10)
  }

  @Test func `a newer event of no case is unknown, and a dropped type is one that may come again`() throws {
    struct Lenient: Projection {
      static let unknownEvents = UnknownEventPolicy.skip
      func project(_ event: ShopEvent, into rows: inout Rows<Ware>) {}
    }
    for type in ["ShopMoved", "ShopVisited"] {
      let store = MemoryEventStore(environment: .quiet)
      try store.append(Append([NewEvent(type: type, schema: 4, payload: "{}")], to: "Shop-main"))
      let strict = FetchedResultsController(store: store, projection: Wares())
      let error = #expect(throws: ProjectionError.self) { try strict.performFetch() }
      #expect(error?.code == .unknownEvent)
      #expect(error?.message.contains("A newer program wrote the event with schema version 4, but") == true)
      let lenient = FetchedResultsController(store: store, projection: Lenient())
      try lenient.performFetch()
      #expect(lenient.position == 1)
    }
  }

  @Test func `a decider that cannot read all of its events decides nothing, and says which it was`() throws {
    for (type, schema) in [("ShopStocked", 4), ("ShopMoved", 3), ("ShopMoved", 9)] {
      let store = MemoryEventStore(environment: .quiet)
      try store.append(
        Append(
          [
            NewEvent(type: "ShopAdded", payload: #"{"id":"a","name":"A"}"#, tags: ["shop"]),
            NewEvent(type: type, schema: schema, payload: #"{"id":"b","title":"","shelf":""}"#, tags: ["shop"]),
          ], to: "Shop-main"))
      for execute in [
        { try store.execute("c", on: Shop["main"]) }, { try store.execute("c", on: .boundary(TaggedShop.self)) },
      ] {
        let error = #expect(throws: EventCodingError.self) { _ = try execute() }
        #expect(error?.code == (type == "ShopMoved" ? .unknownEvent : .newerSchema))
        #expect(error?.event?.position == 2 && error?.event?.type == type)
        let place =
          "cannot read event 2 (\(type), version 2 of stream \"Shop-main\") and cannot decide without this event"
        #expect(error?.message.contains(place) == true)
        #expect(error?.message.hasSuffix("Update the program to a version that can read the event") == true)
      }
      #expect(throws: EventCodingError.self) { try store.state(of: Shop["main"]) }
      #expect(store.head() == 2)
    }
  }

  @Test func `a decider sees what became of old events, also of one's own in the transaction`() throws {
    try oldHistory()
    let state = try store.state(of: Shop["main"])
    #expect(state.ids == ["a", "b", "c", "d"] && state.events == 8)
    #expect(throws: Shop.Twice.self) { try store.execute("c", on: Shop["main"]) }
    #expect(throws: Shop.Twice.self) { try store.execute("d", on: .boundary(TaggedShop.self)) }
    try store.transaction { transaction in
      try transaction.execute("e", on: Shop["main", expecting: .exact(7)])
      #expect(throws: Shop.Twice.self) { try transaction.execute("e", on: Shop["main"]) }
    }
    let last = store.events(.all, after: 7, through: nil, limit: 9)
    #expect(last.map(\.schema) == [3] && last.map(\.version) == [8])
  }

  @Test func `a boundary of types holds what old events of other names have become, and nothing else`() throws {
    try oldHistory()
    for id in ["a", "b", "c", "d"] {
      #expect(throws: Shop.Twice.self) { try store.execute(id, on: .boundary(TypedShop.self)) }
    }
    #expect(try store.execute(1, on: .boundary(Sales.self)).count == 1)
    #expect(store.events(.all, after: 7, through: nil, limit: 9).map(\.payload) == [#"{"id":"again b"}"#])
    // Four were stocked. Prices from the same stored event are outside the boundary.
    try store.execute("count", on: .boundary(TypedShop.self))
    #expect(store.events(.all, after: 8, through: nil, limit: 9).map(\.payload) == [#"{"cents":4,"id":"count"}"#])
  }

  @Test func `what an older program appends inside a boundary meanwhile is a conflict`() throws {
    let late = LateWriter()
    let store = MemoryEventStore(
      environment: StoreEnvironment(hook: { [late] moment in
        guard moment == .willAppend(attempt: 1) else { return }
        try late.store?.append(
          Append([NewEvent(type: "ShopAdded", payload: #"{"id":"a","name":"A"}"#)], to: "Shop-other"))
      }))
    late.store = store
    #expect(throws: Shop.Twice.self) { try store.execute("a", on: .boundary(TypedShop.self)) }
    #expect(store.head() == 1)
  }

  @Test func `an event at the present schema is not touched by steps`() throws {
    try append(
      ("ShopStocked", 3, #"{"id":"a","title":"T","shelf":"s","name":"kept out"}"#),
      ("ShopPriced", 3, #"{"id":"a","cents":5}"#))
    #expect(try list(Wares()).fetchedObjects.map(\.title) == ["T"])
    #expect(try list(Wares()).fetchedObjects.map(\.cents) == [5])
  }

  @Test func `a follower gets what old events have become, with the stored event's position`() throws {
    try oldHistory()
    let calls = Calls()
    let follower = try EventFollower("f", of: ShopEvent.self, in: store, startingAt: .beginning) { recorded, context in
      if calls.take("\(recorded.position) \(recorded.event)") == 6 { throw ShopEvent.NoPrice(text: "stop") }
    }
    let error = #expect(throws: ProjectionError.self) { try follower.catchUp() }
    #expect(error?.code == .refused && error?.event.position == 3)
    #expect(try follower.position == 2)
    #expect(try follower.catchUp() == 7)
    let places = calls.all.map { $0.prefix(1) }.joined()
    // The sixth was the last of the four at position 3, which come again; 4 and 7 are left out.
    #expect(places == "123333" + "333356")
    #expect(calls.all.last == #"6 sold(id: "b")"#)
    try append(("ShopSold", 4, #"{"id":"a"}"#), ("ShopVisited", 1, "1"), ("ShopTaxed", 1, "1"))
    let newer = #expect(throws: ProjectionError.self) { try follower.catchUp() }
    #expect(newer?.code == .newerEvent && newer?.event.position == 8)
    let lenient = try EventFollower("f", of: ShopEvent.self, in: store, startingAt: .beginning, newerEvents: .skip) {
      _, _ in
    }
    let poison = #expect(throws: ProjectionError.self) { try lenient.catchUp() }
    #expect(poison?.code == .notUpcast && poison?.event.position == 10)
    #expect(try lenient.position == 9)
  }

  @Test func `a decider's kept state is one of its steps, and taken for no others`() throws {
    try oldHistory()
    #expect(try store.state(of: KeptShop["main"]).count == 8)
    let name = String(reflecting: KeptShop.self)
    let kept = try #require(try store.snapshots?.snapshot(of: "Shop-main", decider: name))
    #expect(kept.version == 7)
    for (fingerprint, count) in [
      (kept.fingerprint, 70), (kept.fingerprint.replacing("ShopPriced schema 1 to", with: "ShopPriced schema 2 to"), 8),
      (kept.fingerprint.replacing("ShopBought", with: "ShopGot"), 8),
    ] {
      try store.snapshots?.save(
        DeciderSnapshot(fingerprint: fingerprint, version: 7, position: kept.position, state: #"{"count":70}"#),
        of: "Shop-main", decider: name, revision: .original)
      #expect(try store.state(of: KeptShop["main"]).count == count, "\(fingerprint)")
    }
  }

  @Test func `a type that another took over at a later schema passes by`() throws {
    enum NoteEvent: Event, Equatable {
      case written(text: String)
      static let schema = 2
      static let upcasters: [Upcaster] = [.renamed("MemoWritten", from: 1, to: 2, as: "NoteWritten")]
    }
    var coder = try EventCoder<NoteEvent>()
    let payload = #"{"text":"x"}"#
    #expect(try coder.read(type: "MemoWritten", schema: 1, payload: payload).events == [.written(text: "x")])
    #expect(try coder.read(type: "MemoWritten", schema: 2, payload: payload).events == [])
    #expect(try coder.read(type: "MemoErased", schema: 1, payload: "?").events == [])
    #expect(try coder.read(type: "NoteWritten", schema: 1, payload: payload).events == [.written(text: "x")])
  }
}

/// The calls of a follower's handler, in order.
private final class Calls: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  /// Adds a text, and returns how many there are.
  func take(_ text: String) -> Int {
    texts.withLock { texts in
      texts.append(text)
      return texts.count
    }
  }
}

/// Holds the store that its own hook appends to; set once, before the store is used.
private final class LateWriter: @unchecked Sendable {
  weak var store: MemoryEventStore?
}

extension ShopEvent {
  /// The events that a stored one becomes.
  fileprivate static func read(_ stored: StoredEvent) throws -> [Recorded<ShopEvent>] {
    var coder = try EventCoder<ShopEvent>()
    return try coder.read(stored).events.map { Recorded($0, stored) }
  }
}

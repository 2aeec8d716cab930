import Annals
import AnnalsTesting
import Testing

/// Seeks through time, and stops at events that cannot be folded.
@Suite struct TimeTests {
  private let store = MemoryEventStore(environment: .quiet)

  @Test func `a seek in either direction reports its changes, and so does the return to the end`() throws {
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.put(Item("b", "y", 2)), .removed(id: "a"))
    let controller = try controller(store)
    let delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    var causes: [ChangeCause] = []
    let observation = controller.observe { causes.append($0.cause) }
    for (position, ids) in [(1, ["a"]), (0, []), (2, ["a", "b"]), (3, ["b"]), (1, ["a"])] as [(Position, [String])] {
      try controller.seek(to: position)
      #expect(controller.fetchedObjects.map(\.id) == ids)
      #expect(controller.position == position)
      #expect(delegate.table.shows(controller.results))
    }
    #expect(controller.isSeeking)
    try store.put(.put(Item("c", "z", 3)))
    #expect(controller.fetchedObjects.map(\.id) == ["a"])
    try controller.returnToLive()
    #expect(controller.fetchedObjects.map(\.id) == ["b", "c"])
    #expect(!controller.isSeeking)
    #expect(delegate.violations == [])
    #expect(causes == [.seek, .seek, .seek, .seek, .seek, [.seek, .events]])
    observation.cancel()
  }

  @Test func `one who heard nothing of a seek hears of it with the next batch`() async throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)))
    try store.put(.put(Item("c", "x", 3)))
    let controller = try controller(store)
    try await controller.update { $0.filter = .where { $0.rank < 3 } }
    var batches: [String] = []
    let observation = controller.observe { batches.append("\($0.from) to \($0.to): \($0.cause)") }
    var sequence = controller.changes.makeAsyncIterator()
    // What the list shows was the same then, so that no one is notified.
    try controller.seek(to: 2)
    #expect(batches == [])
    try await controller.update { $0.filter = .where { $0.rank < 2 } }
    #expect(batches == ["3 to 2: seek, request"])
    let changes = await sequence.next(isolation: #isolation)
    #expect(changes?.cause == [.seek, .request] && changes?.from == 3 && changes?.to == 2)
    observation.cancel()
  }

  @Test func `a seek past the end is refused and changes nothing`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = try controller(store)
    let error = #expect(throws: SeekError.self) { try controller.seek(to: 2) }
    #expect(error?.description == "expected a position from 0 to 1 (the log's last position), found 2")
    #expect(!controller.isSeeking && controller.position == 1)
  }

  @Test func `a controller may seek before its first fetch`() throws {
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.put(Item("b", "x", 1)))
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    try controller.seek(to: 1)
    try controller.performFetch()
    #expect(controller.fetchedObjects.map(\.id) == ["a"])
    try controller.returnToLive()
    #expect(controller.fetchedObjects.map(\.id) == ["a", "b"])
  }

  @Test func `every position of a long log is reached from every other`() throws {
    let history = Generator.array(of: .itemTransaction, count: 250...400)
    let seeks = Generator.array(of: zip(.bool(0.3), .int(in: 0...250), .int(in: -3...3)), count: 50...100)
    let settings = CheckSettings(examples: 4, maxChoices: 60_000)
    try check(history, seeks, settings: settings) { history, seeks in
      let store = MemoryEventStore(environment: .quiet)
      var model = Rows<Item>()
      var lists: [Results<Item>] = [Results(.byGroup, of: model, at: 0)]
      for events in history {
        try store.put(events)
        for event in events {
          try Items().project(event, into: &model)
          lists.append(Results(.byGroup, of: model, at: Position(lists.count)))
        }
      }
      let controller = try controller(store)
      let delegate = MirrorDelegate(controller.results)
      controller.delegate = delegate
      controller.reportedMoves = [.rows, .sections]
      for (isFar, place, step) in seeks {
        let near = max(0, min(lists.count - 1, controller.position.rawValue + step))
        let position = isFar ? place * (lists.count - 1) / 250 : near
        try controller.seek(to: Position(position))
        try ensure(controller.results == lists[position], "another list at \(position): \(controller.results)")
        try ensureEqual(delegate.violations, [])
        try ensure(delegate.table.shows(controller.results), "the table shows another list at \(position)")
      }
    }
  }

  @Test func `a poison event stops the list after the previous transaction, and is reported once`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = try controller(store)
    final class Listener: FetchedResultsControllerDelegate {
      var errors: [any Error] = []
      func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {}
      func controller(_ controller: FetchedResultsController<Item>, didFailWith error: any Error) {
        errors.append(error)
      }
    }
    let listener = Listener()
    controller.delegate = listener
    controller.suspendDelivery()
    try store.put(.put(Item("b", "x", 2)), .removed(id: "a"))
    try store.put(.put(Item("c", "x", 3)), .refused(reason: "no"), .put(Item("d", "x", 4)))
    controller.resumeDelivery()
    #expect(controller.fetchedObjects.map(\.id) == ["b"])
    #expect(controller.position == 3)
    let error = try #require(controller.failure as? ProjectionError)
    #expect(
      error.code == .refused && error.event.position == 5 && error.underlying as? Refusal == Refusal(reason: "no"))
    #expect(
      error.description == "Items stopped before event 5 (ItemRefused, version 5 of stream \"items\"): Refusal(reason: "
        + "\"no\"). Correct the projection's or follower's code so that it accepts the event")
    try store.put(.put(Item("e", "x", 5)))
    #expect(listener.errors.count == 1)
    #expect(controller.position == 3)
    controller.refresh()
    #expect(listener.errors.count == 2)
    #expect(throws: ProjectionError.self) { try controller.performFetch() }
    #expect(throws: ProjectionError.self) { try controller.seek(to: 6) }
    try controller.seek(to: 4)
    #expect(controller.fetchedObjects.map(\.id) == ["b", "c"])
    #expect(throws: ProjectionError.self) { try controller.returnToLive() }
    #expect(controller.position == 3)
  }

  @Test func `the first fetch stops at a poison event too`() throws {
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.refused(reason: "no"))
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    #expect(throws: ProjectionError.self) { try controller.performFetch() }
    #expect(controller.fetchedObjects.map(\.id) == ["a"])
    #expect(controller.failure is ProjectionError)
  }

  @Test func `a store that fails is retried at the next commit, and until then the list reports the failure`() throws {
    let store = FailingStore()
    try store.put(.put(Item("a", "x", 1)))
    let controller = try controller(store)
    let delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    store.fails = true
    try store.put(.put(Item("b", "x", 2)))
    #expect(controller.failure is EventStoreError && controller.results.rows.count == 1)
    #expect(throws: EventStoreError.self) { try controller.performFetch() }
    store.fails = false
    try store.put(.put(Item("c", "x", 3)))
    #expect(controller.failure == nil && controller.results.rows.count == 3)
    #expect(delegate.violations == [] && delegate.table.shows(controller.results))
    store.fails = true
    let other = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    #expect(throws: EventStoreError.self) { try other.performFetch() }
    #expect(other.results.rows.isEmpty)
    store.fails = false
    try other.performFetch()
    #expect(other.results.rows.count == 3)
  }

  @Test func `a first fetch while delivery is suspended shows the list`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    controller.suspendDelivery()
    try controller.performFetch()
    #expect(controller.results.rows.count == 1)
    try store.put(.put(Item("b", "x", 1)))
    #expect(controller.results.rows.count == 1)
  }

  @Test func `an unknown event stops a projection, unless its policy is to skip it`() throws {
    struct Lenient: Projection {
      static let unknownEvents = UnknownEventPolicy.skip
      func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws { try Items().project(event, into: &rows) }
    }
    try store.put(.put(Item("a", "x", 1)))
    try store.append(Append([NewEvent(type: "ItemPolished", payload: "{}")], to: "items"))
    try store.append(Append([NewEvent(type: "Item", payload: "{}")], to: "items"))
    try store.append(Append([NewEvent(type: "ShopOpened", payload: "{}")], to: "shop"))
    let strict = FetchedResultsController(store: store, projection: Items())
    let error = #expect(throws: ProjectionError.self) { try strict.performFetch() }
    #expect(error?.code == .unknownEvent && error?.event.position == 2 && strict.position == 1)
    let lenient = FetchedResultsController(store: store, projection: Lenient())
    try lenient.performFetch()
    #expect(lenient.position == 4 && lenient.results.rows.count == 1)
  }

  @Test func `a payload that can't be decoded stops a projection, and the error names its event`() throws {
    try store.append(Append([NewEvent(type: "ItemRemoved", payload: "{\"id\":7}")], to: "items"))
    let controller = FetchedResultsController(store: store, projection: Items())
    let error = #expect(throws: ProjectionError.self) { try controller.performFetch() }
    #expect(error?.code == .undecodable && error?.event.position == 1)
  }

  @Test func `the first fetch refuses a type that can't be stored as an event`() {
    struct Bad: Event { var text: String }
    struct Shows: Projection {
      func project(_ event: Bad, into rows: inout Rows<Item>) {}
    }
    let controller = FetchedResultsController(store: store, projection: Shows())
    #expect(throws: EventCodingError.self) { try controller.performFetch() }
  }

  @Test func `stepping back and forth reads few events, wherever in a long log`() throws {
    let store = CountingStore()
    let count = 6_000
    let ids = (0..<40).map { "\($0)" }
    for start in stride(from: 0, to: count, by: 100) {
      try store.put((start..<start + 100).map { .put(Item(ids[$0 % 40], "x", $0)) })
    }
    let controller = try controller(store)
    try controller.seek(to: 5_000)
    let before = store.read
    for step in 1...200 {
      try controller.seek(to: Position(5_000 - step))
      #expect(controller.results.rows.map(\.rank).max() == 5_000 - step - 1)
    }
    for step in 1...200 { try controller.seek(to: Position(4_800 + step)) }
    #expect(store.read - before < 400 * 16, "\(store.read - before) events for 400 steps")
  }

  @Test func `a projection may know when and where an event was recorded`() throws {
    struct Dated: Projection {
      func project(_ event: ItemEvent, into rows: inout Rows<Item>) {}
      func project(_ recorded: Recorded<ItemEvent>, into rows: inout Rows<Item>) {
        rows.insert(Item("\(recorded.position) \(recorded.stream) \(recorded.version)", nil, recorded.transaction))
      }
    }
    try store.put(.removed(id: "x"), .removed(id: "y"))
    let controller = FetchedResultsController(store: store, projection: Dated())
    try controller.performFetch()
    #expect(Array(controller.fetchedObjects) == [Item("1 items 1", nil, 1), Item("2 items 2", nil, 1)])
  }
}

import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Upcasters that use the stream, time and metadata of an event, next to a model that converts stored events by hand.
@Suite struct UpcastContextTests {
  private struct Old {
    let form: Int
    let stream: StreamName
    let time: Date
    let metadata: Metadata

    var event: NewEvent {
      var event =
        switch form {
        case 0: NewEvent(type: "OrderPlaced", schema: 1, payload: #"{"id":"a"}"#)
        case 1: NewEvent(type: "OrderPaid", schema: 1, payload: #"{"id":"b"}"#)
        case 2: NewEvent(type: "OrderBatch", schema: 1, payload: #"{"ids":["c","d"]}"#)
        case 3: NewEvent(type: "OrderPaid", schema: 2, payload: #"{"id":"e","stream":"own","author":"self"}"#)
        default: NewEvent(type: "Other", schema: 1, payload: "{}")
        }
      event.time = time
      event.metadata = metadata
      return event
    }
  }

  /// The events of today's type that a stored event must become.
  private static func naive(_ stored: StoredEvent) -> [OrderEvent] {
    let currency = String(stored.stream.text.dropFirst(7))
    let time = Int((stored.time.timeIntervalSince1970 * 1_000).rounded())
    return switch (stored.type, stored.schema) {
    case ("OrderPlaced", 1): [.placed(id: "a", currency: currency, time: time, author: stored.metadata.author)]
    case ("OrderPaid", 1): [.paid(id: "b", stream: stored.stream.text, author: stored.metadata.author ?? "nobody")]
    case ("OrderBatch", _):
      ["c", "d"].map {
        stored.metadata["void"] == nil
          ? .placed(id: $0, currency: currency, time: time, author: nil)
          : .cancelled(id: $0, currency: currency, time: time)
      }
    case ("OrderPaid", _): [.paid(id: "e", stream: "own", author: "self")]
    default: []
    }
  }

  private static let streams: [StreamName] = ["Orders-CH", "Orders-é", "Orders-e\u{301}", "Orders-"]

  private static let logs = Generator.array(
    of: zip(
      .int(in: 0...4), .element(of: streams), .int(in: -2_000_000...2_000_000_000_000),
      .element(of: [[:], ["actor": "ann"], ["actor": "bob", "void": "yes"], ["void": ""]] as [Metadata])
    ).map { form, stream, time, metadata in
      Old(form: form, stream: stream, time: Date(timeIntervalSince1970: Double(time) / 1_000), metadata: metadata)
    }, count: 0...30)

  private static func append(_ events: ArraySlice<Old>, to store: some EventStore) throws {
    if events.isEmpty { return }
    try store.append(Append(events.map { Append.Entry(stream: $0.stream, event: $0.event) }))
  }

  private static func ensureAgreement(_ store: some EventStore) throws {
    let stored = try store.events(.all, after: 0, through: nil, limit: 999)
    let expected = stored.flatMap { event in naive(event).map { (event.position, $0) } }
    let texts = expected.map { "\($0) \($1)" }
    let read = try store.events(of: OrderEvent.self)
    try ensureEqual(read.map { "\($0.position) \($0.event)" }, texts)
    let backwards = try store.events(of: OrderEvent.self, order: .reverse)
    try ensureEqual(backwards.map { "\($0.position) \($0.event)" }, texts.reversed())
    let list = FetchedResultsController(
      store: store, projection: OrderRows(), request: ListRequest(sort: [.ascending(\.id)]))
    try list.performFetch()
    try ensureEqual(list.fetchedObjects.map(\.text), texts)
    let union = FetchedResultsController(
      store: store, projection: UnionRows(), request: ListRequest(sort: [.ascending(\.id)]))
    try union.performFetch()
    try ensureEqual(union.fetchedObjects.map(\.text), texts)
    for stream in streams {
      let own = stored.filter { $0.stream == stream }.flatMap(naive)
      try ensureEqual(try store.state(of: Orders[String(stream.text.dropFirst(7))]).events, own)
    }
    // A branch has no checkpoints.
    if store.checkpoints != nil {
      let handled = Mutex<[String]>([])
      let follower = try EventFollower("orders", of: OrderEvent.self, in: store, startingAt: .beginning) { event, _ in
        handled.withLock { $0.append("\(event.position) \(event.event)") }
      }
      try follower.catchUp()
      try ensureEqual(handled.withLock { $0 }, texts)
    }
    let paid = stored.flatMap(naive).filter { if case .paid = $0 { true } else { false } }
    try store.execute("count", on: .boundary(Payments.self))
    let decided = try store.events(of: OrderEvent.self, after: stored.last?.position ?? 0).map(\.event)
    try ensureEqual(decided, paid + [.paid(id: "count", stream: "", author: "")])
    sometimes(expected.count > stored.count, "a split event")
  }

  @Test func `every reader passes the stream, time and metadata of an event to its upcasters`() throws {
    let folder = try TemporaryFolder()
    try check(zip(Self.logs, .int(in: 0...30)), settings: CheckSettings(examples: 60, environment: [:])) { log, count in
      let stores: [any EventStore] = [
        MemoryEventStore(environment: quiet), try SQLiteEventStore(path: folder.path(UUID().uuidString)),
      ]
      for store in stores {
        try Self.append(log.prefix(count), to: store)
        let branch = try store.branch()
        try Self.append(log.dropFirst(count), to: branch)
        try Self.ensureAgreement(branch)
        try Self.append(log.dropFirst(count), to: store)
        try Self.ensureAgreement(store)
      }
    }
  }

  private var quiet: StoreEnvironment { StoreEnvironment(report: { _ in }) }

  private static let olds = (0...2).map { form in
    Old(form: form, stream: "Orders-CH", time: Date(timeIntervalSince1970: 1_000.5), metadata: ["actor": "ann"])
  }

  @Test func `a subscription passes the context to upcasters`() async throws {
    let store = MemoryEventStore(environment: quiet)
    try Self.append(Self.olds[...], to: store)
    let expected = store.events(.all, after: 0, through: nil, limit: 9).flatMap(Self.naive)
    for try await batch in try store.subscription(of: OrderEvent.self, after: 0) {
      #expect(batch.events.map(\.event) == expected)
      break
    }
  }

  @Test func `an undo passes the context of the reversed events to upcasters`() throws {
    let today = MemoryEventStore(environment: quiet)
    try UndoHistory(today, of: "ann", deciders: [Orders.self]).execute(.place("a"), on: Orders["CH"])
    let stored = try #require(today.events(.all, after: 0, through: nil, limit: 1).first)
    // The same event as an older program would have stored it.
    var old = NewEvent(type: "OrderPlaced", schema: 1, payload: #"{"id":"a"}"#, tags: stored.tags)
    (old.id, old.time, old.metadata) = (stored.id, Date(timeIntervalSince1970: 5), stored.metadata)
    let store = MemoryEventStore(environment: quiet)
    try store.append(Append([old], to: stored.stream))
    try UndoHistory(store, of: "ann", deciders: [Orders.self]).undo()
    #expect(
      try store.events(of: OrderEvent.self).map(\.event) == [
        .placed(id: "a", currency: "CH", time: 5_000, author: "ann"),
        .cancelled(id: "a", currency: "CH", time: 5_000),
      ])
  }

  @Test func `an error of a step with a context names the step`() throws {
    let store = MemoryEventStore(environment: quiet)
    try store.append(Append([NewEvent(type: "OrderPlaced", schema: 1, payload: #"{"id":"a"}"#)], to: "Elsewhere"))
    let words = ["from OrderPlaced (schema version 1) to OrderPlaced", "NoCurrency", "Elsewhere"]
    let read = #expect(throws: EventCodingError.self) { try store.events(of: OrderEvent.self) }
    let list = FetchedResultsController(store: store, projection: OrderRows())
    let shown = #expect(throws: ProjectionError.self) { try list.performFetch() }
    #expect(read?.code == .notUpcast && shown?.code == .notUpcast)
    for word in words { #expect(read?.message.contains(word) == true && shown?.message.contains(word) == true) }
  }

  @Test func `a compaction's rule gets events that were upcast with their context`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteEventStore(path: folder.path("log"))
    try Self.append(Self.olds[...], to: store)
    let before = try store.events(of: OrderEvent.self).map(\.event)
    var compaction = Compaction()
    compaction.rewrite(OrderEvent.self) { _, events in
      // Replaces the first event with its form of today, and keeps the others.
      events.enumerated().map { $0 == 0 ? $1.replaced(by: $1.event) : $1 }
    }
    compaction.prove(OrderRows())
    compaction.prove(Orders.self)
    #expect(try store.commitCompaction(waiting: .seconds(60)) { try compaction.run(in: $0) }.replaced == 1)
    #expect(try store.events(.all, after: 0, through: nil, limit: 9).map(\.schema) == [2, 1, 1])
    #expect(try store.events(of: OrderEvent.self).map(\.event) == before)
  }

  @Test func `an uncommitted event without a time has the clock's time, and the kept state the time of the commit`()
    throws
  {
    let clock = Mutex(0)
    var environment = quiet
    environment.now = { clock.withLock { Date(timeIntervalSince1970: Double(($0 += 1, $0).1)) } }
    let store = MemoryEventStore(environment: environment)
    let branch = try store.branch()
    try branch.append(Append([NewEvent(type: "OrderPlaced", schema: 1, payload: #"{"id":"a"}"#)], to: "Orders-CH"))
    try branch.execute(.place("b"), on: Orders["CH"])
    try branch.merge()
    let stored = store.events(.all, after: 0, through: nil, limit: 9)
    #expect(stored.count == 2)
    #expect(
      try store.state(of: Orders["CH"]).events
        == stored.map { event in
          event.schema == 1 ? Self.naive(event)[0] : .placed(id: "b", currency: "today", time: 0, author: nil)
        })
  }
}

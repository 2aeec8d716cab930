import Annals
import AnnalsLog
import AnnalsTesting
import Testing

/// Whose a stored name is, where names of several types begin alike.
///
/// What is declared holds for the process, so that each test has types and prefixes of its own.
@Suite struct EventCatalogTests {
  enum LeafEvent: Event {
    case added(id: String)
  }
  enum LeafNoteEvent: Event {
    case added(id: String)
  }

  @Test(arguments: [true, false])
  func `a name belongs to the type with the longer prefix, whichever is declared or read first`(first: Bool) throws {
    // Two pairs, since what was declared stays.
    if first {
      try keptApart(PineEvent.self, PineConeEvent.self, "PineCone") { try EventCatalog.declare($0, $1) }
    } else {
      try keptApart(OakEvent.self, OakTreeEvent.self, "OakTree") { try EventCatalog.declare($1, $0) }
    }
  }

  enum PineEvent: Event { case added(id: String) }
  enum PineConeEvent: Event { case added(id: String) }
  enum OakEvent: Event { case added(id: String) }
  enum OakTreeEvent: Event { case added(id: String) }

  private func keptApart<Short: Event, Long: Event>(
    _ short: Short.Type, _ long: Long.Type, _ prefix: String,
    declare: (any Event.Type, any Event.Type) throws -> Void
  ) throws {
    var (shorter, longer) = (try EventCoder<Short>(), try EventCoder<Long>())
    // Nothing is declared: a newer program of the shorter type may have written it.
    let error = #expect(throws: EventCodingError.self) { try shorter.decode(type: prefix + "Added", payload: nil) }
    #expect(error?.code == .unknownEvent && error?.message.contains("EventCatalog.declare") == true)
    #expect(throws: EventCodingError.self) { try shorter.decode(type: prefix + "Lost", payload: nil) }
    try declare(short, long)
    // The same coder knows it from now on.
    #expect(try shorter.decode(type: prefix + "Added", payload: nil) == nil)
    #expect(try longer.decode(type: prefix + "Added", payload: #"{"id":"a"}"#) != nil)
    // A name without a case belongs to the longer prefix too.
    #expect(try shorter.decode(type: prefix + "Lost", payload: nil) == nil)
    #expect(throws: EventCodingError.self) { try longer.decode(type: prefix + "Lost", payload: nil) }
    // And the rest remains the shorter's.
    #expect(throws: EventCodingError.self) { try shorter.decode(type: Short.typePrefix + "Lost", payload: nil) }
    #expect(throws: EventCodingError.self) { try shorter.decode(type: Short.typePrefix + "Conely", payload: nil) }
  }

  @Test func `lists of both types of a pair and of their union live in one log`() throws {
    try EventCatalog.declare(LeafEvent.self, LeafNoteEvent.self)
    try EventCatalog.declare(EventUnion2<LeafNoteEvent, LeafEvent>.self)
    let store = MemoryEventStore()
    try store.execute("a", on: LeafDecider<LeafEvent>["1"])
    try store.execute("b", on: LeafDecider<LeafNoteEvent>["1"])
    func count<E: Event>(of type: E.Type) throws -> Int {
      let list = FetchedResultsController(store: store, projection: Counted<E>())
      try list.performFetch()
      return list.results.rows.count
    }
    #expect(try count(of: LeafEvent.self) == 1 && count(of: LeafNoteEvent.self) == 1)
    #expect(try count(of: EventUnion2<LeafEvent, LeafNoteEvent>.self) == 2)
  }

  @Test func `a prefix of another program's type passes by`() throws {
    var coder = try EventCoder<ElmEvent>()
    #expect(throws: EventCodingError.self) { try coder.decode(type: "ElmBarkAdded", payload: nil) }
    try EventCatalog.declareOthers("ElmBark", "ElmBark")
    #expect(try coder.decode(type: "ElmBarkAdded", payload: nil) == nil)
    #expect(throws: EventCodingError.self) { try coder.decode(type: "ElmAdded2", payload: nil) }
    let error = #expect(throws: EventCodingError.self) { try EventCatalog.declare(ElmBarkEvent.self) }
    #expect(error?.code == .claimedTwice)
  }

  enum ElmEvent: Event { case added(id: String) }
  enum ElmBarkEvent: Event { case added(id: String) }

  @Test func `two types with one prefix are refused before anything is stored`() throws {
    for declare in [
      { try EventCatalog.declare(One.FirEvent.self, Two.FirEvent.self) },
      { _ = try EventCoder<EventUnion2<One.FirEvent, Two.FirEvent>>() },
    ] {
      let error = #expect(throws: EventCodingError.self) { try declare() }
      #expect(error?.code == .claimedTwice)
      let message = try #require(error?.message)
      #expect(message.contains("One.FirEvent") && message.contains("Two.FirEvent") && message.contains("Fir"))
      #expect(message.contains("declare a different typePrefix in one of the two types"))
    }
    // Nothing was declared: one of them alone is right.
    try EventCatalog.declare(Two.FirEvent.self)
    #expect(throws: EventCodingError.self) { try EventCatalog.declare(One.FirEvent.self) }
  }

  enum One { enum FirEvent: Event { case added(id: String) } }
  enum Two { enum FirEvent: Event { case felled(id: String) } }

  @Test func `a case whose stored name another type has is refused at its first event, of either type`() throws {
    try EventCatalog.declare(AshEvent.self, AshLeafEvent.self)
    let store = MemoryEventStore()
    let coders = (try EventCoder<AshEvent>(), try EventCoder<AshLeafEvent>())
    // Each time, not only at the first.
    for _ in 0..<2 {
      let error = #expect(throws: EventCodingError.self) {
        try store.execute("a", on: LeafDecider<AshLeafEvent>["1"])
      }
      #expect(error?.code == .claimedTwice)
      let message = try #require(error?.message)
      #expect(message.contains("AshLeafAdded") && message.contains("AshEvent") && message.contains("AshLeafEvent"))
      #expect(message.contains("the event was not stored") && message.contains("declare a different stored name"))
      #expect(throws: EventCodingError.self) { try coders.0.encode(.leafAdded(id: "a")) }
      #expect(throws: EventCodingError.self) { try coders.1.encode(.added(id: "a")) }
    }
    #expect(store.head() == 0)
    // The other cases are free.
    #expect(try coders.0.encode(.added(id: "a")).type == "AshAdded")
    #expect(try coders.1.encode(.fallen(id: "a")).type == "AshLeafFallen")
    // A union says so at what is stored already, and where it stores.
    var union = try EventCoder<EventUnion2<AshEvent, AshLeafEvent>>()
    for read in [
      { _ = try union.decode(type: "AshLeafAdded", payload: #"{"id":"a"}"#) },
      { _ = try union.read(type: "AshLeafAdded", schema: 1, payload: #"{"id":"a"}"#) },
      { _ = try union.encode(.first(.leafAdded(id: "a"))) },
    ] {
      #expect(#expect(throws: EventCodingError.self) { try read() }?.code == .claimedTwice)
    }
    #expect(try union.decode(type: "AshLeafFallen", payload: #"{"id":"a"}"#) != nil)
  }

  enum AshEvent: Event { case added(id: String), leafAdded(id: String) }
  enum AshLeafEvent: Event { case added(id: String), fallen(id: String) }

  @Test func `a pinned name belongs to the type that pins it, whatever it begins with`() throws {
    try EventCatalog.declare(LimeEvent.self, PinnedEvent.self)
    var coder = try EventCoder<LimeEvent>()
    #expect(try coder.decode(type: "LimeImported", payload: nil) == nil)
    #expect(throws: EventCodingError.self) { try coder.decode(type: "LimeLost", payload: nil) }
    #expect(throws: EventCodingError.self) { try EventCoder<PinnedEvent>().encode(.twice(id: "a")) }
    #expect(throws: EventCodingError.self) { try coder.encode(.added(id: "a")) }
    #expect(try EventCoder<PinnedEvent>().encode(.imported(id: "a")).type == "LimeImported")
  }

  @Test func `the laws take an older version of a declared type, and a log does not`() throws {
    try EventCatalog.declare(TodayEvent.self)
    try TodayEvent.ensureReads([OlderEvent.added(id: "a")], as: [.added(id: "a")])
    let error = #expect(throws: EventCodingError.self) { try EventCoder<OlderEvent>().encode(.added(id: "a")) }
    #expect(error?.code == .claimedTwice)
    #expect(try EventCoder<TodayEvent>().encode(.added(id: "a")).type == "TodayAdded")
  }

  enum TodayEvent: Event { case added(id: String) }
  enum OlderEvent: Event {
    case added(id: String)
    static let typePrefix = "Today"
  }

  enum LimeEvent: Event { case added(id: String) }
  enum PinnedEvent: Event {
    case imported(id: String), twice(id: String)
    enum CodingKeys: String, CodingKey {
      case imported = "LimeImported"
      case twice = "LimeAdded"
    }
  }

  @Test func `names of the past that two types read are refused, former ones and those of steps`() throws {
    let refused: [(String, () throws -> Void)] = [
      ("YewPlanted", { try EventCatalog.declare(YewEvent.self, FormerEvent.self) }),
      ("YewPlanted", { try EventCatalog.declare(FormerEvent.self, YewEvent.self) }),
      ("YewSeen", { try EventCatalog.declare(YewEvent.self, DroppingEvent.self) }),
      ("YewSeen", { _ = try EventCoder<EventUnion2<DroppingEvent, YewEvent>>() }),
    ]
    for (name, declare) in refused {
      let error = #expect(throws: EventCodingError.self) { try declare() }
      #expect(error?.code == .claimedTwice && error?.message.contains("the stored name \(name) ") == true)
    }
  }

  enum YewEvent: Event {
    case planted(id: String)
    static let formerNames = ["YewSeen": "YewPlanted"]
  }
  enum FormerEvent: Event {
    case added(id: String)
    static let formerNames = ["YewPlanted": "FormerAdded"]
  }
  enum DroppingEvent: Event {
    case added(id: String)
    static let upcasters: [Upcaster] = [.dropped("YewSeen")]
  }
}

/// What a generic decider needs of an event type.
protocol AddedEvent: Event {
  static func added(id: String) -> Self
}

extension EventCatalogTests.LeafEvent: AddedEvent {}
extension EventCatalogTests.LeafNoteEvent: AddedEvent {}
extension EventCatalogTests.AshLeafEvent: AddedEvent {}

private struct LeafDecider<E: AddedEvent>: Decider {
  func decide(_ id: String) -> [E] { [.added(id: id)] }
  mutating func evolve(_ event: E) {}
}

private struct Counted<E: Event>: Projection {
  func project(_ event: E, into rows: inout Rows<OfficeRow>) {}
  func project(_ recorded: Recorded<E>, into rows: inout Rows<OfficeRow>) {
    rows.insert(OfficeRow(id: "\(recorded.position)", text: "", place: ""))
  }
}

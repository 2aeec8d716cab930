import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Events of several types as one: how they are stored, read, refused, decided and followed.
@Suite struct EventUnionTests {
  typealias Pair = EventUnion2<PersonEvent, ShopEvent>
  typealias All = QuadEvent

  @Test func `an event of a union is stored as its own type stores it`() throws {
    let coder = try EventCoder<All>()
    try #expect(
      coder.encode(.first(.joined(id: "a", name: "A")))
        == EventCoder<PersonEvent>().encode(.joined(id: "a", name: "A")))
    try #expect(coder.encode(.first(.left(id: "a"))).tags == ["person:a"])
    try #expect(coder.encode(.second(.sold(id: "b"))) == EventCoder<ShopEvent>().encode(.sold(id: "b")))
    try #expect(coder.encode(.second(.sold(id: "b"))).schema == 3)
    try #expect(coder.encode(.fourth(.noted("n"))).type == "CardNoteNoted")
    try #expect(EventCoder<NamedEvent>().encode(.card(.added(id: "c"))).type == "CardAdded")
    // A union of unions.
    var nested = try EventCoder<NestedOffice.Event>()
    let new = try nested.encode(.second(.first(.added(id: "c"))))
    #expect(new.type == "CardAdded")
    #expect(try nested.decode(type: new.type, payload: new.payload) == .second(.first(.added(id: "c"))))
  }

  @Test func `steps that split an event do so in a union`() throws {
    var coder = try EventCoder<Pair>()
    let reading = try coder.read(
      type: "ShopImported", schema: 1, payload: #"{"books":[{"id":"b","title":"B","cents":3}]}"#)
    #expect(
      reading.events == [.second(.stocked(id: "b", title: "B", shelf: "import")), .second(.priced(id: "b", cents: 3))])
    #expect(coder.hasSteps(type: "ShopVisited", schema: 1) && !coder.hasSteps(type: "PersonLeft", schema: 1))
    #expect(try coder.read(type: "ShopVisited", schema: 2, payload: "1").events.isEmpty)
    #expect(try coder.read(type: "PersonHired", schema: 1, payload: #"{"id":"a","name":"A"}"#).events.count == 1)
    let widened = coder.widened(.types("ShopStocked", "PersonJoined"))
    #expect(
      widened.alternatives?.first?.types
        == ["ShopStocked", "PersonJoined", "PersonHired", "ShopAdded", "ShopImported"])
  }

  @Test func `each member keeps its schema, and the policies hold for each`() throws {
    var coder = try EventCoder<Pair>()
    func error(_ type: String, _ schema: Int) -> EventCodingError? {
      do {
        _ = try coder.read(type: type, schema: schema, payload: #"{"id":"a"}"#)
        return nil
      } catch { return error as? EventCodingError }
    }
    // Schema 2 is newer than that of people, and older than that of the shop.
    #expect(error("PersonLeft", 2)?.code == .newerSchema && error("ShopSold", 4)?.code == .newerSchema)
    #expect(error("ShopSold", 3) == nil && error("PersonLeft", 1) == nil)
    let unknown = try #require(error("PersonMoved", 1))
    #expect(unknown.code == .unknownEvent && unknown.message.contains("PersonEvent has no case for this name"))
    // Of two prefixes the longer one owns the name.
    let note = #expect(throws: EventCodingError.self) {
      var coder = try EventCoder<EventUnion2<CardNoteEvent, CardEvent>>()
      _ = try coder.read(type: "CardNoteLost", schema: 1, payload: nil)
    }
    #expect(note?.message.contains("CardNoteEvent has no case") == true)
    #expect(error("Personal", 1) == nil && error("CardAdded", 1) == nil)
    let policy = ReadingPolicy(unknown: .skip, newer: .skip)
    #expect(try coder.read(type: "PersonMoved", schema: 1, payload: nil, policy).events.isEmpty)
    #expect(try coder.read(type: "ShopSold", schema: 4, payload: nil, policy).events.isEmpty)
    let reads = ReadingPolicy(newer: .read)
    #expect(
      try coder.read(type: "PersonLeft", schema: 9, payload: #"{"id":"a"}"#, reads).events == [.first(.left(id: "a"))])
  }

  @Test func `a type that is twice in a union is refused, also in a union in it`() throws {
    for make in [
      { _ = try EventCoder<EventUnion2<PersonEvent, PersonEvent>>() },
      { _ = try EventCoder<EventUnion2<EventUnion2<CardEvent, PersonEvent>, EventUnion2<ShopEvent, CardEvent>>>() },
    ] {
      let error = #expect(throws: EventCodingError.self) { try make() }
      #expect(error?.code == .unsuitableType && error?.message.contains("list every type once") == true)
    }
  }

  @Test func `a list of a union that is refused throws when it is fetched`() throws {
    let list = FetchedResultsController(store: MemoryEventStore(), projection: Twice())
    #expect(throws: EventCodingError.self) { try list.performFetch() }
  }

  private struct Twice: Projection {
    func project(_ event: EventUnion2<CardEvent, CardEvent>, into rows: inout Rows<OfficeRow>) {}
  }

  @Test func `a union of one's own that holds a type which its members do not name cannot be stored`() throws {
    let coder = try EventCoder<ForgetfulEvent>()
    #expect(try coder.encode(.person(.left(id: "a"))).type == "PersonLeft")
    let error = #expect(throws: EventCodingError.self) { try coder.encode(.card(.added(id: "a"))) }
    #expect(
      error?.message.contains("contains an event of type CardEvent, which isn't one of the union's members") == true)
  }

  private enum ForgetfulEvent: EventUnion {
    case person(PersonEvent)
    case card(CardEvent)

    static var members: [EventMember<Self>] { [EventMember(Self.person)] }
    var event: any Event {
      switch self {
      case .person(let event): event
      case .card(let event): event
      }
    }
  }

  @Test func `a union with steps, names or a schema of its own, or without members, is refused`() throws {
    for make in [{ _ = try EventCoder<NewerUnion>() }, { _ = try EventCoder<EmptyUnion>() }] {
      #expect(#expect(throws: EventCodingError.self) { try make() }?.code == .unsuitableType)
    }
  }

  private enum NewerUnion: EventUnion {
    case card(CardEvent)

    static let schema = 2
    static var members: [EventMember<Self>] { [EventMember(Self.card)] }
    var event: any Event {
      switch self {
      case .card(let event): event
      }
    }
  }

  private enum EmptyUnion: EventUnion {
    case card(CardEvent)

    static var members: [EventMember<Self>] { [] }
    var event: any Event {
      switch self {
      case .card(let event): event
      }
    }
  }

  @Test func `outside of a log an event of a union is its own JSON under its prefix`() throws {
    for event in [Pair.first(.left(id: "a")), .second(.sold(id: "b"))] {
      let data = try JSONEncoder().encode(event)
      #expect(try JSONDecoder().decode(Pair.self, from: data) == event)
    }
    #expect(
      try String(decoding: JSONEncoder().encode(Pair.first(.left(id: "a"))), as: UTF8.self)
        == #"{"Person":{"left":{"id":"a"}}}"#)
    let nested = NestedOffice.Event.second(.second(.sold(id: "b")))
    #expect(try JSONDecoder().decode(NestedOffice.Event.self, from: JSONEncoder().encode(nested)) == nested)
    for text in ["{}", #"{"Card":{"added":{"id":"a"}}}"#] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Pair.self, from: Data(text.utf8)) }
    }
  }

  @Test func `the laws of projections hold for one of a union`() throws {
    let events: Generator<All> = .oneOf(
      Generator<Int>.int(in: 0...3).map { .first(.joined(id: "\($0)", name: "n")) },
      Generator<Int>.int(in: 0...3).map { .second(.sold(id: "\($0)")) },
      Generator<Int>.int(in: 0...3).map { .third(.removed(id: "\($0)")) },
      Generator<Int>.int(in: 0...3).map { .fourth(.added(id: "\($0)", text: "t")) })
    try check(.array(of: events, count: 0...6), settings: CheckSettings(examples: 40)) { history in
      try UnionOffice().ensureAllLaws(history, in: ListRequest(section: .by(\.kind)))
    }
  }

  @Test func `a follower handles the events of all types of a union, in their order`() throws {
    let store = MemoryEventStore()
    let seen = Mutex<[String]>([])
    let follower = try EventFollower("f", of: Pair.self, in: store, startingAt: .beginning) { recorded, _ in
      switch recorded.event {
      case .first(let event): seen.withLock { $0.append("\(recorded.with(event).position) \(event)") }
      case .second(let event): seen.withLock { $0.append("\(recorded.position) \(event)") }
      }
    }
    try store.append(
      Append(
        [
          NewEvent(type: "ShopSold", schema: 3, payload: #"{"id":"a"}"#),
          NewEvent(type: "CardAdded", payload: #"{"id":"c"}"#),
          NewEvent(type: "PersonLeft", payload: #"{"id":"b"}"#),
        ], to: "all"))
    #expect(try follower.catchUp() == 3)
    #expect(seen.withLock { $0 } == [#"1 sold(id: "a")"#, #"3 left(id: "b")"#])
    try store.append(Append([NewEvent(type: "PersonMoved", payload: nil)], to: "all"))
    let error = #expect(throws: ProjectionError.self) { try follower.catchUp() }
    #expect(error?.code == .unknownEvent && error?.event.position == 4)
  }

  @Test func `a boundary is of the events of two modules, and appends those of one`() throws {
    let store = MemoryEventStore()
    try store.append(
      Append([NewEvent(type: "PersonHired", payload: #"{"id":"p","name":"P"}"#, tags: ["person:p"])], to: "hr"))
    try store.execute(.init(card: "c", person: "p"), on: .boundary(CardLimit.self))
    #expect(throws: CardLimit.Refusal.unknownPerson) {
      try store.execute(.init(card: "c", person: "q"), on: .boundary(CardLimit.self))
    }
    #expect(throws: CardLimit.Refusal.taken) {
      try store.execute(.init(card: "c", person: "p"), on: .boundary(CardLimit.self))
    }
    #expect(store.events(.all, after: 1, through: nil, limit: 9).map(\.type) == ["CardAdded"])
    try store.append(Append([NewEvent(type: "PersonLeft", payload: #"{"id":"p"}"#, tags: ["person:p"])], to: "hr"))
    #expect(throws: CardLimit.Refusal.unknownPerson) {
      try store.execute(.init(card: "d", person: "p"), on: .boundary(CardLimit.self))
    }
    try CardLimit.ensureBoundaryHolds(
      .init(card: "c", person: "p"), after: [.first(.joined(id: "p", name: "P")), .second(.added(id: "c"))])
  }

  /// Only people who are there may add a card, and each card once.
  private struct CardLimit: BoundaryDecider {
    typealias Event = EventUnion2<PersonEvent, CardEvent>
    struct Command {
      let card, person: String
    }
    enum Refusal: Error { case unknownPerson, taken }

    private var people: Set<String> = []
    private var cards: Set<String> = []

    static func boundary(for command: Command) -> EventQuery {
      .tagged(EventTag("person:\(command.person)")) || .types("CardAdded")
    }

    func decide(_ command: Command) throws(Refusal) -> [Event] {
      if !people.contains(command.person) { throw .unknownPerson }
      if cards.contains(command.card) { throw .taken }
      return [.second(.added(id: command.card))]
    }

    mutating func evolve(_ event: Event) {
      switch event {
      case .first(.joined(let id, _)): people.insert(id)
      case .first(.left(let id)): people.remove(id)
      case .second(.added(let id)): cards.insert(id)
      case .second(.removed(let id)): cards.remove(id)
      }
    }
  }

  @Test func `a saved list of a union knows the steps of its members`() throws {
    // By these words a list tells that it was made by other steps.
    let store = FragileStore()
    for list in [
      FetchedResultsController(store: store, projection: UnionPair(), cacheName: "a"),
      FetchedResultsController(store: store, projection: NestedOffice(), cacheName: "b"),
    ] {
      try store.append(Append([NewEvent(type: "PersonLeft", payload: #"{"id":"p"}"#)], to: "hr"))
      try list.performFetch()
      try list.saveCache()
      let fingerprint = try #require(store.fingerprint.withLock { $0 })
      #expect(fingerprint.contains("Person schema 1") && fingerprint.contains("Shop schema 3"))
      #expect(fingerprint.contains("PersonHired is PersonJoined"))
      #expect(fingerprint.contains("ShopVisited dropped from schema 1 on"))
    }
    #expect(Pair.typePrefix == "Person+Shop")
  }
}

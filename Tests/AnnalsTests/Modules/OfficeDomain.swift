import Annals
import AnnalsLog
import AnnalsTesting

// Four types of events, as four modules would declare them, and the enum that reads them all without a union.

/// The events of people, with a coding of its own, tags and a former name.
enum PersonEvent: CustomCodedEvent, Equatable {
  case joined(id: String, name: String)
  case left(id: String)

  static let formerNames = ["PersonHired": "PersonJoined"]

  var tags: Set<EventTag> {
    switch self {
    case .joined(let id, _), .left(let id): ["person:\(id)"]
    }
  }

  func write(to payload: inout PayloadWriter) -> String {
    switch self {
    case .joined(let id, let name):
      payload.writeObject {
        $0.write("id", id)
        $0.write("name", name)
      }
      return "joined"
    case .left(let id):
      payload.writeObject { $0.write("id", id) }
      return "left"
    }
  }

  init?(case name: String, payload: PayloadValue) throws {
    switch name {
    case "joined": self = .joined(id: try payload["id"].string(), name: try payload["name"].string())
    case "left": self = .left(id: try payload["id"].string())
    default: return nil
    }
  }
}

enum CardEvent: Event, Equatable {
  case added(id: String)
  case removed(id: String)
}

/// The names of these begin as all names of cards do.
enum CardNoteEvent: Event, Equatable {
  case added(id: String, text: String)
  case noted(String)
}

/// What is done with an event, whatever type it has.
enum OfficeAction: Hashable {
  case set(String, String)
  case remove(String)
  case fail(String)

  init(_ event: PersonEvent) {
    switch event {
    case .joined(let id, let name): self = name == "poison" ? .fail(name) : .set("person \(id)", name)
    case .left(let id): self = .remove("person \(id)")
    }
  }

  init(_ event: ShopEvent) {
    switch event {
    case .stocked(let id, let title, let shelf): self = .set("ware \(id)", title + shelf)
    case .priced(let id, let cents): self = .set("price \(id)", "\(cents)")
    case .sold(let id): self = .remove("ware \(id)")
    }
  }

  init(_ event: CardEvent) {
    switch event {
    case .added(let id): self = .set("card \(id)", "")
    case .removed(let id): self = .remove("card \(id)")
    }
  }

  init(_ event: CardNoteEvent) {
    switch event {
    case .added(let id, let text): self = .set("card \(id)", text)
    case .noted(let text): self = .set("note", text)
    }
  }

  func apply<E: Event>(_ recorded: Recorded<E>, to rows: inout Rows<OfficeRow>) throws {
    switch self {
    case .set(let id, let text):
      rows.insert(
        OfficeRow(
          id: id, text: text,
          place: "\(recorded.position).\(recorded.version) of \(recorded.stream) by \(recorded.metadata)"))
    case .remove(let id): rows[id] = nil
    case .fail(let reason): throw Refusal(reason: reason)
    }
  }
}

struct OfficeRow: Row {
  let id: String
  var text: String
  var place: String
  var kind: String { String(id.prefix { $0 != " " }) }
}

/// A union of four types.
enum QuadEvent: EventUnion, Equatable {
  case first(PersonEvent)
  case second(ShopEvent)
  case third(CardEvent)
  case fourth(CardNoteEvent)

  static var members: [EventMember<Self>] {
    [EventMember(Self.first), EventMember(Self.second), EventMember(Self.third), EventMember(Self.fourth)]
  }

  var event: any Event {
    switch self {
    case .first(let event): event
    case .second(let event): event
    case .third(let event): event
    case .fourth(let event): event
    }
  }
}

/// A list of four types.
struct UnionOffice: Projection {
  typealias Event = QuadEvent

  func project(_ event: Event, into rows: inout Rows<OfficeRow>) throws {}

  func project(_ recorded: Recorded<Event>, into rows: inout Rows<OfficeRow>) throws {
    switch recorded.event {
    case .first(let event): try OfficeAction(event).apply(recorded.with(event), to: &rows)
    case .second(let event): try OfficeAction(event).apply(recorded.with(event), to: &rows)
    case .third(let event): try OfficeAction(event).apply(recorded.with(event), to: &rows)
    case .fourth(let event): try OfficeAction(event).apply(recorded.with(event), to: &rows)
    }
  }
}

/// The same four, two by two.
struct NestedOffice: Projection {
  typealias Event = EventUnion2<EventUnion2<PersonEvent, CardNoteEvent>, EventUnion2<CardEvent, ShopEvent>>

  func project(_ event: Event, into rows: inout Rows<OfficeRow>) throws {}

  func project(_ recorded: Recorded<Event>, into rows: inout Rows<OfficeRow>) throws {
    switch recorded.event {
    case .first(.first(let event)): try OfficeAction(event).apply(recorded, to: &rows)
    case .first(.second(let event)): try OfficeAction(event).apply(recorded, to: &rows)
    case .second(.first(let event)): try OfficeAction(event).apply(recorded, to: &rows)
    case .second(.second(let event)): try OfficeAction(event).apply(recorded, to: &rows)
    }
  }
}

/// Two of the four.
struct UnionPair: Projection {
  typealias Event = EventUnion2<PersonEvent, ShopEvent>

  func project(_ event: Event, into rows: inout Rows<OfficeRow>) throws {}

  func project(_ recorded: Recorded<Event>, into rows: inout Rows<OfficeRow>) throws {
    switch recorded.event {
    case .first(let event): try OfficeAction(event).apply(recorded, to: &rows)
    case .second(let event): try OfficeAction(event).apply(recorded, to: &rows)
    }
  }
}

/// A union with names for its cases.
enum NamedEvent: EventUnion, Equatable {
  case person(PersonEvent)
  case card(CardEvent)

  static var members: [EventMember<Self>] { [EventMember(Self.person), EventMember(Self.card)] }

  var event: any Event {
    switch self {
    case .person(let event): event
    case .card(let event): event
    }
  }
}

/// All stored names again, by hand.
enum WrapperEvent: Event, Equatable {
  case personJoined(id: String, name: String)
  case personLeft(id: String)
  case stocked(id: String, title: String, shelf: String)
  case priced(id: String, cents: Int)
  case sold(id: String)
  case cardAdded(id: String)
  case cardRemoved(id: String)
  case noteAdded(id: String, text: String)
  case noted(String)

  enum CodingKeys: String, CodingKey {
    case personJoined = "PersonJoined"
    case personLeft = "PersonLeft"
    case stocked = "ShopStocked"
    case priced = "ShopPriced"
    case sold = "ShopSold"
    case cardAdded = "CardAdded"
    case cardRemoved = "CardRemoved"
    case noteAdded = "CardNoteAdded"
    case noted = "CardNoteNoted"
  }

  static let schema = ShopEvent.schema
  static let formerNames = ShopEvent.formerNames.merging(PersonEvent.formerNames) { first, _ in first }
  static let upcasters = ShopEvent.upcasters

  var action: OfficeAction {
    switch self {
    case .personJoined(let id, let name): OfficeAction(PersonEvent.joined(id: id, name: name))
    case .personLeft(let id): OfficeAction(PersonEvent.left(id: id))
    case .stocked(let id, let title, let shelf): OfficeAction(ShopEvent.stocked(id: id, title: title, shelf: shelf))
    case .priced(let id, let cents): OfficeAction(ShopEvent.priced(id: id, cents: cents))
    case .sold(let id): OfficeAction(ShopEvent.sold(id: id))
    case .cardAdded(let id): OfficeAction(CardEvent.added(id: id))
    case .cardRemoved(let id): OfficeAction(CardEvent.removed(id: id))
    case .noteAdded(let id, let text): OfficeAction(CardNoteEvent.added(id: id, text: text))
    case .noted(let text): OfficeAction(CardNoteEvent.noted(text))
    }
  }

  var isOfCards: Bool {
    switch self {
    case .cardAdded, .cardRemoved, .noteAdded, .noted: true
    default: false
    }
  }
}

/// The rows by the enum that was written by hand: of all four types, or of the first two.
struct WrapperOffice: Projection {
  var isWhole = true
  var identity: String? { "\(isWhole)" }

  func project(_ event: WrapperEvent, into rows: inout Rows<OfficeRow>) throws {}

  func project(_ recorded: Recorded<WrapperEvent>, into rows: inout Rows<OfficeRow>) throws {
    if isWhole || !recorded.event.isOfCards { try recorded.event.action.apply(recorded, to: &rows) }
  }
}

extension Generator where Value == NewEvent {
  /// Stored events of the four types, also old ones, and some of a fifth.
  static var officeEvent: Generator {
    let id = Generator<Int>.int(in: 0...5)
    func stored(_ type: String, _ schema: Int, _ payload: @escaping @Sendable (Int) -> String) -> Generator<NewEvent> {
      id.map { number in
        NewEvent(
          type: type, schema: schema, payload: payload(number), metadata: number == 0 ? [:] : ["by": "u\(number)"])
      }
    }
    return .frequency(
      (3, stored("PersonJoined", 1) { #"{"id":"\#($0)","name":"n"}"# }),
      (1, stored("PersonHired", 1) { #"{"id":"\#($0)","name":"h"}"# }),
      (1, stored("PersonLeft", 1) { #"{"id":"\#($0)"}"# }),
      (2, stored("ShopStocked", 3) { #"{"id":"\#($0)","shelf":"s","title":"t"}"# }),
      (1, stored("ShopAdded", 1) { #"{"id":"\#($0)","name":"old"}"# }),
      (1, stored("ShopImported", 1) { #"{"books":[{"id":"\#($0)","title":"i","cents":3},{"id":"9","title":"j"}]}"# }),
      (1, stored("ShopPriced", 1) { #"{"id":"\#($0)","price":"\#($0).5"}"# }),
      (1, stored("ShopBought", 3) { #"{"id":"\#($0)"}"# }),
      (1, stored("ShopVisited", 1) { "\($0)" }),
      (2, stored("CardAdded", 1) { #"{"id":"\#($0)"}"# }),
      (1, stored("CardRemoved", 1) { #"{"id":"\#($0)"}"# }),
      (2, stored("CardNoteAdded", 1) { #"{"id":"\#($0)","text":"of a note"}"# }),
      (1, stored("CardNoteNoted", 1) { #""text \#($0)""# }),
      (1, stored("BookshopOpened", 7) { #"{"id":"\#($0)"}"# }),
    )
  }

  /// Stored events that no list of the four types can fold.
  static var officePoison: Generator {
    .element(of: [
      NewEvent(type: "PersonJoined", payload: #"{"id":"1","name":"poison"}"#),
      NewEvent(type: "PersonJoined", payload: #"{"id":"1"}"#),
      NewEvent(type: "ShopStocked", schema: 9, payload: "{}"),
      NewEvent(type: "ShopPriced", schema: 1, payload: #"{"id":"a","price":"dear"}"#),
      NewEvent(type: "ShopTaxed", schema: 1, payload: "{}"),
    ])
  }
}

import Annals

/// A shop's events at schema 3, with steps of every kind.
enum ShopEvent: Event, Equatable {
  case stocked(id: String, title: String, shelf: String)
  case priced(id: String, cents: Int)
  case sold(id: String)

  static let schema = 3
  static let formerNames = ["ShopBought": "ShopSold"]
  static let upcasters: [Upcaster] = [
    .renamed("ShopAdded", from: 1, to: 2, as: "ShopStocked"),
    .changed("ShopStocked", from: 2, to: 3) { stock in
      stock.rename("name", to: "title")
      if stock["shelf"] == nil { stock["shelf"] = "new" }
    },
    .changed("ShopPriced", from: 1, to: 3, as: OldPrice.self) { old in
      guard let euros = Double(old.price) else { throw NoPrice(text: old.price) }
      return NewPrice(id: old.id, cents: Int(euros * 100))
    },
    .split("ShopImported", from: 1, to: 3, into: ["ShopStocked", "ShopPriced"]) { payload in
      try (payload["books"]?.array ?? []).flatMap { book in
        guard let id = book["id"] else { throw NoPrice(text: book.text) }
        return [
          Upcaster.Output("ShopStocked", ["id": id, "title": book["title"] ?? "", "shelf": "import"]),
          Upcaster.Output("ShopPriced", ["id": id, "cents": book["cents"] ?? 0]),
        ]
      }
    },
    .split("ShopTaxed", from: 1, to: 3, into: ["ShopSold"]) { _ in [Upcaster.Output("ShopStocked", .null)] },
    .dropped("ShopVisited"),
  ]

  struct OldPrice: Decodable {
    let id: String
    let price: String
  }

  struct NewPrice: Encodable {
    let id: String
    let cents: Int
  }

  struct NoPrice: Error {
    let text: String
  }
}

struct Ware: Row {
  let id: String
  var title: String
  var shelf: String
  var cents = 0
  /// The position of its last event.
  var place = ""
}

struct Wares: Projection {
  func project(_ event: ShopEvent, into rows: inout Rows<Ware>) {}

  func project(_ recorded: Recorded<ShopEvent>, into rows: inout Rows<Ware>) {
    let place = "\(recorded.position).\(recorded.version).\(recorded.transaction)"
    switch recorded.event {
    case .stocked(let id, let title, let shelf): rows.insert(Ware(id: id, title: title, shelf: shelf, place: place))
    case .priced(let id, let cents): rows.update(id) { ($0.cents, $0.place) = (cents, place) }
    case .sold(let id): rows[id] = nil
    }
  }
}

/// Refuses to stock an item that exists.
struct Shop: Decider {
  struct Twice: Error {}

  var ids: [String] = []
  var events = 0

  func decide(_ id: String) throws(Twice) -> [ShopEvent] {
    if ids.contains(id) { throw Twice() }
    return [.stocked(id: id, title: "", shelf: "")]
  }

  mutating func evolve(_ event: ShopEvent) {
    events += 1
    if case .stocked(let id, _, _) = event { ids.append(id) }
  }
}

/// The same on the events that have a tag.
struct TaggedShop: BoundaryDecider {
  private var shop = Shop()

  static func boundary(for command: String) -> EventQuery { .tagged("shop") }
  func decide(_ id: String) throws -> [ShopEvent] { try shop.decide(id) }
  mutating func evolve(_ event: ShopEvent) { shop.evolve(event) }
}

/// The same on the events of one type, by its name today.
struct TypedShop: BoundaryDecider {
  private var shop = Shop()

  static func boundary(for command: String) -> EventQuery { .types("ShopStocked") }

  func decide(_ id: String) throws -> [ShopEvent] {
    // The number of events that it has seen, for the test.
    if id == "count" { return [.priced(id: "count", cents: shop.events)] }
    return try shop.decide(id)
  }

  mutating func evolve(_ event: ShopEvent) { shop.evolve(event) }
}

/// The sales, which were also stored under a former name.
struct Sales: BoundaryDecider {
  private var ids: [String] = []

  static func boundary(for command: Int) -> EventQuery { .types("ShopSold") }
  func decide(_ command: Int) -> [ShopEvent] { ids.map { .sold(id: "again \($0)") } }

  mutating func evolve(_ event: ShopEvent) {
    if case .sold(let id) = event { ids.append(id) }
  }
}

/// The shop, with a state that is saved.
struct KeptShop: SnapshotDecider {
  static let snapshotInterval = 1
  static let category = "Shop"
  private(set) var count = 0

  func decide(_ command: Int) -> [ShopEvent] { [] }
  mutating func evolve(_ event: ShopEvent) { count += 1 }
}

import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation

/// An app's own domain, whose projection is strict: it refuses what cannot be.
enum WareEvent: Event {
  case inserted(id: String, price: Double, shelf: String)
  case repriced(id: String, to: Double)
  /// Reprices one ware after the other, and may find in the middle that one is missing.
  case bundled(ids: [String], to: Double)
  case deleted(id: String)
  case shelfRenamed(shelf: String, to: String)
}

struct Ware: Row {
  let id: String
  var price: Double
  var shelf: String
}

struct Wares: Projection {
  enum Problem: Error, Equatable {
    case alreadyThere(String)
    case notThere(String)
  }

  func project(_ event: WareEvent, into rows: inout Rows<Ware>) throws {
    func check(_ id: String) throws { if rows[id] == nil { throw Problem.notThere(id) } }
    switch event {
    case .inserted(let id, let price, let shelf):
      if rows[id] != nil { throw Problem.alreadyThere(id) }
      rows.insert(Ware(id: id, price: price, shelf: shelf))
    case .repriced(let id, let price):
      try check(id)
      rows.update(id) { $0.price = price }
    case .bundled(let ids, let price):
      for id in ids {
        try check(id)
        rows.update(id) { $0.price = price }
      }
    case .deleted(let id):
      try check(id)
      rows[id] = nil
    case .shelfRenamed(let shelf, let title):
      rows.renameSection(shelf, of: \.shelf, to: title)
    }
  }
}

enum WareCommand: Codable {
  case insert(id: String, price: Double, shelf: String)
  case reprice(id: String, to: Double)
  case delete(id: String)
}

struct WareShop: Decider {
  enum Refusal: Error, Equatable {
    case alreadyThere(String)
    case notThere(String)
  }

  private var ids: Set<String> = []

  func decide(_ command: WareCommand) throws(Refusal) -> [WareEvent] {
    switch command {
    case .insert(let id, let price, let shelf):
      if ids.contains(id) { throw .alreadyThere(id) }
      return [.inserted(id: id, price: price, shelf: shelf)]
    case .reprice(let id, let price):
      if !ids.contains(id) { throw .notThere(id) }
      return price < 0 ? [] : [.repriced(id: id, to: price)]
    case .delete(let id):
      if !ids.contains(id) { throw .notThere(id) }
      return [.deleted(id: id)]
    }
  }

  mutating func evolve(_ event: WareEvent) {
    switch event {
    case .inserted(let id, _, _): ids.insert(id)
    case .deleted(let id): ids.remove(id)
    default: break
    }
  }

  /// The command that an event comes from.
  static func command(of event: WareEvent) -> WareCommand? {
    switch event {
    case .inserted(let id, let price, let shelf): .insert(id: id, price: price, shelf: shelf)
    case .repriced(let id, let price): .reprice(id: id, to: price)
    case .deleted(let id): .delete(id: id)
    default: nil
    }
  }
}

enum SeatEvent: Event {
  case booked(seat: Int)

  var tags: Set<EventTag> { if case .booked(let seat) = self { ["seat:\(seat)"] } else { [] } }
}

enum SeatCommand: Codable {
  case book(seat: Int)
}

struct Seats: BoundaryDecider {
  struct Taken: Error {}

  private var isTaken = false

  static func boundary(for command: SeatCommand) -> EventQuery {
    switch command {
    case .book(let seat): .tagged("seat:\(seat)")
    }
  }

  func decide(_ command: SeatCommand) throws(Taken) -> [SeatEvent] {
    if isTaken { throw Taken() }
    return switch command {
    case .book(let seat): [.booked(seat: seat)]
    }
  }

  mutating func evolve(_ event: SeatEvent) { isTaken = true }
}

extension ToolRunner {
  /// The tool of the app: its list by shelf and price, and its deciders.
  static var wares: ReplayTool {
    ReplayTool(
      ReplayList(Wares(), request: ListRequest(sort: [.ascending(\.price)], section: .by(\.shelf))),
      ReplayCommands(
        WareShop.self, command: WareShop.command, examples: [.delete(id: "a"), .reprice(id: "a", to: 2)]),
      ReplayCommands(Seats.self), name: "shoptool",
      version: "1")
  }

  /// A log of ten events: wares a to c come in, change and go, and one transaction has three events.
  func makeWares(_ name: String = "log.annals") throws {
    let store = try SQLiteEventStore(
      path: path(name),
      environment: StoreEnvironment(now: { Date(timeIntervalSince1970: 1_767_323_045) }))
    func execute(_ command: WareCommand, _ id: String, by actor: String) throws {
      try store.execute(command, on: WareShop["main"], commandID: id, metadata: ["actor": actor])
    }
    try execute(.insert(id: "a", price: 1, shelf: "x"), "c1", by: "ann")
    try execute(.insert(id: "b", price: 2, shelf: "x"), "c2", by: "ann")
    try execute(.insert(id: "c", price: 3, shelf: "y"), "c3", by: "bob")
    let bundle = [
      NewEvent(type: "WareRepriced", payload: #"{"id":"a","to":4}"#),
      NewEvent(type: "WareBundled", payload: #"{"ids":["a","b"],"to":5}"#),
      NewEvent(type: "WareShelfRenamed", payload: #"{"shelf":"x","to":"Left"}"#),
    ]
    try store.append(Append(bundle, to: "WareShop-main"))
    try execute(.reprice(id: "c", to: 6), "c7", by: "bob")
    try execute(.reprice(id: "b", to: 7), "c8", by: "ann")
    try execute(.delete(id: "b"), "c9", by: "ann")
    try execute(.insert(id: "b", price: 8, shelf: "y"), "c10", by: "bob")
  }
}

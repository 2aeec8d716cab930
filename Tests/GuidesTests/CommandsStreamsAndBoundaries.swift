import Annals
import AnnalsSQLite
import Foundation

enum TicketEvent: Event {
  case sold(concert: String, seat: Int, to: String)
  case returned(concert: String, seat: Int, by: String)

  var tags: Set<EventTag> {
    switch self {
    case .sold(let concert, _, let person), .returned(let concert, _, let person):
      ["concert:\(concert)", "person:\(person)"]
    }
  }
}

struct Purchase: Sendable {
  var concert: String
  var seat: Int
  var person: String
}

struct Concert: Decider {
  enum Refusal: Error { case taken(by: String) }
  var owners: [Int: String] = [:]

  func decide(_ purchase: Purchase) throws(Refusal) -> [TicketEvent] {
    if let owner = owners[purchase.seat] { throw .taken(by: owner) }
    return [.sold(concert: purchase.concert, seat: purchase.seat, to: purchase.person)]
  }

  mutating func evolve(_ event: TicketEvent) {
    switch event {
    case .sold(_, let seat, let person): owners[seat] = person
    case .returned(_, let seat, _): owners[seat] = nil
    }
  }
}

struct TicketOffice: BoundaryDecider {
  enum Refusal: Error { case taken, twoAlready }
  var owners: [String: [Int: String]] = [:]
  var count: [String: Int] = [:]

  static func boundary(for purchase: Purchase) -> EventQuery {
    .tagged("concert:\(purchase.concert)") || .tagged("person:\(purchase.person)")
  }

  static func stream(for purchase: Purchase) -> StreamName { Concert.stream(purchase.concert) }

  func decide(_ purchase: Purchase) throws(Refusal) -> [TicketEvent] {
    guard owners[purchase.concert]?[purchase.seat] == nil else { throw .taken }
    guard count[purchase.person, default: 0] < 2 else { throw .twoAlready }
    return [.sold(concert: purchase.concert, seat: purchase.seat, to: purchase.person)]
  }

  mutating func evolve(_ event: TicketEvent) {
    switch event {
    case .sold(let concert, let seat, let person):
      owners[concert, default: [:]][seat] = person
      count[person, default: 0] += 1
    case .returned(let concert, let seat, let person):
      owners[concert]?[seat] = nil
      count[person, default: 0] -= 1
    }
  }
}

/// The program of `Docs/Guides/02-CommandsStreamsAndBoundaries.md`.
enum CommandsStreamsAndBoundaries {
  @MainActor static func run(path: String) throws {
    let store = try SQLiteEventStore(path: path)
    let receipt = try store.execute(
      Purchase(concert: "bach", seat: 7, person: "ann"), on: Concert["bach"])
    print("added \(receipt.count) event, the log ends at \(try store.head())")
    do {
      try store.execute(Purchase(concert: "bach", seat: 7, person: "bob"), on: Concert["bach"])
    } catch Concert.Refusal.taken(let owner) {
      print("\(owner) has it")
    }

    try store.execute(Purchase(concert: "arvo", seat: 1, person: "ann"), on: .boundary(TicketOffice.self))
    do {
      try store.execute(Purchase(concert: "cage", seat: 1, person: "ann"), on: .boundary(TicketOffice.self))
    } catch TicketOffice.Refusal.twoAlready {
      print("ann has two tickets already")
    }

    for _ in 0..<2 {
      let receipt = try store.execute(
        Purchase(concert: "cage", seat: 1, person: "bob"), on: .boundary(TicketOffice.self), commandID: "order 81")
      print(receipt.isRepeated ? "order 81 was done before" : "order 81 is done")
    }

    do {
      try store.transaction { transaction in
        try transaction.execute(Purchase(concert: "bach", seat: 8, person: "eve"), on: .boundary(TicketOffice.self))
        try transaction.execute(Purchase(concert: "cage", seat: 1, person: "eve"), on: .boundary(TicketOffice.self))
      }
    } catch TicketOffice.Refusal.taken {
      print("no seat for eve, and the log still ends at \(try store.head())")
    }

    try store.append([TicketEvent.returned(concert: "bach", seat: 7, by: "ann")], to: Concert.stream("bach"))

    do {
      try store.append(
        [TicketEvent.sold(concert: "bach", seat: 9, to: "dan")], to: Concert.stream("bach"), expecting: .exact(1))
    } catch let error as EventStoreError where error.code == .versionConflict {
      print("the stream is at \(error.version ?? 0)")
    }
  }
}

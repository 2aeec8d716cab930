import Annals

enum FarSeatEvent: Event {
  case taken(seat: Int, by: String)
  case freed(seat: Int)

  var tags: Set<EventTag> {
    switch self {
    case .taken(let seat, _), .freed(let seat): ["seat:\(seat)"]
    }
  }
}

enum FarSeatCommand: Sendable, Hashable {
  case take(seat: Int, by: String)
  case free(seat: Int)

  var seat: Int {
    switch self {
    case .take(let seat, _), .free(let seat): seat
    }
  }
}

/// The seats of a hall, the decider's stream: two may be taken at a time.
struct FarHall: Decider {
  struct Refused: Error, Hashable {}

  static var category: String { "FarHall" }

  var taken: Set<Int> = []

  func decide(_ command: FarSeatCommand) throws(Refused) -> [FarSeatEvent] {
    switch command {
    case .take(let seat, let person):
      if taken.contains(seat) || taken.count == 2 { throw Refused() }
      return [.taken(seat: seat, by: person)]
    case .free(let seat): return taken.contains(seat) ? [.freed(seat: seat)] : []
    }
  }

  mutating func evolve(_ event: FarSeatEvent) {
    switch event {
    case .taken(let seat, _): taken.insert(seat)
    case .freed(let seat): taken.remove(seat)
    }
  }
}

/// One seat, by its tag, in whatever hall.
struct FarSeat: BoundaryDecider {
  var owner: String?

  static func boundary(for command: FarSeatCommand) -> EventQuery { .tagged("seat:\(command.seat)") }

  func decide(_ command: FarSeatCommand) throws(FarHall.Refused) -> [FarSeatEvent] {
    switch command {
    case .take(let seat, let person):
      if owner != nil { throw FarHall.Refused() }
      return [.taken(seat: seat, by: person)]
    case .free(let seat): return owner == nil ? [] : [.freed(seat: seat)]
    }
  }

  mutating func evolve(_ event: FarSeatEvent) {
    switch event {
    case .taken(_, let person): owner = person
    case .freed: owner = nil
    }
  }
}

/// The events of a hall, counted by another decider of the same stream, which refuses as many as its command says.
struct FarCount: Decider {
  static var category: String { FarHall.category }

  var count = 0

  func decide(_ most: Int) throws(FarHall.Refused) -> [FarSeatEvent] {
    if count >= most { throw FarHall.Refused() }
    return []
  }

  mutating func evolve(_ event: FarSeatEvent) { count += 1 }
}

import Annals

/// A change in a parking garage with several levels.
///
/// Schema 1 had prices in euros.
enum ParkingEvent: Event, Equatable {
  case opened(level: String, spots: Int)
  case resized(level: String, spots: Int)
  case reserved(id: String, plate: String, level: String)
  case cancelled(id: String, plate: String, level: String)
  case entered(plate: String, level: String, bay: Int, at: Int)
  case left(plate: String, level: String, at: Int, cents: Int)

  var tags: Set<EventTag> {
    switch self {
    case .opened(let level, _), .resized(let level, _): ["level:\(level)"]
    case .reserved(let id, let plate, let level): ["id:\(id)", "plate:\(plate)", "level:\(level)"]
    case .cancelled(let id, let plate, let level):
      bug(26) ? ["id:\(id)", "level:\(level)"] : ["id:\(id)", "plate:\(plate)", "level:\(level)"]
    case .entered(let plate, let level, _, _), .left(let plate, let level, _, _):
      ["plate:\(plate)", "level:\(level)"]
    }
  }

  static let schema = 2
  static let upcasters: [Upcaster] = [
    .changed("ParkingLeft", from: 1, to: 2, as: OldLeft.self) { old in
      let cents = old.euros * 100
      return NewLeft(plate: old.plate, level: old.level, at: old.at, cents: Int(bug(12) ? cents : cents.rounded()))
    }
  ]

  struct OldLeft: Codable {
    var plate: String
    var level: String
    var at: Int
    var euros: Double
  }

  struct NewLeft: Codable {
    var plate: String
    var level: String
    var at: Int
    var cents: Int
  }
}

enum ParkingCommand: Hashable, Codable, Sendable {
  case open(level: String, spots: Int)
  case resize(level: String, by: Int)
  case reserve(id: String, plate: String, level: String)
  case cancel(id: String, level: String)
  case enter(plate: String, level: String, at: Int)
  case leave(plate: String, level: String, at: Int)

  var level: String {
    switch self {
    case .open(let level, _), .resize(let level, _), .reserve(_, _, let level), .cancel(_, let level),
      .enter(_, let level, _), .leave(_, let level, _):
      level
    }
  }
}

/// The rules: a car is on one level, a car has two open reservations at most, and an id is used once.
struct Garage: BoundaryDecider, SnapshotDecider, Equatable {
  enum Refusal: String, Error {
    case exists, noSpots, noLevel, full, parkedAlready, notHere, timeGoesBack, usedID, tooMany, noReservation
  }

  struct Level: Equatable, Codable {
    var spots: Int
    var bays: [String: Int] = [:]
    var reservations: Set<String> = []
  }

  struct Stay: Hashable, Codable {
    var level: String
    var since: Int
  }

  struct Reservation: Hashable, Codable {
    var plate: String
    var level: String
  }

  var levels: [String: Level] = [:]
  var stays: [String: Stay] = [:]
  var reservations: [String: Reservation] = [:]
  var openCount: [String: Int] = [:]
  var visits: [String: Int] = [:]
  var used: Set<String> = []

  static func boundary(for command: ParkingCommand) -> EventQuery {
    let level = EventQuery.tagged("level:\(command.level)")
    return switch command {
    case .open, .resize: level
    case .reserve(_, let plate, _) where bug(18): level || .tagged("plate:\(plate)")
    case .reserve(let id, let plate, _): level || .tagged("plate:\(plate)") || .tagged("id:\(id)")
    case .cancel(let id, _): level || .tagged("id:\(id)")
    case .enter where bug(25): level
    case .enter(let plate, _, _), .leave(let plate, _, _): level || .tagged("plate:\(plate)")
    }
  }

  static func stream(for command: ParkingCommand) -> StreamName { StreamName("Level-\(command.level)") }

  func decide(_ command: ParkingCommand) throws(Refusal) -> [ParkingEvent] {
    if case .open(let name, let spots) = command {
      guard levels[name] == nil else { throw .exists }
      guard spots > 0 || bug(20) else { throw .noSpots }
      return [.opened(level: name, spots: spots)]
    }
    guard let level = levels[command.level] else { throw .noLevel }
    let free = level.spots - level.bays.count - level.reservations.count
    switch command {
    case .open: return []
    case .resize(let name, let more):
      guard free + more >= 0 else { throw .noSpots }
      return [.resized(level: name, spots: level.spots + more)]
    case .reserve(let id, let plate, let name):
      guard !used.contains(id) else { throw .usedID }
      guard openCount[plate, default: 0] < (bug(2) ? 3 : 2) else { throw .tooMany }
      guard free > 0 else { throw .full }
      return [.reserved(id: id, plate: plate, level: name)]
    case .cancel(let id, let name):
      guard let reservation = reservations[id], reservation.level == name else { throw .noReservation }
      return [.cancelled(id: id, plate: reservation.plate, level: name)]
    case .enter(let plate, let name, let time):
      guard stays[plate] == nil else { throw .parkedAlready }
      guard free > 0 || bug(3) && free == 0 else { throw .full }
      return [.entered(plate: plate, level: name, bay: bay(in: level), at: time)]
    case .leave(let plate, let name, let time):
      guard let stay = stays[plate], stay.level == name else { throw .notHere }
      guard time >= stay.since || bug(14) else { throw .timeGoesBack }
      let isFree = (visits[plate, default: 0] + 1) % 20 == 0 && !bug(30)
      return [.left(plate: plate, level: name, at: time, cents: isFree ? 0 : Fee.cents(time - stay.since))]
    }
  }

  /// The lowest free bay of a level.
  private func bay(in level: Level) -> Int {
    let taken = Set(level.bays.values)
    let free = Dictionary(uniqueKeysWithValues: (1...taken.count + 3).filter { !taken.contains($0) }.map { ($0, true) })
    return (bug(8) ? free.keys.first : free.keys.min()) ?? 0
  }

  mutating func evolve(_ event: ParkingEvent) {
    switch event {
    case .opened(let level, let spots): levels[level] = Level(spots: spots)
    case .resized(let level, let spots): levels[level]?.spots = spots
    case .reserved(let id, let plate, let level):
      reservations[id] = Reservation(plate: plate, level: level)
      levels[level]?.reservations.insert(id)
      openCount[plate, default: 0] += 1
      used.insert(id)
    case .cancelled(let id, let plate, let level):
      reservations[id] = nil
      levels[level]?.reservations.remove(id)
      if !bug(4) { openCount[plate, default: 0] -= 1 }
    case .entered(let plate, let level, let bay, let time):
      stays[plate] = Stay(level: level, since: time)
      levels[level]?.bays[plate] = bay
    case .left(let plate, let level, _, _):
      stays[plate] = nil
      levels[level]?.bays[plate] = nil
      visits[plate, default: 0] += 1
    }
  }
}

// The state in JSON, which is written by hand because bug 28 loses a set.
extension Garage {
  enum Key: CodingKey { case levels, stays, reservations, openCount, visits, used }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    levels = try values.decode([String: Level].self, forKey: .levels)
    stays = try values.decode([String: Stay].self, forKey: .stays)
    reservations = try values.decode([String: Reservation].self, forKey: .reservations)
    openCount = try values.decode([String: Int].self, forKey: .openCount)
    visits = try values.decode([String: Int].self, forKey: .visits)
    used = try values.decodeIfPresent(Set<String>.self, forKey: .used) ?? []
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(levels, forKey: .levels)
    try values.encode(stays, forKey: .stays)
    try values.encode(reservations, forKey: .reservations)
    try values.encode(openCount, forKey: .openCount)
    try values.encode(visits, forKey: .visits)
    if !bug(28) { try values.encode(used, forKey: .used) }
  }
}

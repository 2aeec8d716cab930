import Annals
import AnnalsTesting

/// The expected content of the garage.
struct Lot: Hashable {
  struct Car: Hashable {
    var level: String?
    var since = 0
    var visits = 0
    var minutes = 0
    var cents = 0
  }

  var levels: [String: Int] = [:]
  var cars: [String: Car] = [:]
  var reservations: [String: Garage.Reservation] = [:]
  var used: Set<String> = []

  func free(_ level: String) -> Int? {
    guard let spots = levels[level] else { return nil }
    let reserved = reservations.values.filter { $0.level == level }.count
    return spots - reserved - cars.values.filter { $0.level == level }.count
  }

  func reservations(of plate: String) -> Int { reservations.values.filter { $0.plate == plate }.count }

  var parked: [(plate: String, level: String, since: Int)] {
    cars.sorted { $0.key < $1.key }.compactMap { plate, car in car.level.map { (plate, $0, car.since) } }
  }
}

struct GarageMachine: Machine {
  let levels = Generator.element(of: ["p1", "p2"])
  // Both spellings of a letter with an accent, as the reference of the generators recommends.
  let plates = Generator.element(of: ["a", "b", "\u{E9}", "e\u{301}"])
  let ids = Generator.element(of: ["r1", "r2", "r3", "r4", "r5", "r6"])

  func start() -> (model: Lot, system: ParkingSystem) {
    (Lot(), ParkingSystem(InterleavingStore(MemoryEventStore())))
  }

  func store(of system: ParkingSystem) -> (any EventStore)? { system.store }

  var commands: [Command<Lot, ParkingSystem>] {
    Command("open(_:spots:)") { _ in
      zip(levels, .int(in: -1...4))
    } model: { lot, it in
      guard lot.levels[it.0] == nil else { throw Garage.Refusal.exists }
      guard it.1 > 0 else { throw Garage.Refusal.noSpots }
      lot.levels[it.0] = it.1
    } run: { garage, it in
      try garage.open(it.0, spots: it.1)
    }
    Command("resize(_:by:)") { _ in
      zip(levels, .int(in: -2...3))
    } model: { lot, it in
      guard let free = lot.free(it.0) else { throw Garage.Refusal.noLevel }
      guard free + it.1 >= 0 else { throw Garage.Refusal.noSpots }
      lot.levels[it.0]? += it.1
    } run: { garage, it in
      try garage.resize(it.0, by: it.1)
    }
    Command("reserve(_:for:on:)") { _ in
      zip(ids, plates, levels)
    } model: { lot, it in
      guard let free = lot.free(it.2) else { throw Garage.Refusal.noLevel }
      guard !lot.used.contains(it.0) else { throw Garage.Refusal.usedID }
      guard lot.reservations(of: it.1) < 2 else { throw Garage.Refusal.tooMany }
      guard free > 0 else { throw Garage.Refusal.full }
      lot.used.insert(it.0)
      lot.reservations[it.0] = Garage.Reservation(plate: it.1, level: it.2)
      lot.cars[it.1, default: Lot.Car()].visits += 0
    } run: { garage, it in
      try garage.reserve(it.0, for: it.1, on: it.2)
    }
    Command("cancel(_:on:)") { lot in
      .oneOf(
        .element(of: lot.reservations.sorted { $0.key < $1.key }.map { ($0.key, $0.value.level) }), zip(ids, levels))
    } model: { lot, it in
      guard lot.levels[it.1] != nil else { throw Garage.Refusal.noLevel }
      guard lot.reservations[it.0]?.level == it.1 else { throw Garage.Refusal.noReservation }
      lot.reservations[it.0] = nil
    } run: { garage, it in
      try garage.cancel(it.0, on: it.1)
    }
    Command("enter(_:_:at:)") { _ in
      zip(plates, levels, .int(in: 0...9))
    } model: { lot, it in
      guard let free = lot.free(it.1) else { throw Garage.Refusal.noLevel }
      guard lot.cars[it.0]?.level == nil else { throw Garage.Refusal.parkedAlready }
      guard free > 0 else { throw Garage.Refusal.full }
      lot.cars[it.0, default: Lot.Car()].level = it.1
      lot.cars[it.0]?.since = it.2
    } run: { garage, it in
      try garage.enter(it.0, it.1, at: it.2)
    }
    Command("leave(_:_:at:)") { lot in
      .oneOf(
        Generator.element(of: lot.parked).flatMap { car in
          Generator.int(in: -1...199).map { (car.plate, car.level, car.since + $0) }
        }, zip(plates, levels, .int(in: 0...99)))
    } model: { lot, it in
      guard lot.levels[it.1] != nil else { throw Garage.Refusal.noLevel }
      guard var car = lot.cars[it.0], car.level == it.1 else { throw Garage.Refusal.notHere }
      guard it.2 >= car.since else { throw Garage.Refusal.timeGoesBack }
      let minutes = it.2 - car.since
      car.level = nil
      car.visits += 1
      car.minutes += minutes
      // A price for every half hour that began, unless the stay was short or the 20th visit.
      let isFree = minutes <= 15 || car.visits.isMultiple(of: 20)
      car.cents += isFree ? 0 : stride(from: 0, to: minutes, by: 30).reduce(0) { cents, _ in cents + 150 }
      lot.cars[it.0] = car
    } run: { garage, it in
      try garage.leave(it.0, it.1, at: it.2)
    }
    Command("free(on:)") { _ in
      levels
    } model: { lot, level in
      lot.free(level)
    } run: { garage, level in
      try garage.free(on: level)
    }
    Command("longest()") { lot in
      lot.parked.min { ($0.since, $0.plate) < ($1.since, $1.plate) }?.plate
    } run: { garage in
      try garage.longest()
    }
  }

  func invariant(_ lot: Lot, _ garage: ParkingSystem) throws {
    let signs = try garage.signs()
    try ensureEqual(signs.map(\.id), lot.levels.keys.sorted(), "levels")
    for sign in signs { try ensureEqual(sign.free, lot.free(sign.id), "free spots") }
    let cars = try garage.cars().sorted { $0.id < $1.id }
    try ensureEqual(cars.map(\.id), lot.cars.keys.sorted(), "plates")
    for car in cars {
      guard let expected = lot.cars[car.id] else { continue }
      try ensureEqual(car.level, expected.level ?? "~", "level")
      try ensureEqual(car.reservations, lot.reservations(of: car.id), "reservations")
      try ensureEqual(car.visits, expected.visits, "visits")
      try ensureEqual(car.minutes, expected.minutes, "minutes")
      try ensureEqual(car.cents, expected.cents, "cents")
      let average = expected.visits == 0 ? 0 : Double(expected.minutes) / Double(expected.visits)
      try ensureEqual(car.average, average, "average")
    }
  }
}

/// The gate with several cars at the same time.
struct GateMachine: AsyncMachine {
  func start() async throws -> (model: Int, system: Gate) { (0, Gate()) }

  var commands: [Command<Int, Gate>] {
    Command("letIn()") { (inside: inout Int) in
      guard inside < 2 else { throw Gate.Closed() }
      inside += 1
    } run: { (gate: Gate) in
      try await gate.letIn()
    }
    Command("letOut()") { (inside: inout Int) in
      guard inside > 0 else { throw Gate.Closed() }
      inside -= 1
    } run: { (gate: Gate) in
      try await gate.letOut()
    }
  }
}

import Annals
import AnnalsTesting
import Foundation

/// The events of the garage's first version.
enum FirstParkingEvent: Event {
  case left(plate: String, level: String, at: Int, euros: Double)

  static let typePrefix = "Parking"
}

/// The commands that an author draws from the garage's state.
func parking(_ garage: Garage) -> Generator<ParkingCommand> {
  let levels = Generator.element(of: ["p1", "p2"])
  let plates = Generator.element(of: ["a", "b", "c"])
  let ids = Generator.element(of: ["r1", "r2", "r3", "r4", "r5", "r6"])
  let stays = garage.stays.sorted { $0.key < $1.key }
  let reservations = garage.reservations.sorted { $0.key < $1.key }
  return .oneOf(
    zip(levels, .int(in: 0...3)).map { .open(level: $0, spots: $1) },
    zip(levels, .int(in: -1...2)).map { .resize(level: $0, by: $1) },
    zip(ids, plates, levels).map { .reserve(id: $0, plate: $1, level: $2) },
    Generator.element(of: reservations).map { .cancel(id: $0.key, level: $0.value.level) },
    zip(plates, levels, .int(in: 0...99)).map { .enter(plate: $0, level: $1, at: $2) },
    zip(Generator.element(of: stays), .int(in: 0...99)).map { stay, minutes in
      .leave(plate: stay.key, level: stay.value.level, at: stay.value.since + minutes)
    })
}

/// The first commands of every history, so that most later commands are accepted.
let openLevels: [ParkingCommand] = [.open(level: "p1", spots: 2), .open(level: "p2", spots: 1)]

/// The checks of the garage.
///
/// `checkApart` precedes the machine, because a trap in a machine ends the process.
let garageChecks: [PlannedCheck] = [
  PlannedCheck("checkApart") { settings, launch in
    try checkApart(Garage.histories(after: openLevels, parking), launch: launch, settings: settings) { history in
      _ = Cars.longest(of: try Cars().rows(after: history))
    }
  },
  PlannedCheck("machine") { settings, _ in try check(GarageMachine(), settings: settings) },
  PlannedCheck("property") { settings, _ in
    try check(.int(in: 0...3_000), settings: settings) { minutes in
      let cents = stride(from: 0, to: minutes, by: 30).reduce(0) { sum, _ in sum + 150 }
      try ensureEqual(Fee.cents(minutes), minutes > 15 ? cents : 0)
    }
    try check(.int(in: 0...1_000_000), settings: settings) { minutes in
      try ensureEqual(Fee.minutes(onStrip: Fee.strip(minutes)), minutes)
    }
    try check(.date(), settings: settings) { time in
      let end = Fee.end(ofTicketAt: time)
      try ensure(end > time)
      try ensureEqual(Fee.berlin.startOfDay(for: end), end)
      try ensureEqual(Fee.berlin.startOfDay(for: end - 1), Fee.berlin.startOfDay(for: time))
    }
  },
  PlannedCheck("scenario of the 20th visit") { settings, _ in
    try check(.int(in: 0...40), .int(in: 0...200), settings: settings) { visits, minutes in
      let visit = [
        ParkingEvent.entered(plate: "a", level: "p1", bay: 1, at: 0),
        .left(plate: "a", level: "p1", at: 0, cents: 0),
      ]
      let history = [.opened(level: "p1", spots: 1)] + Array(repeating: visit, count: visits).joined() + visit.prefix(1)
      let cents = (visits + 1).isMultiple(of: 20) ? 0 : Fee.cents(minutes)
      try Garage.given(history).when(.leave(plate: "a", level: "p1", at: minutes))
        .then(.left(plate: "a", level: "p1", at: minutes, cents: cents))
    }
  },
  PlannedCheck("checkReads") { settings, _ in
    let old = zip(.element(of: ["a", "b"]), .int(in: 0...99), .int(in: 0...100_000)).map { plate, time, cents in
      FirstParkingEvent.left(plate: plate, level: "p1", at: time, euros: Double(cents) / 100)
    }
    try ParkingEvent.checkReads(old, settings: settings) { event in
      guard case .left(let plate, let level, let time, let euros) = event else { return [] }
      return [.left(plate: plate, level: level, at: time, cents: Int((euros * 100).rounded()))]
    }
  },
  PlannedCheck("checkAllLaws of the tariff") { settings, _ in
    try Tariff.checkAllLaws(settings: settings) { _ in
      let levels = Generator.element(of: ["p1", "p2"])
      return .oneOf(
        zip(levels, .int(in: 0...5)).map { .price(level: $0, cents: $1) }, levels.map { .free(level: $0) })
    }
  },
  PlannedCheck("concurrent machine") { settings, _ in
    try await check(GateMachine(), concurrency: 2, settings: settings)
  },
  PlannedCheck("FaultyStore") { _, _ in
    try FaultyStore.check(steps: [
      .init("enter a") { try $0.enter("a", "p1", at: 0, id: "1") },
      .init("leave a") { try $0.leave("a", "p1", at: 20, id: "2") },
    ]) { store in
      let garage = ParkingSystem(store.wrapped)
      try garage.open("p1", spots: 2)
      return ParkingSystem(store)
    } answer: { garage in
      try garage.cars()
    }
  },
  PlannedCheck("checkDelivery") { settings, _ in
    var settings = settings
    settings.examples = 50
    try await checkDelivery(of: Garage.histories(after: openLevels, parking), settings: settings) {
      Till()
    } follower: { store, till in
      try EventFollower("till", of: ParkingEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        guard case .left(let plate, _, _, let cents) = recorded.event else { return }
        await till.pay("\(plate) \(cents)", id: recorded.id)
      }
    } answer: { _, till in
      await till.payments
    }
  },
  PlannedCheck("checkPurity") { settings, launch in
    var settings = settings
    settings.examples = 50
    try Purity.check(.date(), launch: launch, settings: settings) { Fee.isNight($0) }
  },
  PlannedCheck("checkAllLaws") { settings, launch in
    try Garage.checkAllLaws(
      after: openLevels, lists: [.init(Cars(), in: .levels), .init(Signs())], purity: launch, settings: settings,
      parking)
  },
]

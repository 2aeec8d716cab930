import Annals
import AnnalsTesting
import Synchronization
import Testing

/// A counter with the mistakes that a state can have.
private struct Counter: Decider, Equatable, Codable {
  final class Shared: Sendable {
    let count = Mutex(0)
  }

  static let mistake = Mutex(Mistake.none)

  enum Mistake {
    case none
    /// Copies of the state share an object with the count.
    case shares
    /// A snapshot loses the count.
    case forgets
    /// The answer changes every time.
    case changesItsMind
  }

  private var own = 0
  private var extra = 0
  private let shared = Shared()

  private enum CodingKeys: CodingKey { case own }

  var count: Int { Self.mistake.withLock { $0 } == .shares ? shared.count.withLock { $0 } : own + extra }

  func decide(_ command: Int) throws -> [CounterEvent] {
    if Self.mistake.withLock({ $0 }) == .changesItsMind {
      return [.added(command + Self.asked.wrappingAdd(1, ordering: .relaxed).newValue)]
    }
    return [.added(command)]
  }

  private static let asked = Atomic<Int>(0)

  mutating func evolve(_ event: CounterEvent) {
    guard case .added(let number) = event else { return }
    switch Self.mistake.withLock({ $0 }) {
    case .shares: shared.count.withLock { $0 += number }
    case .forgets where number > 1: extra += number
    default: own += number
    }
  }

  static func == (left: Counter, right: Counter) -> Bool { left.count == right.count }
}

private enum CounterEvent: Event {
  case added(Int)
}

/// A decider that remembers outside of its state how often it was asked.
private struct Gossip: Decider {
  static let asked = Mutex(0)

  func decide(_ command: Int) -> [CounterEvent] {
    command == 0
      ? []
      : [
        .added(
          Self.asked.withLock {
            $0 += command; return $0
          })
      ]
  }
  mutating func evolve(_ event: CounterEvent) {}
}

private struct RoomGossip: BoundaryDecider {
  static func boundary(for command: Int) -> EventQuery { .stream("RoomGossip") }

  func decide(_ command: Int) -> [CounterEvent] { Gossip().decide(command) }
  mutating func evolve(_ event: CounterEvent) {}
}

/// An event that loses data when it is stored.
private struct Grams: Codable {
  var grams: Double

  init(grams: Double) {
    self.grams = grams
  }

  init(from decoder: any Decoder) throws { grams = try Double(decoder.singleValueContainer().decode(Int.self)) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Int(grams))
  }
}

private enum ScaleEvent: Event {
  case weighed(Grams)
}

private struct Scale: Decider, Equatable {
  var total = 0.0

  func decide(_ command: Double) throws -> [ScaleEvent] { [.weighed(Grams(grams: total + command))] }

  mutating func evolve(_ event: ScaleEvent) {
    if case .weighed(let weight) = event { total += weight.grams }
  }
}

@Suite(.serialized) struct DeciderLawTests {
  private let halls = Generator.array(
    of: zip(.bool, .int(in: 1...3)).map { isFreed, seat in
      isFreed ? SeatEvent.freed(seat: seat) : .booked(seat: seat)
    })
  private let sums = Generator<[CounterEvent]>.array(of: Generator.int(in: 1...9).map { .added($0) })
  private let settings = CheckSettings(examples: 200, seed: 1, environment: .patient)

  private func input(_ mistake: Counter.Mistake, _ law: ([CounterEvent]) throws -> Void) -> [String]? {
    Counter.mistake.withLock { $0 = mistake }
    defer { Counter.mistake.withLock { $0 = .none } }
    return (#expect(throws: PropertyFailure.self) { try check(sums, settings: settings, law) })?.input
  }

  @Test func `a pure decider keeps all laws`() throws {
    let commands = zip(.bool, .int(in: 0...3)).map { $0 ? Hall.Command.free($1) : .book($1) }
    try check(halls, commands, settings: settings) { history, command in
      try Hall.ensureReplaysEqually(history)
      try Hall.ensureResumesAnywhere(history)
      try Hall.ensureSnapshotsHold(history)
      try Hall.ensureDecidesEqually(command, after: history)
    }
    try check(.array(of: commands, count: 0...12), settings: settings) { try Hall.ensureStatesHold($0) }
  }

  @Test func `a state with an object is none that a store keeps`() throws {
    let unmet = #expect(throws: Unmet.self) { try Counter.ensureStatesHold([1, 2]) }
    #expect(unmet?.description.contains("the state contains an object or a closure in .shared") == true)
  }

  @Test func `a memory outside of the state is found by the states that a store keeps`() throws {
    let commands = Generator<[Int]>.array(of: .int(in: 0...3), count: 0...6)
    let failure = #expect(throws: PropertyFailure.self) {
      try check(commands, settings: settings) { try Gossip.ensureStatesHold($0) }
    }
    #expect(failure?.input == ["[1]"])
    try Gossip.ensureStatesHold([0, 0, 0])
    #expect(throws: Unmet.self) { try RoomGossip.ensureStatesHold([2]) }
    try RoomGossip.ensureStatesHold([0, 0])
  }

  @Test func `a state that shares an object with its copies does not resume`() {
    #expect(input(.shares) { try Counter.ensureResumesAnywhere($0) } == ["[.added(1)]"])
  }

  @Test func `a state that is not kept whole makes no snapshot`() throws {
    #expect(input(.forgets) { try Counter.ensureSnapshotsHold($0) } == ["[.added(2)]"])
  }

  @Test func `a decider that says something else when it is asked again does not decide equally`() {
    #expect(input(.changesItsMind) { try Counter.ensureDecidesEqually(1, after: $0) } == ["[]"])
  }

  @Test func `a decider whose events lose something in the store does not replay equally`() {
    let weights = Generator<[ScaleEvent]>.array(
      of: Generator.int(in: 0...9).map { .weighed(Grams(grams: Double($0) / 2)) })
    let replayed = #expect(throws: PropertyFailure.self) {
      try check(weights, settings: settings) { try Scale.ensureReplaysEqually($0) }
    }
    #expect(replayed?.input == ["[.weighed(Grams(grams: 0.5))]"])
    let decided = #expect(throws: PropertyFailure.self) {
      try check(weights, settings: settings) { try Scale.ensureDecidesEqually(1, after: $0) }
    }
    #expect(decided?.input.first?.contains("0.5") == true)
  }
}

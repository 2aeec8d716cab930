import Annals
import AnnalsTesting
import Testing

enum SeatEvent: Event, Equatable {
  case booked(seat: Int)
  case freed(seat: Int)

  static let schema = 2
  static let upcasters: [Upcaster] = [.renamed("SeatReserved", from: 1, to: 2, as: "SeatBooked")]
}

struct Hall: Decider, Equatable, Codable {
  enum Command {
    case book(Int)
    case free(Int)
  }

  enum Rejection: Error, Equatable {
    case taken(Int)
    case noSeat
  }

  var taken: Set<Int> = []

  func decide(_ command: Command) throws(Rejection) -> [SeatEvent] {
    switch command {
    case .book(let seat):
      guard (1...9).contains(seat) else { throw .noSeat }
      guard !taken.contains(seat) else { throw .taken(seat) }
      return [.booked(seat: seat)]
    case .free(let seat): return taken.contains(seat) ? [.freed(seat: seat)] : []
    }
  }

  mutating func evolve(_ event: SeatEvent) {
    switch event {
    case .booked(let seat): taken.insert(seat)
    case .freed(let seat): taken.remove(seat)
    }
  }
}

@Suite struct ScenarioTests {
  @Test func `what a decider answers is compared with what was expected`() throws {
    try Hall.given().when(.book(1)).then(.booked(seat: 1))
    try Hall.given(.booked(seat: 1)).when(.book(1)).thenRefused(.taken(1))
    try Hall.given(.booked(seat: 1)).when(.book(1)).thenRefused()
    try Hall.given(.booked(seat: 1), .freed(seat: 1)).when(.book(1)).then(.booked(seat: 1))
    try Hall.given([.booked(seat: 2)]).when(.free(1)).then()
  }

  @Test func `several commands follow each other, until one is refused`() throws {
    try Hall.given().when(.book(1)).when(.book(2)).when(.free(1)).then(.freed(seat: 1))
    try Hall.given().when(.book(1)).when(.free(1)).when(.book(1)).then(.booked(seat: 1))
    try Hall.given().when(.book(1)).when(.book(1)).when(.book(2)).thenRefused(.taken(1))
    let error = #expect(throws: Unmet.self) {
      try Hall.given().when(.book(0)).when(.book(2)).then(.booked(seat: 2))
    }
    #expect(error?.description == "expected [.booked(seat: 2)], found the refusal noSeat")
  }

  @Test func `another answer is refused with both in the sentence`() {
    func sentence(_ body: () throws -> Void) -> String? {
      (#expect(throws: Unmet.self) { try body() })?.description
    }
    #expect(
      sentence { try Hall.given().when(.book(1)).then(.booked(seat: 2)) }
        == "event 1: expected .booked(seat: 2), found .booked(seat: 1)")
    #expect(
      sentence { try Hall.given().when(.book(1)).then(.booked(seat: 1), .freed(seat: 1)) }
        == "event 2: expected .freed(seat: 1), found no event")
    #expect(
      sentence { try Hall.given().when(.book(0)).then(.booked(seat: 0)) }
        == "expected [.booked(seat: 0)], found the refusal noSeat")
    #expect(
      sentence { try Hall.given().when(.book(1)).thenRefused(.noSeat) }
        == "expected the refusal noSeat, found [.booked(seat: 1)]")
    #expect(
      sentence { try Hall.given(.booked(seat: 1)).when(.book(1)).thenRefused(.noSeat) }
        == "expected the refusal noSeat, found the refusal taken(1)")
    #expect(
      sentence { try Hall.given().when(.book(1)).thenRefused() } == "expected a refusal, found [.booked(seat: 1)]")
  }

  @Test func `refusals with equal descriptions and different values are different`() throws {
    struct Refusal: Error, Equatable, CustomStringConvertible {
      let seat: Int
      var description: String { "taken" }
    }
    struct Closed: Decider {
      func decide(_ command: Int) throws(Refusal) -> [SeatEvent] { throw Refusal(seat: command) }
      mutating func evolve(_ event: SeatEvent) {}
    }
    try Closed.given().when(1).thenRefused(Refusal(seat: 1))
    #expect(throws: Unmet.self) { try Closed.given().when(1).thenRefused(Refusal(seat: 2)) }
  }

  @Test func `a generated history is a history`() throws {
    let seats = Generator.array(of: .int(in: 1...9))
    try check(seats, .int(in: 1...9), settings: CheckSettings(examples: 200, seed: 1, environment: .patient)) {
      seats, seat in
      let scenario = Hall.given(seats.map { .booked(seat: $0) }).when(.book(seat))
      if seats.contains(seat) { try scenario.thenRefused(.taken(seat)) }
      if !seats.contains(seat) { try scenario.then(.booked(seat: seat)) }
    }
  }
}

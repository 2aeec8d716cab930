import Annals
import AnnalsTesting
import Synchronization
import Testing

private struct Seat: Row {
  let id: Int
  var bookings: Int
  var note = ""

  enum CodingKeys: CodingKey { case id, bookings }

  init(id: Int, bookings: Int) {
    self.id = id
    self.bookings = bookings
  }
}

private struct Seats: Projection {
  var usesNote = false
  var counter: Counter?

  final class Counter: Sendable {
    let count = Mutex(0)
  }

  func project(_ event: SeatEvent, into rows: inout Rows<Seat>) {
    switch event {
    case .booked(let seat):
      var row = rows[seat] ?? Seat(id: seat, bookings: 0)
      row.bookings += 1
      if let counter {
        row.bookings = counter.count.withLock {
          $0 += 1; return $0
        }
      }
      if usesNote { row.note += "x" }
      rows.insert(row)
    case .freed(let seat): rows[seat] = nil
    }
  }
}

@Suite struct LawTests {
  private let histories = Generator.array(
    of: zip(.bool, .int(in: 1...3)).map { isFreed, seat in
      isFreed ? SeatEvent.freed(seat: seat) : .booked(seat: seat)
    })
  private let settings = CheckSettings(examples: 60, seed: 1, environment: [:])

  private func input(_ body: () throws -> Void) -> [String]? {
    (#expect(throws: PropertyFailure.self) { try body() })?.input
  }

  @Test func `a pure projection keeps both laws`() throws {
    try check(histories, settings: settings) { history in
      try Seats().ensureReplaysEqually(history)
      try Seats().ensureResumesAnywhere(history)
    }
  }

  @Test func `a projection that counts beside its rows does not replay equally`() {
    let projection = Seats(counter: .init())
    let input = input { try check(histories, settings: settings) { try projection.ensureReplaysEqually($0) } }
    #expect(input == ["[.booked(seat: 1)]"])
  }

  @Test func `rows that forget something when they are kept do not resume`() {
    let input = input {
      try check(histories, settings: settings) { try Seats(usesNote: true).ensureResumesAnywhere($0) }
    }
    #expect(input == ["[.booked(seat: 1)]"])
  }
}

import Annals
import AnnalsTesting
import Synchronization
import Testing

private struct Seat: Row {
  let id: Int
  var bookings: Double
  var note = ""

  enum CodingKeys: CodingKey { case id, bookings }

  init(id: Int, bookings: Double) {
    self.id = id
    self.bookings = bookings
  }
}

/// Counts bookings, with the requested mistake.
private struct Seats: Projection {
  enum Mistake {
    case none
    /// Numbers bookings with its own counter.
    case countsBeside
    /// Recognises two bookings in a row, with its own memory.
    case remembers
    /// Stores a value that the row loses.
    case notes
    /// The third booking is NaN, which is not equal to itself.
    case noNumber
  }

  final class Memory: Sendable {
    let count = Mutex(0)
    let last = Mutex<Int?>(nil)
  }

  var mistake = Mistake.none
  private let memory = Memory()

  init(_ mistake: Mistake = .none) {
    self.mistake = mistake
  }

  func project(_ event: SeatEvent, into rows: inout Rows<Seat>) {
    switch event {
    case .booked(let seat):
      var row = rows[seat] ?? Seat(id: seat, bookings: 0)
      row.bookings += 1
      switch mistake {
      case .none: break
      case .countsBeside:
        row.bookings = memory.count.withLock { count in
          count += 1
          return Double(count)
        }
      case .remembers:
        // It forgets at the start of every replay, so that replays are equal.
        if rows.all.isEmpty { memory.last.withLock { $0 = nil } }
        let isRepeated = memory.last.withLock { last in
          defer { last = seat }
          return last == seat
        }
        if isRepeated { row.bookings += 100 }
      case .notes: row.note += "x"
      case .noNumber: if row.bookings > 2 { row.bookings = .nan }
      }
      rows.insert(row)
      rows.numberSection(row.bookings > 1, of: \.isPopular, to: row.bookings)
    case .freed(let seat): rows[seat] = nil
    }
  }
}

extension Seat {
  fileprivate var isPopular: Bool { bookings > 1 }
}

/// The events before one was renamed, and before seats had numbers.
private enum OldSeatEvent: Event {
  static var typePrefix: String { "Seat" }

  case reserved(seat: Int)
  case freed(seat: Int)
}

@Suite struct LawTests {
  private let event = zip(.bool, .int(in: 1...3)).map { isFreed, seat in
    isFreed ? SeatEvent.freed(seat: seat) : .booked(seat: seat)
  }
  private var histories: Generator<[SeatEvent]> { .array(of: event) }
  private let settings = CheckSettings(examples: 200, seed: 1, environment: .patient)
  private let request = ListRequest<Seat>(
    sort: [.descending(\.bookings)], section: .by(\.isPopular, order: .byNumber))

  private typealias Law = @Sendable (Seats, [SeatEvent]) throws -> Void

  private func input(_ mistake: Seats.Mistake, _ law: Law) -> [String]? {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(histories, settings: settings) { try law(Seats(mistake), $0) }
    }
    return failure?.input
  }

  @Test func `a pure projection keeps all laws`() throws {
    try check(histories, settings: settings) { history in
      try Seats().ensureAllLaws(history, in: request)
      sometimes(history.count > 10, "a long history")
    }
  }

  @Test func `a projection that counts beside its rows does not replay equally`() {
    #expect(input(.countsBeside) { try $0.ensureReplaysEqually($1) } == ["[.booked(seat: 1)]"])
  }

  @Test func `a projection that remembers beside its rows does not resume where a history is cut`() throws {
    try check(histories, settings: settings) { try Seats(.remembers).ensureReplaysEqually($0) }
    #expect(input(.remembers) { try $0.ensureResumesAnywhere($1) } == ["[.booked(seat: 1), .booked(seat: 2)]"])
  }

  @Test func `rows that forget something when they are kept make no snapshot`() {
    #expect(input(.notes) { try $0.ensureSnapshotsHold($1) } == ["[.booked(seat: 1)]"])
  }

  @Test func `a row that is not equal to itself keeps the laws of lists`() throws {
    let seats = Seats(.noNumber)
    try check(histories, settings: settings) { try seats.ensureAllLaws($0, in: request) }
  }

  @Test func `each law is one of all laws`() {
    for mistake in [.countsBeside, .remembers, .notes] as [Seats.Mistake] {
      #expect(input(mistake) { try $0.ensureAllLaws($1) } != nil)
    }
  }

  @Test func `an old history reads as the new one if it is brought up, and the law says so if not`() throws {
    let old = event.map { event -> (OldSeatEvent, SeatEvent) in
      switch event {
      case .booked(let seat): (.reserved(seat: seat), event)
      case .freed(let seat): (.freed(seat: seat), event)
      }
    }
    let pairs = Generator.array(of: old)
    try check(pairs, settings: settings) { pairs in
      try Seats().ensureReads(pairs.map(\.0), as: pairs.map(\.1), in: request)
      try SeatEvent.ensureReads(pairs.map(\.0), as: pairs.map(\.1))
      sometimes(pairs.contains { if case .reserved = $0.0 { true } else { false } }, "an event that is brought up")
    }
    let failure = #expect(throws: PropertyFailure.self) {
      try check(pairs, settings: settings) { pairs in
        try Seats().ensureReads(pairs.map(\.0), as: pairs.map(\.1).filter { $0 != .booked(seat: 2) })
      }
    }
    #expect(failure?.input == ["[(.reserved(seat: 2), .booked(seat: 2))]"])
    let description = (failure?.error as? Unmet)?.description
    #expect(description?.hasPrefix("the new events result in [], but the old events result in [") == true)
  }

  @Test func `one call checks generated events of an older type, and finds the smallest that reads as another`() throws
  {
    let old = zip(.bool, .int(in: 1...3)).map { isFreed, seat in
      isFreed ? OldSeatEvent.freed(seat: seat) : .reserved(seat: seat)
    }
    func today(_ event: OldSeatEvent) -> SeatEvent {
      switch event {
      case .reserved(let seat): .booked(seat: seat)
      case .freed(let seat): .freed(seat: seat)
      }
    }
    #expect(try SeatEvent.checkReads(old, settings: settings) { [today($0)] }.examples == 200)
    let failure = #expect(throws: PropertyFailure.self) {
      try SeatEvent.checkReads(old, settings: settings) { event in
        if case .freed(3) = event { [] } else { [today(event)] }
      }
    }
    #expect(failure?.input == ["[.freed(seat: 3)]"])
    #expect(
      (failure?.error as? Unmet)?.description
        == "the old events must be read as [], but they are read as [.freed(seat: 3)]")
  }
}

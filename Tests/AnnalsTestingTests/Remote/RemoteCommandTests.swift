import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Synchronization
import Testing

@Suite struct RemoteCommandTests {
  private let server = MemoryRemoteServer()

  @Test func `A command on a state in memory is one round trip`() async throws {
    let store = MemoryRemoteStore(server)
    try await store.execute(.take(seat: 1, by: "ann"), on: FarHall["a"])
    #expect(store.takeCalls() == [.read, .append])
    for seat in 1...3 {
      try await store.execute(.free(seat: seat), on: FarHall["a"])
      try await store.execute(.take(seat: seat, by: "bob"), on: FarHall["a"], commandID: "c\(seat)")
      try await store.execute(.free(seat: seat), on: FarHall["a"])
    }
    #expect(store.takeCalls() == Array(repeating: .append, count: 9))
    try await store.execute(.take(seat: 9, by: "ann"), on: .boundary(FarSeat.self))
    // The log's end first, then what is inside the boundary.
    #expect(store.takeCalls() == [.read, .read, .append])
    try await store.execute(.free(seat: 9), on: .boundary(FarSeat.self))
    try await store.execute(.take(seat: 9, by: "cid"), on: .boundary(FarSeat.self))
    #expect(store.takeCalls() == [.append, .append])
  }

  @Test func `A command that an old state refuses is decided on the log`() async throws {
    let (one, two) = (MemoryRemoteStore(server), MemoryRemoteStore(server))
    for seat in 1...2 { try await one.execute(.take(seat: seat, by: "ann"), on: FarHall["a"]) }
    try await two.execute(.free(seat: 1), on: FarHall["a"])
    _ = one.takeCalls()
    let receipt = try await one.execute(.take(seat: 3, by: "bob"), on: FarHall["a"])
    #expect(receipt.versions == [FarHall.stream("a"): 4])
    #expect(one.takeCalls() == [.read, .append])
    await #expect(throws: FarHall.Refused.self) {
      try await one.execute(.take(seat: 4, by: "bob"), on: FarHall["a"])
    }
    #expect(try await one.head() == 4)
  }

  @Test func `A command that another writer overtook is decided again`() async throws {
    let (one, two) = (MemoryRemoteStore(server), MemoryRemoteStore(server))
    try await one.execute(.take(seat: 1, by: "ann"), on: FarHall["a"])
    try await two.execute(.take(seat: 2, by: "bob"), on: FarHall["a"])
    _ = one.takeCalls()
    // On the old state it would be allowed.
    await #expect(throws: FarHall.Refused.self) {
      try await one.execute(.take(seat: 3, by: "ann"), on: FarHall["a"])
    }
    #expect(one.takeCalls() == [.append])
    try await one.execute(.take(seat: 7, by: "ann"), on: .boundary(FarSeat.self))
    try await two.execute(.free(seat: 7), on: .boundary(FarSeat.self))
    try await one.execute(.free(seat: 7), on: .boundary(FarSeat.self))
    try await two.execute(.take(seat: 7, by: "bob"), on: .boundary(FarSeat.self))
    await #expect(throws: FarHall.Refused.self) {
      try await one.execute(.take(seat: 7, by: "cid"), on: .boundary(FarSeat.self))
    }
    #expect(try await one.head() == 5)
  }

  @Test(.timeLimit(.minutes(60)))
  func `Two deciders of one stream, one of them in memory, are decided in one transaction`() async throws {
    let store = MemoryRemoteStore(server)
    try await store.execute(.take(seat: 1, by: "ann"), on: FarHall["a"])
    await #expect(throws: FarHall.Refused.self) {
      try await store.transaction { transaction in
        try transaction.execute(.take(seat: 2, by: "bob"), on: FarHall["a"])
        try transaction.execute(2, on: FarCount["a"])
      }
    }
    try await store.transaction { transaction in
      try transaction.execute(.take(seat: 2, by: "bob"), on: FarHall["a"])
      try transaction.execute(3, on: FarCount["a"])
    }
    #expect(try await store.head() == 2)
  }

  @Test func `A command's id is done once, also if it is refused by now`() async throws {
    let (one, two) = (MemoryRemoteStore(server), MemoryRemoteStore(server))
    let first = try await one.execute(.take(seat: 1, by: "ann"), on: FarHall["a"], commandID: "c")
    #expect(!first.isRepeated)
    for store in [one, two] {
      let again = try await store.execute(.take(seat: 1, by: "ann"), on: FarHall["a"], commandID: "c")
      #expect(again == first && again.isRepeated)
    }
    #expect(try await one.head() == 1)
    #expect(try await one.events(.all, after: 0, limit: 9).first?.metadata.causation == "c")
  }

  @Test func `A transaction is all of its commands, and its body may catch what it likes`() async throws {
    let store = MemoryRemoteStore(server)
    let seats = try await store.transaction { transaction in
      try transaction.execute(.take(seat: 1, by: "ann"), on: FarHall["a"])
      _ = try? transaction.execute(.take(seat: 1, by: "bob"), on: FarHall["a"])
      // What is caught here may be that something was not read yet.
      let hasB = (try? transaction.execute(.take(seat: 2, by: "cid"), on: FarHall["b"])) != nil
      try transaction.execute(.free(seat: 1), on: .boundary(FarSeat.self))
      return hasB ? 2 : 1
    }
    #expect(seats == 2)
    let events = try await store.events(.all, after: 0, limit: 9)
    #expect(events.map(\.type) == ["FarSeatTaken", "FarSeatTaken", "FarSeatFreed"])
    #expect(Set(events.map(\.transaction)) == [1])
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await store.transaction { transaction in
        try transaction.execute(.take(seat: 5, by: "ann"), on: FarHall["a"])
        throw Stop()
      }
    }
    #expect(try await store.head() == 3)
  }

  @Test func `Commands on one stream are decided in turn, so none of them meets a conflict of its own side`()
    async throws
  {
    let store = MemoryRemoteStore(server)
    try await store.execute(.take(seat: 0, by: "ann"), on: FarHall["a"])
    _ = store.takeCalls()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask { _ = try await store.execute(.free(seat: 0), on: FarHall["a"]) }
      }
      try await group.waitForAll()
    }
    let calls = store.takeCalls()
    #expect(calls.allSatisfy { $0 == .append } && calls.count <= 40)
    #expect(try await store.head() == 2)
  }

  @Test func `A transaction never combines two deciders' states in memory that are of different versions`()
    async throws
  {
    let store = MemoryRemoteStore(server)
    for isFirst in [true, false] {
      let hall = "\(isFirst)"
      try await store.execute(.take(seat: 1, by: "ann"), on: FarHall[hall])
      try await store.execute(9, on: FarCount[hall])
      // The other decider's state in memory doesn't contain this event.
      try await store.execute(.free(seat: 1), on: FarHall[hall])
      await #expect(throws: FarHall.Refused.self) {
        try await store.transaction { transaction in
          if isFirst { try transaction.execute(.take(seat: 2, by: "bob"), on: FarHall[hall]) }
          try transaction.execute(isFirst ? 3 : 2, on: FarCount[hall])
          if !isFirst { try transaction.execute(.take(seat: 2, by: "bob"), on: FarHall[hall]) }
        }
      }
      #expect(try await store.version(of: FarHall.stream(hall)) == 2)
    }
  }

  @Test func `A boundary of thousands of events is read in steps`() async throws {
    for number in 0..<50 {
      let events = (0..<60).map {
        NewEvent(type: "FarSeat\($0 % 2 == 0 ? "Taken" : "Freed")", payload: nil, tags: ["x"])
      }
      try await server.append(Append(events, to: StreamName("s\(number)")))
    }
    let store = MemoryRemoteStore(server)
    let found = try await store.events(.tagged("x"), after: 0, limit: 5_000)
    #expect(found.count == 3_000)
    struct Many: BoundaryDecider {
      static func boundary(for command: Int) -> EventQuery { .tagged("x") }
      var count = 0
      func decide(_ command: Int) throws -> [OtherFarEvent] { count == command ? [] : [.wrong(count: count)] }
      mutating func evolve(_ event: OtherFarEvent) { count += 1 }
    }
    try await server.append([OtherFarEvent.seen], to: "o")
    _ = store.takeCalls()
    try await store.execute(1, on: .boundary(Many.self))
    #expect(store.takeCalls() == [.read, .read, .read, .read, .append])
    #expect(try await store.head() == 3_001)
  }

  @Test func `Commands on overlapping boundaries don't lose all their attempts`() async throws {
    // The boundaries of two seats overlap, because they contain the events of seat 0.
    struct Seats: BoundaryDecider {
      var taken: Set<Int> = []
      static func boundary(for seat: Int) -> EventQuery { .tagged("seat:0") || .tagged("seat:\(seat)") }
      func decide(_ seat: Int) throws(FarHall.Refused) -> [FarSeatEvent] {
        if taken.contains(seat) { throw FarHall.Refused() }
        return [.taken(seat: seat, by: "ann"), .taken(seat: 0, by: "ann")]
      }
      mutating func evolve(_ event: FarSeatEvent) {
        if case .taken(let seat, _) = event, seat != 0 { taken.insert(seat) }
      }
    }
    for isTransaction in [false, true] {
      let store = MemoryRemoteStore()
      let count = 100
      // All first attempts are decided on the same events.
      let waiting = Mutex<(count: Int, all: [CheckedContinuation<Void, Never>])>((0, []))
      store.onCalls { call, leg in
        guard call == .append, leg == .request else { return }
        await withCheckedContinuation { continuation in
          let ready = waiting.withLock { waiting in
            waiting.count += 1
            waiting.all.append(continuation)
            if waiting.count < count { return [] as [CheckedContinuation<Void, Never>] }
            defer { waiting.all = [] }
            return waiting.all
          }
          for continuation in ready { continuation.resume() }
        }
      }
      try await withThrowingTaskGroup { group in
        for seat in 1...count {
          group.addTask {
            if isTransaction {
              try await store.transaction { try $0.execute(seat, on: .boundary(Seats.self)) }
            } else {
              try await store.execute(seat, on: .boundary(Seats.self))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await store.head() == Position(2 * count))
      // A command loses three free attempts at most. Later, it only loses to commands that still have free attempts.
      let appends = store.takeCalls().count { $0 == .append }
      #expect(appends <= 5 * count, "\(appends) appends")
    }
  }

  @Test func `Whatever is commanded through two remote stores, it ends as on one that is near`() async throws {
    for seed in 0..<60 as Range<UInt64> {
      var random = SeededRandom(seed)
      let (near, far) = (MemoryEventStore(), MemoryRemoteServer())
      let stores = [MemoryRemoteStore(far), MemoryRemoteStore(far)]
      for step in 0..<40 {
        let (seat, hall) = (Int.random(in: 0..<4, using: &random), ["a", "b"].randomElement(using: &random) ?? "a")
        let command: FarSeatCommand = Bool.random(using: &random) ? .take(seat: seat, by: "ann") : .free(seat: seat)
        let id = Bool.random(using: &random) ? "c\(Int.random(in: 0..<12, using: &random))" : nil
        let isBoundary = Bool.random(using: &random)
        let store = stores[Int.random(in: 0..<2, using: &random)]
        let expected: Result<Receipt, any Error>
        do {
          expected = .success(
            isBoundary
              ? try await near.execute(command, on: .boundary(FarSeat.self), commandID: id)
              : try await near.execute(command, on: FarHall[hall], commandID: id))
        } catch { expected = .failure(error) }
        let found: Result<Receipt, any Error>
        do {
          found = .success(
            isBoundary
              ? try await store.execute(command, on: .boundary(FarSeat.self), commandID: id)
              : try await store.execute(command, on: FarHall[hall], commandID: id))
        } catch { found = .failure(error) }
        switch (expected, found) {
        case (.success(let expected), .success(let found)):
          // A boundary's receipt and a stream's tell of the same streams, and of the same events.
          #expect(expected == found && expected.isRepeated == found.isRepeated, "seed \(seed), step \(step)")
        case (.failure(let expected), .failure(let found)):
          // An id that was used for another command is refused before the rules are asked.
          let isReused = (expected as? EventStoreError)?.code == .commandReused
          #expect(isReused || expected is FarHall.Refused, "seed \(seed), step \(step): \(expected)")
          #expect(
            isReused == ((found as? EventStoreError)?.code == .commandReused) && (isReused || found is FarHall.Refused),
            "seed \(seed), step \(step): \(found)")
        default: Issue.record("seed \(seed), step \(step): expected \(expected), found \(found)")
        }
      }
      let expected = near.events(.all, after: 0, through: nil, limit: 99)
      let found = try far.events(.all, after: 0, through: nil, limit: 99)
      #expect(expected.map(\.stream) == found.map(\.stream))
      #expect(expected.map(\.payload) == found.map(\.payload))
    }
  }
}

enum OtherFarEvent: Event {
  case seen
  case wrong(count: Int)
  var tags: Set<EventTag> { ["x"] }
}

/// Numbers that a seed repeats.
private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

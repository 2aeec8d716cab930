import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// States that several stores on one log keep in memory and in the log, against states that are folded from nothing.
@Suite struct StatesInMemoryTests {
  enum Step: Sendable {
    case execute(store: Int, kind: Int, room: Int, Headcount.Command)
    case several(store: Int, [(kind: Int, room: Int, number: Int)], isGivenUp: Bool)
    case conflict(store: Int, kind: Int, room: Int, number: Int)
    case failure(store: Int, kind: Int, room: Int)
    case foreign(store: Int, Int)
    case erase(store: Int, subject: Int)
    case compact(store: Int)
    case reopen(store: Int, budget: Int)
    case dropSaved(store: Int)
    case look(store: Int, kind: Int, room: Int)
  }

  private static let step: Generator<Step> = {
    let (store, kind, room) = (Generator.int(in: 0...1), Generator.int(in: 0...3), Generator.int(in: 0...1))
    let number = Generator.int(in: 0...3)
    let several = Generator<[(kind: Int, room: Int, number: Int)]>.array(
      of: zip(kind, room, number).map { (kind: $0, room: $1, number: $2) }, count: 1...6)
    return .frequency(
      (12, zip(store, kind, room, number).map { .execute(store: $0, kind: $1, room: $2, .add($3)) }),
      (9, zip(store, kind, room, .int(in: 0...1)).map { .execute(store: $0, kind: $1, room: $2, .name($3)) }),
      (5, zip(store, several, .bool).map { .several(store: $0, $1, isGivenUp: $2) }),
      (3, zip(store, kind, room, number).map { .conflict(store: $0, kind: $1, room: $2, number: $3) }),
      (2, zip(store, kind, room).map { .failure(store: $0, kind: $1, room: $2) }),
      (1, zip(store, .int(in: 1...80)).map { .foreign(store: $0, $1) }),
      (4, zip(store, .int(in: 0...1)).map { .erase(store: $0, subject: $1) }),
      (1, store.map { .compact(store: $0) }),
      (1, zip(store, .element(of: [0, 1, 3, 1_000])).map { .reopen(store: $0, budget: $1) }),
      (1, store.map { .dropSaved(store: $0) }),
      (8, zip(store, kind, room).map { .look(store: $0, kind: $1, room: $2) }))
  }()

  @Test func `states of earlier events than those that were erased stay, in memory and in the log`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("log")
    let store = try SQLiteEventStore(path: path, durability: .process)
    for kind in [1, 3] { for _ in 0..<9 { try Headcount.execute(store, kind, kind, .add(1)) } }
    // Of a person who is in later events alone, by another store object.
    let other = try SQLiteEventStore(path: path, durability: .process)
    try Headcount.execute(other, 0, 0, .name(0))
    try other.erase(subject: "subject-0")
    let fresh = try SQLiteEventStore(
      path: path, durability: .process, environment: StoreEnvironment(stateBudget: 0))
    for kind in [1, 3] {
      let state = #expect(throws: Headcount.State.self) { try Headcount.execute(fresh, kind, kind, .ask) }
      #expect(state?.sum == 9)
    }
    #expect(fresh.cacheReport(of: Headcount.OfStreamSaved.self).loadCount == 1)
    #expect(fresh.cacheReport(of: Headcount.OfRoomSaved.self).loadCount == 1)
    // A person who is in an earlier event takes them along.
    try Headcount.execute(other, 1, 1, .name(1))
    for _ in 0..<3 { try Headcount.execute(other, 1, 1, .add(1)) }
    try other.erase(subject: "subject-1")
    let state = #expect(throws: Headcount.State.self) { try Headcount.execute(fresh, 1, 1, .ask) }
    #expect(state?.sum == 12 && state?.names == ["erased"])
    #expect(fresh.cacheReport(of: Headcount.OfStreamSaved.self).loadCount == 1)
  }

  @Test func `states in memory are those that all events lead to, whatever became of the log`() throws {
    try check(.array(of: Self.step, count: 1...60), settings: CheckSettings(examples: 150)) { steps in
      let world = try World()
      for step in steps { try world.run(step) }
      for store in 0...1 {
        for kind in 0...3 {
          for room in 0...1 { try world.look(store, kind, room) }
        }
      }
    }
  }
}

/// States that a store keeps in memory while other processes append, erase and compact, and are killed in the middle.
@Suite struct StatesOfProcessesTests {
  #if os(macOS) || os(Linux)
    @Test func `states in memory equal the fold of all events, regardless of other processes`() throws {
      let folder = try TemporaryFolder()
      let path = folder.path("log")
      let warm = try SQLiteEventStore(path: path, durability: .process)
      let plain = try SQLiteEventStore(
        path: path, durability: .process, environment: StoreEnvironment(stateBudget: 0))
      func state(_ store: SQLiteEventStore, _ kind: Int, _ room: Int) throws -> Headcount.State {
        do {
          try Headcount.execute(store, kind, room, .ask)
        } catch let answer as Headcount.State { return answer }
        throw World.Unanswered(what: "a question was not answered")
      }
      var sum = 0
      for round in 0..<6 {
        let children = try (0..<2).map { _ in try ChildProcess("heads", path, "1", "60") }
        // On a busy machine, the first output can be all output.
        let begun = children.map { String(decoding: $0.firstWords(), as: UTF8.self) }
        for number in 0..<40 {
          let (kind, room) = (number % 4, number / 4 % 2)
          try Headcount.execute(warm, kind, room, number % 5 == 0 ? .name(room) : .add(1))
          if kind < 2, number % 5 != 0 { sum += 1 }
          if number == 20, round % 2 == 1 { children[0].kill() }
        }
        for (number, child) in children.enumerated() {
          let (lines, talk, status) = child.finish()
          let wasKilled = number == 0 && round % 2 == 1
          #expect(wasKilled || status == 0 && (begun[number] + lines.joined()).contains("done"), "\(talk)")
        }
        for kind in 0...3 {
          for room in 0...1 {
            #expect(try state(warm, kind, room) == state(plain, kind < 2 ? 0 : 2, room), "round \(round), kind \(kind)")
          }
        }
      }
      // All acknowledged commands count.
      #expect(try state(warm, 0, 0).sum + state(warm, 0, 1).sum >= sum)
      #expect(try warm.revision().erasures > 0 && warm.verify().isSound)
    }
  #endif
}

/// What a stream has after a version, asked in both ways.
@Suite struct StreamTailTests {
  @Test func `what a stream has after a version is what it has after that version's position`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("log")
    let writing = try SQLiteEventStore(path: path, durability: .process)
    let other = try SQLiteEventStore(path: path, durability: .process)
    func count(_ number: Int) -> NewEvent {
      NewEvent(type: "HeadcountCounted", payload: #"{"number":\#(number),"room":1}"#)
    }
    func compare() throws {
      let reading = try SQLiteEventStore(readingFrom: path)
      for stream: StreamName in ["Headcount-a", "Headcount-b", "none"] {
        let whole = try writing.tail(of: stream, after: 0)
        let places = whole.events.map { (version: $0.version, position: $0.position) }
        for place in [(version: 0, position: Position(0))] + places {
          let expected = try writing.read { try $0.tail(of: stream, after: place.position) }
          for store in [writing, other, reading] {
            let found = try store.tail(of: stream, after: place.position, version: place.version)
            #expect(found.events == expected.events && found.version == expected.version)
            #expect(found.revision == expected.revision)
          }
        }
      }
    }
    try compare()
    for number in 0..<90 {
      try (number % 7 == 0 ? other : writing).append(
        Append(
          [count(number % 5 == 0 ? 0 : 1)], to: number % 3 == 0 ? "Headcount-a" : "Headcount-b"))
      if number % 30 == 1 { try compare() }
    }
    // The last event of a stream is cut too.
    try writing.append(Append([count(0)], to: "Headcount-a"))
    try compare()
    var compaction = Compaction()
    compaction.rewrite(HeadcountEvent.self) { _, events in
      events.filter { if case .counted(0, _) = $0.event { false } else { true } }
    }
    compaction.prove(Headcount.OfStream.self)
    try writing.compact(compaction)
    try compare()
    #expect(try writing.tail(of: "Headcount-a", after: 0, version: 31).version == 31)
    try other.append(Append([count(1)], to: "Headcount-a"))
    #expect(try writing.tail(of: "Headcount-a", after: 0, version: 31).events.map(\.version) == [32])
  }
}

/// Two stores on one log, and what they should say.
private final class World {
  private let folder: TemporaryFolder
  private var stores: [SQLiteEventStore] = []
  /// Keeps no states, so that deciders that save none are folded from nothing.
  private let plain: SQLiteEventStore
  private let hooks = (0...1).map { _ in Hook() }
  /// The sums of streams, and of all events, by room.
  private var sums = [[0, 0], [0, 0]]

  final class Hook: Sendable {
    typealias Body = @Sendable (CommandStep) throws -> Void
    private let body = Mutex<Body?>(nil)

    func set(_ body: Body?) { self.body.withLock { $0 = body } }

    func run(_ moment: CommandStep) throws { try body.withLock { $0 }?(moment) }
  }

  struct GivenUp: Error {}

  struct Unanswered: Error {
    let what: String
  }

  init() throws {
    folder = try TemporaryFolder()
    plain = try SQLiteEventStore(
      path: folder.path("log"), durability: .process, environment: StoreEnvironment(stateBudget: 0))
    stores = try (0...1).map { try store($0, budget: 1_000) }
  }

  private func store(_ number: Int, budget: Int) throws -> SQLiteEventStore {
    let hook = hooks[number]
    return try SQLiteEventStore(
      path: folder.path("log"), durability: .process,
      environment: StoreEnvironment(
        hook: { moment in try hook.run(moment) }, stateBudget: budget))
  }

  func run(_ step: StatesInMemoryTests.Step) throws {
    switch step {
    case .execute(let store, let kind, let room, let command):
      try execute(stores[store], kind, room, command)
      if case .add(let number) = command { count(number, kind, room) }
    case .several(let store, let parts, let isGivenUp):
      do {
        try stores[store].transaction { transaction in
          for part in parts {
            try Headcount.execute(&transaction, part.kind, part.room, .add(part.number))
          }
          if isGivenUp { throw GivenUp() }
        }
        for part in parts { count(part.number, part.kind, part.room) }
      } catch is GivenUp {}
    case .conflict(let store, let kind, let room, let number):
      let other = stores[1 - store]
      hooks[store].set { moment in
        if moment == .willAppend(attempt: 1) { try Headcount.execute(other, kind, room, .add(1)) }
      }
      defer { hooks[store].set(nil) }
      try execute(stores[store], kind, room, .add(number))
      count(number + 1, kind, room)
    case .failure(let store, let kind, let room):
      hooks[store].set { if case .willAppend = $0 { throw GivenUp() } }
      defer { hooks[store].set(nil) }
      do {
        try execute(stores[store], kind, room, .add(9))
        throw Unanswered(what: "an append that was given up was answered")
      } catch is GivenUp {}
    case .foreign(let store, let count):
      try stores[store].append(
        Append((0..<count).map { _ in NewEvent(type: "Other", payload: nil) }, to: "others"))
    case .erase(let store, let subject): try stores[store].erase(subject: "subject-\(subject)")
    case .compact(let store):
      var compaction = Compaction()
      compaction.rewrite(HeadcountEvent.self) { _, events in
        events.filter { if case .counted(0, _) = $0.event { false } else { true } }
      }
      compaction.prove(Headcount.OfStream.self)
      compaction.prove(
        Headcount.OfRoom.self, for: (0...1).map { Headcount.Order(room: $0, command: .ask) })
      try stores[store].compact(compaction)
    case .reopen(let number, let budget): stores[number] = try store(number, budget: budget)
    case .dropSaved(let store): try stores[store].deleteSnapshots()
    case .look(let store, let kind, let room): try look(store, kind, room)
    }
  }

  private func count(_ number: Int, _ kind: Int, _ room: Int) {
    if kind < 2 { sums[0][room] += number }
    sums[1][room] += number
  }

  private func execute(_ store: SQLiteEventStore, _ kind: Int, _ room: Int, _ command: Headcount.Command) throws {
    try Headcount.execute(store, kind, room, command)
  }

  func look(_ store: Int, _ kind: Int, _ room: Int) throws {
    let found = try state(stores[store], kind, room)
    try ensureEqual(found, try state(plain, kind < 2 ? 0 : 2, room))
    try ensureEqual(found.sum, sums[kind < 2 ? 0 : 1][room])
  }

  private func state(_ store: SQLiteEventStore, _ kind: Int, _ room: Int) throws -> Headcount.State {
    do {
      try execute(store, kind, room, .ask)
    } catch let answer as Headcount.State { return answer }
    throw Unanswered(what: "a question was not answered")
  }
}

enum HeadcountEvent: Event {
  case counted(number: Int, room: Int)
  case named(name: Personal<String>, room: Int)

  var tags: Set<EventTag> {
    switch self {
    case .counted(_, let room), .named(_, let room): ["room:\(room)"]
    }
  }
}

/// Four deciders on the same events: of streams and of boundaries, with and without states that are saved.
enum Headcount {
  enum Command: Sendable {
    case add(Int)
    case name(Int)
    case ask
  }

  struct Order: Sendable {
    let room: Int
    let command: Command
  }

  struct State: Hashable, Codable, Sendable, Error {
    var sum = 0
    var names: [String] = []
    var seen: Set<String> = []

    func decide(_ order: Order) throws -> [HeadcountEvent] {
      switch order.command {
      case .add(let number): return [.counted(number: number, room: order.room)]
      case .name(let subject):
        return [.named(name: Personal("name \(names.count)", of: "subject-\(subject)"), room: order.room)]
      case .ask: throw self
      }
    }

    mutating func evolve(_ event: HeadcountEvent) {
      switch event {
      case .counted(let number, _): sum += number
      case .named(let name, _):
        names.append(name.value ?? "erased")
        seen.insert(name.value ?? "erased of \(name.subject)")
      }
    }
  }

  static func execute(_ store: SQLiteEventStore, _ kind: Int, _ room: Int, _ command: Command) throws {
    let order = Order(room: room, command: command)
    switch kind {
    case 0: try store.execute(order, on: OfStream["\(room)"])
    case 1: try store.execute(order, on: OfStreamSaved["\(room)"])
    case 2: try store.execute(order, on: .boundary(OfRoom.self))
    default: try store.execute(order, on: .boundary(OfRoomSaved.self))
    }
  }

  static func execute(_ transaction: inout CommandTransaction, _ kind: Int, _ room: Int, _ command: Command) throws {
    let order = Order(room: room, command: command)
    switch kind {
    case 0: try transaction.execute(order, on: OfStream["\(room)"])
    case 1: try transaction.execute(order, on: OfStreamSaved["\(room)"])
    case 2: try transaction.execute(order, on: .boundary(OfRoom.self))
    default: try transaction.execute(order, on: .boundary(OfRoomSaved.self))
    }
  }

  struct OfStream: Decider, Equatable {
    static let category = "Headcount"
    var state = State()
    func decide(_ order: Order) throws -> [HeadcountEvent] { try state.decide(order) }
    mutating func evolve(_ event: HeadcountEvent) { state.evolve(event) }
  }

  struct OfStreamSaved: SnapshotDecider {
    static let category = "Headcount"
    static let snapshotInterval = 3
    var state = State()
    func decide(_ order: Order) throws -> [HeadcountEvent] { try state.decide(order) }
    mutating func evolve(_ event: HeadcountEvent) { state.evolve(event) }
  }

  struct OfRoom: BoundaryDecider, Equatable {
    var state = State()
    static func boundary(for order: Order) -> EventQuery { .tagged("room:\(order.room)") }
    func decide(_ order: Order) throws -> [HeadcountEvent] { try state.decide(order) }
    mutating func evolve(_ event: HeadcountEvent) { state.evolve(event) }
  }

  struct OfRoomSaved: BoundaryDecider, SnapshotDecider {
    static let snapshotInterval = 3
    var state = State()
    static func boundary(for order: Order) -> EventQuery {
      EventQuery([.init(types: ["HeadcountCounted", "HeadcountNamed"], tags: ["room:\(order.room)"])])
    }
    func decide(_ order: Order) throws -> [HeadcountEvent] { try state.decide(order) }
    mutating func evolve(_ event: HeadcountEvent) { state.evolve(event) }
  }
}

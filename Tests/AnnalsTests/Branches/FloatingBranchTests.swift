import AnnalsTesting
import Foundation
import Synchronization
import Testing
@testable import Annals
@testable import AnnalsLog

/// A branch that floats shows its commands on whatever its base has become.
@Suite struct FloatingBranchTests {
  @Test func `a decider that decides otherwise the second time is found, and nothing of it is in the draft`() throws {
    #if DEBUG
      let store: any EventStore = MemoryEventStore()
      let draft = try store.branch(floating: true)
      for (command, second) in [("number", "DicedThrown"), ("refuse", "a refusal")] {
        let error = #expect(throws: EventStoreError.self) { try draft.execute(command, on: Dice["1"]) }
        #expect(error?.code == .unequalDecision)
        let start = "Dice made two different decisions about the command \(command) in the same state: first [\"Diced"
        #expect(error?.message.hasPrefix(start) == true)
        let then = command == "refuse" ? "then a refusal;" : "then [\"\(second)"
        #expect(error?.message.contains(then) == true, "\(error?.message ?? "")")
      }
      #expect(try draft.commands.isEmpty && draft.head() == 0)
      // One that was pure when it was executed is a conflict when it is decided again.
      try draft.execute("late", on: Dice["1"])
      Dice.isLate.withLock { $0 = true }
      try store.append(Append([NewEvent(type: "Other", payload: nil)], to: "other"))
      #expect(draft.conflicts.isEmpty)
      #expect(try draft.head() == 1)
      #expect((draft.conflicts.first?.error as? EventStoreError)?.code == .unequalDecision)
      // A log without commands to decide again does not ask twice.
      try store.execute("number", on: Dice["1"])
    #endif
  }

  @Test func `a branch that floats goes on with its base, and a list on it gets one batch`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.execute(.rent(1, "Ann"), on: Fair["main"])
    let draft = try store.branch(floating: true)
    let list = FetchedResultsController(store: draft, projection: Booths(), request: byBooth)
    try list.performFetch()
    let mirror = MirrorDelegate(list.results)
    list.delegate = mirror
    var causes: [ChangeCause] = []
    let observation = list.observe { causes.append($0.cause) }
    defer { observation.cancel() }
    try draft.execute(.rent(2, "Bob"), on: Fair["main"])
    try draft.execute(.rent(3, "Bob"), on: Fair["main"])
    #expect(causes == [.events, .events])
    try store.transaction { transaction in
      try transaction.execute(.rent(3, "Eve"), on: Fair["main"])
      try transaction.execute(.rent(4, "Eve"), on: Fair["main"])
    }
    #expect(list.results.rows.map(\.text) == ["1 Ann", "2 Bob", "3 Eve", "4 Eve"])
    #expect(causes.count == 3 && causes[2].contains(.rebase) && !causes[2].contains(.seek))
    #expect(draft.fork == 3 && draft.commands.map(\.number) == [1, 2])
    #expect(draft.conflicts.map(\.command.number) == [2] && draft.commands[1].events == nil)
    #expect(draft.conflicts.first?.error as? Fair.Refusal == .rented(by: "Eve"))
    // What is refused stays beside its command, and is decided again when the way is free.
    try store.execute(.free(3), on: Fair["main"])
    #expect(list.results.rows.map(\.text) == ["1 Ann", "2 Bob", "3 Bob", "4 Eve"])
    #expect(draft.conflicts.isEmpty && mirror.violations == [])
    try draft.merge()
    #expect(try store.state(of: Fair["main"]).renters == [1: "Ann", 2: "Bob", 3: "Bob", 4: "Eve"])
    // A branch that was merged does not move any more.
    try store.execute(.free(1), on: Fair["main"])
    #expect(try draft.fork == 4 && draft.head() == 6)
  }

  @Test func `commands are dropped and reordered where the branch stands, and the lists follow`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    let list = FetchedResultsController(store: draft, projection: Booths(), request: byBooth)
    try list.performFetch()
    try draft.execute(.rent(1, "Ann"), on: Fair["main"])
    try draft.execute(.free(1), on: Fair["main"])
    try draft.execute(.rent(1, "Bob"), on: Fair["main"])
    try store.execute(.rent(9, "Eve"), on: Fair["main"])
    let refused = try draft.drop(draft.commands[1])
    #expect(refused.map(\.command.number) == [3] && list.results.rows.map(\.text) == ["1 Ann"])
    #expect(draft.fork == 0 && draft.commands.map(\.number) == [1, 3])
    // A number is not given twice.
    try draft.execute(.rent(2, "Cid"), on: Fair["main"])
    #expect(draft.commands.map(\.number) == [1, 3, 4])
    #expect(try draft.reorder([draft.commands[1], draft.commands[2], draft.commands[0]]).map(\.command.number) == [1])
    #expect(list.results.rows.map(\.text) == ["1 Bob", "2 Cid"] && draft.commands.map(\.number) == [3, 4, 1])
    let known = draft.commands
    for wrong in [Array(known.dropLast()), known + [known[0]], [known[0], known[0], known[1]]] {
      #expect(#expect(throws: EventStoreError.self) { try draft.reorder(wrong) }?.code == .notFound)
    }
    try draft.drop(known[2])
    #expect(#expect(throws: EventStoreError.self) { try draft.drop(known[2]) }?.code == .notFound)
    // One that stands goes on when it is asked to.
    #expect(try draft.rebase().isEmpty && draft.fork == 1)
    #expect(list.results.rows.map(\.text) == ["1 Bob", "2 Cid", "9 Eve"])
    draft.discard()
    #expect(#expect(throws: EventStoreError.self) { try draft.rebase() }?.code == .closed)
  }

  @Test func `events that are decided again keep their identities and times`() throws {
    let clock = Mutex(0.0)
    let environment = StoreEnvironment(now: {
      clock.withLock { time in
        time += 1
        return Date(timeIntervalSince1970: time)
      }
    })
    let store: any EventStore = MemoryEventStore(environment: environment)
    let draft = try store.branch(floating: true)
    try draft.execute(.rent(1, "Ann"), on: Fair["main"])
    try draft.transaction { transaction in
      for booth in [2, 3] { try transaction.execute(.rent(booth, "Bob"), on: Fair["main"]) }
    }
    func names() throws -> [String] {
      // The fork is known once the branch was read.
      let head = try draft.head()
      return try draft.events(.all, after: draft.fork, through: head, limit: 9).map { "\($0.id) \($0.time)" }
    }
    let before = try names()
    try store.execute(.rent(1, "Eve"), on: Fair["main"])
    #expect(try names() == Array(before.dropFirst()))
    try store.execute(.free(1), on: Fair["main"])
    #expect(try names() == before && draft.fork == 2)
  }

  @Test func `a command that was decided before the branch moved is decided again`() throws {
    let moves = Mutex(true)
    let attempts = Mutex(0)
    let held = Mutex<(store: any EventStore, draft: Branch)?>(nil)
    let store: any EventStore = MemoryEventStore(
      environment: StoreEnvironment(hook: { moment in
        guard case .willAppend = moment, let (store, draft) = held.withLock({ $0 }) else { return }
        attempts.withLock { $0 += 1 }
        guard
          moves.withLock({ moves in
            defer { moves = false }
            return moves
          })
        else { return }
        // Another commits to the base, and someone reads the branch, before the command is committed.
        try store.append([BoothEvent.rented(booth: 2, by: "Eve")], to: "Fair-main")
        _ = try draft.head()
      }))
    let draft = try store.branch(floating: true)
    try draft.execute(.rent(1, "Ann"), on: Fair["main"])
    held.withLock { $0 = (store, draft) }
    let refusal = #expect(throws: Fair.Refusal.self) { try draft.execute(.rent(2, "Bob"), on: Fair["main"]) }
    #expect(refusal == .rented(by: "Eve"))
    // The same with a boundary, whose position would mean another event now.
    try store.append([BoothEvent.freed(booth: 2)], to: "Fair-main")
    _ = try draft.head()
    moves.withLock { $0 = true }
    let other = #expect(throws: Fair.Refusal.self) { try draft.execute(.rent(2, "Bob"), on: .boundary(AnyFair.self)) }
    #expect(other == .rented(by: "Eve") && attempts.withLock { $0 } > 2)
    held.withLock { $0 = nil }
    #expect(draft.commands.count == 1 && draft.conflicts.isEmpty)
  }

  @Test func `a branch of a branch floats on it, and one that stands says that its ground is gone`() throws {
    let store: any EventStore = MemoryEventStore()
    let outer = try store.branch(floating: true)
    try outer.execute(.rent(1, "Ann"), on: Fair["main"])
    let (inner, standing) = (try outer.branch(floating: true), try outer.branch())
    let low = try outer.branch(at: 0)
    for branch in [inner, standing] { try branch.execute(.rent(2, "Bob"), on: Fair["main"]) }
    let list = FetchedResultsController(store: inner, projection: Booths(), request: byBooth)
    try list.performFetch()
    try store.execute(.rent(1, "Eve"), on: Fair["main"])
    #expect(list.results.rows.map(\.text) == ["2 Bob", "1 Eve"])
    try outer.drop(outer.commands[0])
    #expect(list.results.rows.map(\.text) == ["2 Bob", "1 Eve"] && inner.fork == 1)
    let error = #expect(throws: EventStoreError.self) { try standing.head() }
    #expect(
      error?.code == .rewritten && error?.message.contains("starts at position 1 of another branch, its base") == true)
    #expect(#expect(throws: EventStoreError.self) { try standing.drop(standing.commands[0]) }?.code == .rewritten)
    #expect(try low.head() == 0)
    // It goes on from its commands.
    #expect(try standing.rebase().isEmpty)
    #expect(try standing.state(of: Fair["main"]).renters == [1: "Eve", 2: "Bob"])
    try inner.merge()
    try outer.merge()
    #expect(try store.state(of: Fair["main"]).renters == [1: "Eve", 2: "Bob"])
  }

  @Test func `a list goes on from the fork, and not from the log's beginning`() throws {
    let store: any EventStore = MemoryEventStore()
    for start in stride(from: 0, to: 5_000, by: 500) {
      try store.append((start..<start + 500).map { BoothEvent.rented(booth: $0 + 100, by: "Eve") }, to: "Fair-main")
    }
    let draft = try store.branch(floating: true)
    for booth in 1...3 { try draft.execute(.rent(booth, "Ann"), on: Fair["main"]) }
    let counter = EventCounter()
    let list = FetchedResultsController(store: draft, projection: CountedBooths(counter: counter), request: byBooth)
    try list.performFetch()
    #expect(counter.take() == 5_003)
    for booth in 1...3 {
      try store.execute(.rent(booth, "Eve"), on: Fair["main"])
      #expect(counter.take() <= 5, "\(booth)")
    }
    try draft.drop(draft.commands[0])
    #expect(counter.take() <= 3)
    try store.append((0..<100).map { BoothEvent.rented(booth: $0 + 9_000, by: "Eve") }, to: "Fair-main")
    #expect(counter.take() <= 110 && list.results.rows.count == 5_103)
  }

  @Test func `a branch decides on the states that its base has in memory`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.append((0..<2_000).map { BoothEvent.rented(booth: $0 + 100, by: "Eve") }, to: "Counted-main")
    Counted.folded.withLock { $0 = 0 }
    try store.execute(.rent(1, "Eve"), on: Counted["main"])
    #expect(Counted.folded.withLock { $0 } >= 2_000)
    let draft = try store.branch(floating: true)
    Counted.folded.withLock { $0 = 0 }
    for booth in 2...4 { try draft.execute(.rent(booth, "Ann"), on: Counted["main"]) }
    for booth in 5...7 { try store.execute(.rent(booth, "Eve"), on: Counted["main"]) }
    #expect(try draft.state(of: Counted["main"]).fair.renters.count == 2_007)
    #expect(Counted.folded.withLock { $0 } < 100)
  }

  @Test func `what a branch reads of its base is folded once, also if others write there`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.append((0..<2_000).map { BoothEvent.rented(booth: $0 + 100, by: "Eve") }, to: "CountedElsewhere-main")
    let draft = try store.branch(floating: true)
    CountedElsewhere.folded.withLock { $0 = 0 }
    for booth in 2...4 { try draft.execute(.rent(booth, "Ann"), on: CountedElsewhere["main"]) }
    for booth in 5...9 {
      try store.append([BoothEvent.rented(booth: booth, by: "Eve")], to: "CountedElsewhere-main")
      #expect(try draft.state(of: CountedElsewhere["main"]).fair.renters.count == 1_999 + booth)
    }
    #expect(CountedElsewhere.folded.withLock { $0 } < 2_200)
    // The base has a state of its own events alone.
    #expect(try store.state(of: CountedElsewhere["main"]).fair.renters.count == 2_005)
    #expect(CountedElsewhere.folded.withLock { $0 } < 2_200)
  }

  @Test func `a branch without commands of its own is the same history as it goes on`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch(floating: true)
    let before = try draft.revision()
    for booth in 1...3 { try store.execute(.rent(booth, "Ann"), on: Fair["main"]) }
    #expect(try draft.head() == 3 && draft.revision() == before && draft.unchanged(since: before) == 3)
    try draft.execute(.rent(4, "Bob"), on: Fair["main"])
    #expect(try draft.revision() == before && draft.stableEnd() == 3)
    try store.execute(.rent(5, "Ann"), on: Fair["main"])
    let after = try draft.revision()
    #expect(after != before && after.number > before.number)
    #expect(try draft.unchanged(since: before) == 3 && draft.unchanged(since: after) == 5)
    #expect(try draft.unchanged(since: LogRevision(erasures: 1)) == 0)
    #expect(try store.unchanged(since: before) == 4 && store.unchanged(since: after) == 0 && store.stableEnd() == nil)
  }

  @Test func `a command that cannot be decided because of what its base has by now stays beside its error`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch(floating: true)
    try draft.execute(.rent(1, "Ann"), on: Fair["main"])
    try draft.execute(.rent(2, "Ann"), on: Fair["other"])
    try store.append(Append([NewEvent(type: "BoothMoved", payload: "{}")], to: "Fair-main"))
    #expect(try draft.head() == 2 && draft.commands.count == 2)
    #expect(draft.conflicts.map(\.command.number) == [1])
    #expect((draft.conflicts.first?.error as? EventCodingError)?.code == .unknownEvent)
  }

  @Test func `a subscription that has read what was decided again ends with an error`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch(floating: true)
    try draft.execute(.rent(1, "Ann"), on: Fair["main"])
    var (early, late) = (
      EventCursor(draft, .all, after: 0, batchSize: 9), EventCursor(draft, .all, after: 0, batchSize: 9)
    )
    #expect(try late.next()?.events.count == 1)
    try store.execute(.rent(2, "Eve"), on: Fair["main"])
    #expect(try early.next()?.events.count == 2)
    let error = #expect(throws: EventStoreError.self) { try late.next() }
    #expect(error?.code == .rewritten && error?.message.contains("position 0") == true)
  }

  @Test func `a branch that floats follows an erasure and a compaction of its base`() throws {
    let store: any EventStore = MemoryEventStore()
    for booth in 1...4 { try store.execute(.rent(booth, "Ann"), on: Fair["main"]) }
    try store.execute(.free(2), on: Fair["main"])
    try store.append([VisitorEvent.came(id: 1, name: Personal("Gus", of: "gus"))], to: "Visitors")
    let draft = try store.branch(floating: true)
    try draft.execute(.rent(2, "Bob"), on: Fair["main"])
    let booths = FetchedResultsController(store: draft, projection: Booths(), request: byBooth)
    let visitors = FetchedResultsController(store: draft, projection: Visitors(), request: ListRequest<Visitor>())
    try booths.performFetch()
    try visitors.performFetch()
    try store.erase(subject: "gus")
    #expect(visitors.results.rows.map(\.name) == ["-"])
    var compaction = Compaction()
    compaction.rewrite(BoothEvent.self) { _, events in
      events.filter { if case .rented(let booth, _) = $0.recorded.event { booth != 2 } else { false } }
    }
    compaction.prove(Booths())
    try store.compact(compaction)
    #expect(try draft.head() == 7 && booths.results.rows.map(\.text) == ["1 Ann", "3 Ann", "4 Ann", "2 Bob"])
    try draft.merge()
    #expect(try store.head() == 7)
  }

  @Test func `a branch of a branch takes commands and events after an erasure below both`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.append([VisitorEvent.came(id: 1, name: Personal("Gus", of: "gus"))], to: "Visitors")
    let outer = try store.branch()
    let branches = [try outer.branch(), try outer.branch(floating: true)]
    try store.erase(subject: "gus")
    for branch in branches {
      try branch.execute(.rent(1, "Ann"), on: Fair["main"])
      try branch.append([BoothEvent.rented(booth: 2, by: "Bob")], to: "Fair-main")
      #expect(try branch.state(of: Fair["main"]).renters == [1: "Ann", 2: "Bob"])
    }
  }

  @Test func `threads that write to the log below a branch of a branch disturb neither`() async throws {
    let store: any EventStore = MemoryEventStore()
    let outer = try store.branch(floating: true)
    let inner = try outer.branch(floating: true)
    try rent(1_000, on: outer)
    try rent(1_001, on: inner)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<3 {
        let target: any EventStore = [store, outer, inner][task]
        group.addTask {
          for number in 0..<30 {
            await #expect(throws: Never.self) {
              try await target.execute(.rent(number * 3 + task, "\(task)"), on: Fair["\(number % 2)"])
            }
            #expect(throws: Never.self) { try inner.revision() }
          }
        }
      }
    }
    try expectWhole(inner, count: 92, fork: 61)
  }

  private func rent(_ booth: Int, on branch: Branch) throws {
    try branch.execute(.rent(booth, "Ann"), on: Fair["0"])
  }

  private func expectWhole(_ branch: Branch, count: Int, fork: Position) throws {
    let events = try branch.events(.all, after: 0, through: nil, limit: 1_000)
    #expect(events.map(\.position.rawValue) == Array(1...count) && Set(events.map(\.id)).count == count)
    #expect(branch.fork == fork && branch.conflicts.isEmpty)
  }

  @Test func `threads that write to the base and to the branch lose nothing`() async throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch(floating: true)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<40 {
            let booth = number * 4 + task
            let target: any EventStore = task < 2 ? store : draft
            await #expect(throws: Never.self) {
              try await target.execute(.rent(booth, "\(task)"), on: Fair["\(task % 2)"])
            }
            _ = try? draft.revision()
          }
        }
      }
    }
    try expectAllMerged(store, draft)
  }

  private func expectAllMerged(_ store: any EventStore, _ draft: Branch) throws {
    try expectWhole(draft, count: 160, fork: 80)
    #expect(draft.commands.count == 80)
    try draft.merge()
    #expect(try store.head() == 160)
  }
}

private let byBooth = ListRequest<Booth>(sort: [.ascending(\.id)], section: .by(\.renter))

private enum BoothEvent: Event {
  case rented(booth: Int, by: String)
  case freed(booth: Int)

  static var typePrefix: String { "Booth" }

  var tags: Set<EventTag> {
    switch self {
    case .rented(let booth, _), .freed(let booth): ["booth:\(booth)"]
    }
  }
}

private enum FairCommand: Sendable {
  case rent(Int, String)
  case free(Int)
}

private struct Fair: Decider {
  enum Refusal: Error, Equatable {
    case rented(by: String), isFree
  }

  var renters: [Int: String] = [:]

  func decide(_ command: FairCommand) throws(Refusal) -> [BoothEvent] {
    switch command {
    case .rent(let booth, let name):
      if let other = renters[booth] { throw .rented(by: other) }
      return [.rented(booth: booth, by: name)]
    case .free(let booth):
      guard renters[booth] != nil else { throw .isFree }
      return [.freed(booth: booth)]
    }
  }

  mutating func evolve(_ event: BoothEvent) {
    switch event {
    case .rented(let booth, let name): renters[booth] = name
    case .freed(let booth): renters[booth] = nil
    }
  }
}

/// The same, on whatever stream a booth's events are.
private struct AnyFair: BoundaryDecider {
  var fair = Fair()

  static func boundary(for command: FairCommand) -> EventQuery {
    switch command {
    case .rent(let booth, _), .free(let booth): .tagged(EventTag("booth:\(booth)"))
    }
  }

  func decide(_ command: FairCommand) throws(Fair.Refusal) -> [BoothEvent] { try fair.decide(command) }
  mutating func evolve(_ event: BoothEvent) { fair.evolve(event) }
}

/// Counts what is folded into it.
private struct Counted: Decider {
  static let folded = Mutex(0)
  var fair = Fair()

  func decide(_ command: FairCommand) throws(Fair.Refusal) -> [BoothEvent] { try fair.decide(command) }

  mutating func evolve(_ event: BoothEvent) {
    Self.folded.withLock { $0 += 1 }
    fair.evolve(event)
  }
}

/// The same for a test that runs beside.
private struct CountedElsewhere: Decider {
  static let folded = Mutex(0)
  var fair = Fair()

  func decide(_ command: FairCommand) throws(Fair.Refusal) -> [BoothEvent] { try fair.decide(command) }

  mutating func evolve(_ event: BoothEvent) {
    Self.folded.withLock { $0 += 1 }
    fair.evolve(event)
  }
}

private struct Booth: Row {
  var id: Int
  var renter: String
  var text: String { "\(id) \(renter)" }
}

private struct Booths: Projection {
  func project(_ event: BoothEvent, into rows: inout Rows<Booth>) {
    switch event {
    case .rented(let booth, let name): rows[booth] = Booth(id: booth, renter: name)
    case .freed(let booth): rows[booth] = nil
    }
  }
}

private final class EventCounter: Sendable {
  private let count = Mutex(0)

  func add() { count.withLock { $0 += 1 } }

  func take() -> Int {
    count.withLock { count in
      defer { count = 0 }
      return count
    }
  }
}

private struct CountedBooths: Projection {
  let counter: EventCounter

  func project(_ event: BoothEvent, into rows: inout Rows<Booth>) {
    counter.add()
    Booths().project(event, into: &rows)
  }
}

private enum VisitorEvent: Event {
  case came(id: Int, name: Personal<String>)
}

private struct Visitor: Row {
  var id: Int
  var name: String
}

private struct Visitors: Projection {
  func project(_ event: VisitorEvent, into rows: inout Rows<Visitor>) {
    switch event {
    case .came(let id, let name): rows.insert(Visitor(id: id, name: name.value ?? "-"))
    }
  }
}

/// A decider that counts how often it was asked.
private struct Dice: Decider {
  struct Refused: Error {}

  enum DicedEvent: Annals.Event {
    case thrown(number: Int)

    static var typePrefix: String { "Diced" }
  }

  typealias Event = DicedEvent

  private static let count = Mutex(0)
  static let isLate = Mutex(false)

  func decide(_ command: String) throws(Refused) -> [DicedEvent] {
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    switch command {
    case "number": return [.thrown(number: number)]
    case "late": return [.thrown(number: Self.isLate.withLock { $0 } ? number : 0)]
    default:
      if number % 2 == 0 { throw Refused() }
      return [.thrown(number: 0)]
    }
  }

  mutating func evolve(_ event: DicedEvent) {}
}

import Annals
import AnnalsTesting
import Testing

/// Lists of several event types, compared with lists by an enum that repeats all names by hand.
@Suite struct UnionMachineTests {
  @Test func `a list of several event types is the list of one enum with all their names`() throws {
    let report = try check(UnionMachine(), settings: CheckSettings(examples: 120))
    for command in ["commit(_:)", "seek(to:)", "restart()", "poison(_:)"] {
      #expect(isQuickLook || report.occurrences[command] ?? 0 > 0, "\(command)")
    }
  }

  @Test func `a long history is read by two threads as by one`() throws {
    let store = MemoryEventStore()
    for number in 0..<3_000 {
      try store.append(
        Append(
          [
            NewEvent(type: "PersonJoined", payload: #"{"id":"\#(number % 50)","name":"n\#(number)"}"#),
            NewEvent(type: "CardNoteAdded", payload: #"{"id":"\#(number % 70)","text":"t\#(number)"}"#),
          ], to: "all"))
    }
    let (union, wrapper) = (try list(UnionOffice(), store), try list(WrapperOffice(), store))
    #expect(union.position == 6_000 && union.results.rows.count == 120)
    #expect(union.results == wrapper.results)
  }
}

private func list<P: Projection>(
  _ projection: P, _ store: some EventStore
) throws -> FetchedResultsController<OfficeRow> where P.Row == OfficeRow {
  let list = FetchedResultsController(
    store: store, projection: projection, request: ListRequest(section: .by("kind") { $0.kind }),
    cacheName: "\(projection)")
  do { try list.performFetch() } catch is ProjectionError {
    // A history that cannot be folded stops a list where it began; what comes of it is compared.
  }
  return list
}

/// A log, and five lists of it: by unions of four types, of two unions and of two types, and by enums.
private final class UnionSystem {
  let store = MemoryEventStore()
  private(set) var lists: [FetchedResultsController<OfficeRow>] = []
  private var observations: [ChangeObservation] = []
  private var heard: [[String]] = Array(repeating: [], count: 5)

  init() throws { try start() }

  private func start() throws {
    lists = [
      try list(UnionOffice(), store), try list(NestedOffice(), store), try list(WrapperOffice(), store),
      try list(UnionPair(), store), try list(WrapperOffice(isWhole: false), store),
    ]
    observations = lists.enumerated().map { index, list in
      list.observe { [unowned self] in
        heard[index].append("\($0.old.position) to \($0.new.position): \($0.sections) \($0.rows) \($0.cause)")
      }
    }
  }

  func commit(_ events: [NewEvent]) throws { try store.append(Append(events, to: "office")) }
  func poison(_ event: NewEvent) throws { try commit([event]) }

  func restart() throws {
    // A list that stopped saves nothing.
    for list in lists { try? list.saveCache() }
    try start()
  }

  /// What is heard since it was last asked, by list.
  func takeHeard() -> [[String]] {
    defer { heard = heard.map { _ in [] } }
    return heard
  }
}

private struct UnionMachine: Machine {
  struct Model {
    var count = 0
    var isPoisoned = false
    /// The position of the last seek; nil for the live end.
    var place: Int?
  }

  func start() throws -> (model: Model, system: UnionSystem) { (Model(), try UnionSystem()) }

  var commands: [Command<Model, UnionSystem>] {
    Command("commit(_:)", weight: 6) { _ in
      Generator<[NewEvent]>.array(of: .officeEvent, count: 1...4)
    } model: { (model: inout Model, events: [NewEvent]) in
      model.count += events.count
    } run: { system, events in
      try system.commit(events)
    }
    Command("poison(_:)") { model in
      Generator<NewEvent>.officePoison
    } model: { (model: inout Model, event: NewEvent) in
      model.count += 1
      model.isPoisoned = true
    } run: { system, event in
      try system.poison(event)
    }
    Command("seek(to:)", weight: 2) { model in
      .int(in: 0...model.count)
    } model: { (model: inout Model, position: Int) in
      model.place = position
    } run: { system, position in
      // Beyond an event that cannot be folded, all of them throw.
      for list in system.lists { try? list.seek(to: Position(position)) }
    }
    Command("returnToLive()") { (model: inout Model) in
      model.place = nil
    } run: { system in
      for list in system.lists { try? list.returnToLive() }
    }
    Command("restart()") { (model: inout Model) in
      model.place = nil
    } run: { system in
      try system.restart()
    }
  }

  func invariant(_ model: Model, _ system: UnionSystem) throws {
    let heard = system.takeHeard()
    for (union, wrapper) in [(0, 2), (1, 2), (3, 4)] {
      let (mine, other) = (system.lists[union], system.lists[wrapper])
      try ensureEqual(mine.position, other.position)
      try ensure(mine.results == other.results, "expected \(other.results), found \(mine.results)")
      try ensureEqual(heard[union], heard[wrapper])
      let failures = [mine, other].map { list in
        (list.failure as? ProjectionError).map { "\($0.code) at \($0.event.position)" } ?? "\(list.failure as Any)"
      }
      try ensureEqual(failures[0], failures[1])
      if !model.isPoisoned {
        try ensure(mine.failure == nil, "the list stopped: \(mine.failure as Any)")
        try ensureEqual(mine.position, Position(model.place ?? model.count))
      }
    }
  }
}

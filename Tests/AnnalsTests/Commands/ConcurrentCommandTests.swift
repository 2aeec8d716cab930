import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

private enum ThingEvent: Event {
  case added(Int)
}

/// The things of a shop, each once.
private struct Things: Decider {
  enum Refusal: Error, Equatable { case taken(Int) }

  var all: Set<Int> = []

  func decide(_ thing: Int) throws(Refusal) -> [ThingEvent] {
    if all.contains(thing) { throw .taken(thing) }
    return [.added(thing)]
  }

  mutating func evolve(_ event: ThingEvent) {
    if case .added(let thing) = event { all.insert(thing) }
  }
}

private struct ThingRow: Row {
  let id: Int
}

private struct ThingList: Projection {
  func project(_ event: ThingEvent, into rows: inout Rows<ThingRow>) {
    if case .added(let thing) = event { rows.insert(ThingRow(id: thing)) }
  }
}

/// An actor with a store, a list, and commands that it awaits.
private actor Desk {
  private let store: any EventStore
  private var list: FetchedResultsController<ThingRow>?

  init(_ store: any EventStore) { self.store = store }

  /// Makes the list, in the actor: an actor's initializer has no isolation, and its list would have no owner.
  func begin() throws -> Desk {
    list = FetchedResultsController(store: store, projection: ThingList())
    try list?.performFetch()
    return self
  }

  /// Adds a thing, and answers how many the list shows when the command returns.
  func add(_ thing: Int) async throws -> Bool {
    try await store.execute(thing, on: Things["x"])
    return shown.contains(thing)
  }

  /// Adds two things, or none.
  func addBoth(_ one: Int, _ two: Int) async throws -> Bool {
    try await store.transaction { transaction in
      for thing in [one, two] { try transaction.execute(thing, on: Things["x"]) }
    }
    return shown.isSuperset(of: [one, two])
  }

  /// Returns all things in the log.
  ///
  /// A command can be refused because of a thing of another task's commit, before this actor gets that commit. So the
  /// list is refreshed first.
  func refreshed() -> Set<Int> {
    list?.refresh()
    return shown
  }

  var shown: Set<Int> { Set(list?.results.rows.map(\.id) ?? []) }
}

private struct DeskMachine: AsyncMachine {
  let store: @Sendable () throws -> any EventStore

  func start() async throws -> (model: Set<Int>, system: Desk) { ([], try await Desk(try store()).begin()) }

  var commands: [Command<Set<Int>, Desk>] {
    Command("add(_:)") { _ in
      .int(in: 1...6)
    } model: { (things: inout Set<Int>, thing: Int) in
      if !things.insert(thing).inserted { throw Things.Refusal.taken(thing) }
      return true
    } run: { desk, thing in
      try await desk.add(thing)
    }
    Command("addBoth(_:_:)") { _ in
      zip(.int(in: 1...6), .int(in: 1...6))
    } model: { (things: inout Set<Int>, both: (Int, Int)) in
      for thing in [both.0, both.1] where !things.insert(thing).inserted { throw Things.Refusal.taken(thing) }
      return true
    } run: { desk, both in
      try await desk.addBoth(both.0, both.1)
    }
    Command("refreshed()") { (things: inout Set<Int>) in
      things
    } run: { (desk: Desk) in
      await desk.refreshed()
    }
  }

  func invariant(_ things: Set<Int>, _ desk: Desk) async throws {
    let shown = await desk.shown
    try ensureEqual(shown, things)
  }
}

@Suite struct ConcurrentCommandTests {
  @Test func `awaited commands of one actor and its list are as if one came after the other`() async throws {
    let settings = CheckSettings(examples: 60, seed: 1, environment: [:])
    let report = try await check(DeskMachine { MemoryEventStore() }, concurrency: 3, settings: settings)
    #expect(report.refusals["DeskMachine: taken"] ?? 0 > 20, "\(report)")
  }

  @Test func `awaited commands on a file and its list are as if one came after the other`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-desk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let machine = DeskMachine {
      try SQLiteEventStore(path: folder.appending(path: UUID().uuidString).path, durability: .process)
    }
    try await check(machine, concurrency: 2, settings: CheckSettings(examples: 10, seed: 1, environment: [:]))
  }
}

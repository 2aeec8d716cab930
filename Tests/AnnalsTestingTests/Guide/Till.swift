import Annals
import AnnalsLog
import AnnalsStoreTesting
import AnnalsTesting
import Testing
import XCTest

// The code of the pages about machines, stores and tables. GuideTests compares them.

struct Till: Decider, Equatable {
  enum Rejection: Error { case tooLittle }

  var money = 0

  func decide(_ command: Int) throws(Rejection) -> [TillEvent] {
    guard money + command >= 0 else { throw .tooLittle }
    return [.changed(by: command)]
  }

  mutating func evolve(_ event: TillEvent) {
    if case .changed(let amount) = event { money += amount }
  }
}

enum TillEvent: Event {
  case changed(by: Int)
}

/// The till as an app uses it: commands go through a store.
final class TillSystem {
  let store = MemoryEventStore()

  func change(by amount: Int) throws {
    try store.execute(amount, on: Till["main"])
  }

  func money() throws -> Int { try store.state(of: Till["main"]).money }
}

struct TillMachine: Machine {
  func start() -> (model: Int, system: TillSystem) { (0, TillSystem()) }

  var commands: [Command<Int, TillSystem>] {
    Command("change(by:)") { money in
      .int(in: -money - 1...100)
    } model: { money, amount in
      guard money + amount >= 0 else { throw Till.Rejection.tooLittle }
      money += amount
    } run: { till, amount in
      try till.change(by: amount)
    }
  }

  func invariant(_ money: Int, _ till: TillSystem) throws {
    try ensureEqual(try till.money(), money)
    sometimes(money == 0, "an empty till")
  }
}

@Suite struct TillTests {
  @Test func `the till keeps its money`() throws {
    try check(TillMachine())
  }

  @Test func `no one takes more than there is`() throws {
    try Till.given(.changed(by: 5)).when(-6).thenRefused(.tooLittle)
    try Till.given(.changed(by: 5)).when(-5).then(.changed(by: -5))
  }

  @Test func `a till decides by its history alone`() throws {
    let history = Generator.array(of: .int(in: 0...100)).map { $0.map { TillEvent.changed(by: $0) } }
    try check(history, .int(in: -200...100)) { history, amount in
      try Till.ensureDecidesEqually(amount, after: history)
    }
  }

  @Test func `the till decides the same everywhere`() throws {
    let payments = Generator.array(of: .int(in: 0...100)).map { $0.map { TillEvent.changed(by: $0) } }
    try Till.checkPurity(.int(in: -200...100), after: payments)
  }

  @Test(arguments: StoreContract.rules)
  func `a store of mine keeps the contract`(rule: StoreContract.Rule) throws {
    try rule.check { environment in MyStore(environment: environment) }
  }

  @Test(arguments: StoreContract.restartRules)
  func `a store of mine keeps what it was given`(rule: StoreContract.RestartRule) throws {
    try rule.check {
      let disk = MyDisk()
      return StoreContract.Place(promises: .all.subtracting(.sharing)) { environment in
        try MyDiskStore(disk, environment: environment)
      }
    }
  }

  @Test func `a table follows the shelves`() throws {
    let store = MemoryEventStore()
    let controller = FetchedResultsController(store: store, projection: MendedShelves(), request: ListRequest())
    try controller.performFetch()
    let table = MirrorDelegate(controller.results)
    controller.delegate = table
    try store.execute(.put(shelf: 1, books: 3), on: Librarian["main"])
    #expect(table.violations == [])
    #expect(table.table.shows(controller.results))
  }

  @Test func `a range has its bounds in order`() throws {
    let range = Generator { draw in
      let low = try draw(.int(in: 0...99))
      return low...(try draw(.int(in: low...99)))
    }
    try check(range) { $0.lowerBound <= $0.upperBound }
  }
}

final class TillXCTests: XCTestCase {
  func testTheTillKeepsItsMoney() throws {
    try check(TillMachine())
  }
}

/// Puts books where the command says.
struct Librarian: Decider {
  func decide(_ event: ShelfEvent) -> [ShelfEvent] { [event] }
  mutating func evolve(_ event: ShelfEvent) {}
}

/// A store of your own.
final class MyStore: EventStore {
  private let memory: MemoryEventStore

  init(environment: StoreEnvironment) {
    memory = MemoryEventStore(environment: environment)
  }

  var source: String { memory.source }
  var environment: StoreEnvironment { memory.environment }
  var runtime: StoreRuntime { memory.runtime }

  func commit(_ append: Append) throws -> Receipt { try memory.commit(append) }
  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try memory.read(body) }
}

/// A disk that a test keeps in memory, and a store on it.
private typealias MyDisk = LostAtOpening.Disk

extension LostAtOpening {
  fileprivate convenience init(_ disk: Disk, environment: StoreEnvironment) throws {
    try self.init(disk, .none, environment: environment)
  }
}

private typealias MyDiskStore = LostAtOpening

/// A till that a machine interleaves.
final class SharedTill {
  let store = InterleavingStore(MemoryEventStore())
}

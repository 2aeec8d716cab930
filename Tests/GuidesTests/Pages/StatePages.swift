import Annals
import AnnalsTesting
import Foundation
import Testing

/// The code of `Docs/SavedLists.md` and `Docs/States.md`.
@Suite @MainActor struct StatePages {
  enum AccountCommand: Sendable { case deposit(Int), withdraw(Int) }
  enum AccountPageEvent: Event, Equatable { case changed(by: Int) }

  struct Account: Decider {
    enum Refusal: Error { case tooLittle }
    var money = 0

    func decide(_ command: AccountCommand) throws(Refusal) -> [AccountPageEvent] {
      switch command {
      case .deposit(let amount): return [.changed(by: amount)]
      case .withdraw(let amount):
        guard amount <= money else { throw .tooLittle }
        return [.changed(by: -amount)]
      }
    }

    mutating func evolve(_ event: AccountPageEvent) {
      if case .changed(let amount) = event { money += amount }
    }
  }

  enum SavingsCommand: Sendable { case payIn(Int), payOut(Int) }
  enum SavingsEvent: Event { case paidIn(Int), paidOut(Int) }

  struct Savings: SnapshotDecider, Equatable {
    static let stateVersion = 2  // 1 did not subtract payments

    var balance = 0

    func decide(_ command: SavingsCommand) -> [SavingsEvent] {
      switch command {
      case .payIn(let amount): [.paidIn(amount)]
      case .payOut(let amount): amount <= balance ? [.paidOut(amount)] : []
      }
    }

    mutating func evolve(_ event: SavingsEvent) {
      switch event {
      case .paidIn(let amount): balance += amount
      case .paidOut(let amount): balance -= amount
      }
    }
  }

  struct Player: Row {
    let id: String
    var team: String
    var age: Int
  }

  enum PlayerPageEvent: Event { case joined(Player) }

  struct Players: Projection {
    static let version = 2
    static let formerVersions: Set<Int> = [1]

    func project(_ event: PlayerPageEvent, into rows: inout Rows<Player>) {
      if case .joined(let player) = event { rows.insert(player) }
    }
  }

  struct TeamOnly: Projection {
    let team: String
    var identity: String? { team }

    func project(_ event: PlayerPageEvent, into rows: inout Rows<Player>) {
      if case .joined(let player) = event, player.team == team { rows.insert(player) }
    }
  }

  private func players() throws -> MemoryEventStore {
    let store = MemoryEventStore()
    try store.append(
      [
        PlayerPageEvent.joined(Player(id: "Ann", team: "reds", age: 30)),
        .joined(Player(id: "Bob", team: "blues", age: 20)), .joined(Player(id: "Cleo", team: "reds", age: 25)),
      ], to: "league")
    return store
  }

  @Test func `the saved list of the page is read at the next start`() throws {
    let store = try players()
    func fetch() throws -> FetchedResultsController<Player> {
      let list = FetchedResultsController(
        store: store, projection: Players(),
        request: ListRequest(
          filter: .where("team reds") { $0.team == "reds" }, sort: [.ascending(\.age)], fetchBatchSize: 20),
        cacheName: "Players")
      try list.performFetch()
      return list
    }
    try fetch().saveCache()
    let list = try fetch()
    #expect(list.fetchedObjects.map(\.id) == ["Cleo", "Ann"] && list.cacheReport.restored == 3)
  }

  @Test func `projections of two teams are two lists`() throws {
    let store = try players()
    for (team, ids) in [("reds", ["Ann", "Cleo"]), ("blues", ["Bob"])] {
      #expect(try store.list(of: TeamOnly(team: team)).rows.map(\.id) == ids)
    }
  }

  @Test func `a kept state of the page is added to its file`() {
    // The state is new there, and stays so: the file is not kept.
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift").path
    func ensureKept(filePath: String) throws {
      try Savings.ensureKept([[.paidIn(5), .paidOut(2)]], in: "Savings.jsonl", filePath: filePath)
    }
    #expect(throws: Unmet.self) { try ensureKept(filePath: path) }
    #expect(throws: Never.self) { try ensureKept(filePath: path) }
    try? FileManager.default.removeItem(
      at: FileManager.default.temporaryDirectory.appending(path: "Savings.jsonl"))
  }

  /// As the page has it.
  private func ensureSavingsAreKept() throws {
    try Savings.ensureKept([[.paidIn(5), .paidOut(2)]], in: "Fixtures/Savings.jsonl")
  }

  @Test func `the account of the page decides alike on a state that is kept`() throws {
    let store = MemoryEventStore()
    try store.execute(.deposit(50), on: Account["7"])  // reads the stream, folds it, keeps the state
    try store.execute(.withdraw(20), on: Account["7"])  // finds the state; nothing is read or folded
    #expect(try store.state(of: Account["7"]).money == 30)

    let commands = zip(.bool, Generator.int(in: 0...9)).map { isIn, amount in
      isIn ? AccountCommand.deposit(amount) : .withdraw(amount)
    }
    try check(.array(of: commands, count: 0...20)) { try Account.ensureStatesHold($0) }
  }
}

import Annals
import AnnalsSQLite

/// The code of `Docs/Compaction.md`; CompactionGuideTests compares the two.
enum CompactionGuide {
  enum AccountEvent: Event {
    case opened(owner: String, balance: Int)
    case paidIn(amount: Int)
    case paidOut(amount: Int)
  }

  struct Account: Decider, Equatable {
    var owner: String?
    var balance = 0

    func decide(_ command: AccountEvent) -> [AccountEvent] { [command] }

    mutating func evolve(_ event: AccountEvent) {
      switch event {
      case .opened(let owner, let balance): (self.owner, self.balance) = (owner, balance)
      case .paidIn(let amount): balance += amount
      case .paidOut(let amount): balance -= amount
      }
    }
  }

  struct Balance: Row {
    var id: String
    var owner: String
    var balance: Int
  }

  struct Balances: Projection {
    func project(_ recorded: Recorded<AccountEvent>, into rows: inout Rows<Balance>) {
      let id = recorded.stream.text
      switch recorded.event {
      case .opened(let owner, let balance): rows.insert(Balance(id: id, owner: owner, balance: balance))
      case .paidIn(let amount): rows[id]?.balance += amount
      case .paidOut(let amount): rows[id]?.balance -= amount
      }
    }
  }

  static func compact(_ store: some EventStore) throws -> CompactionReceipt {
    var compaction = Compaction()
    compaction.rewrite(AccountEvent.self) { stream, events in
      var account = Account()
      for event in events { account.evolve(event.event) }
      guard let owner = account.owner, let first = events.first else { return events }
      return [first.replaced(by: .opened(owner: owner, balance: account.balance))]
    }
    compaction.prove(Balances(), request: ListRequest(sort: [.descending(\.balance)]))
    compaction.prove(Account.self)
    let receipt = try store.compact(compaction)
    return receipt
  }

  static func remove(_ store: some EventStore, approve: (CompactionError) -> Bool) throws {
    var removal = Compaction()
    removal.removeStream(Account.stream("17"), allowing: ["Balances"])
    removal.prove(Balances())
    removal.prove(Account.self)
    let planned = try store.rehearse(removal)
    if planned.references.allSatisfy(approve) { try store.compact(removal) }
  }
}

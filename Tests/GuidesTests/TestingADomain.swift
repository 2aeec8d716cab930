import Annals
import AnnalsTesting
import Foundation

enum VaultEvent: Event, Equatable {
  case paidIn(Int)
  case paidOut(Int)
}

struct Vault: Decider, Equatable {
  enum Refusal: Error { case tooLittle }
  var money = 0

  func decide(_ amount: Int) throws(Refusal) -> [VaultEvent] {
    guard money + amount >= 0 else { throw .tooLittle }
    return [amount < 0 ? .paidOut(-amount) : .paidIn(amount)]
  }

  mutating func evolve(_ event: VaultEvent) {
    switch event {
    case .paidIn(let amount): money += amount
    case .paidOut(let amount): money -= amount
    }
  }
}

struct Balance: Row {
  let id: String
  var money = 0
}

struct Balances: Projection {
  func project(_ event: VaultEvent, into rows: inout Rows<Balance>) {
    if rows["vault"] == nil { rows.insert(Balance(id: "vault")) }
    switch event {
    case .paidIn(let amount): rows["vault"]?.money += amount
    case .paidOut(let amount): rows["vault"]?.money -= amount + amount / 10
    }
  }
}

/// The program of `Docs/Guides/12-TestingADomain.md`.
enum TestingADomain {
  @MainActor static func run(path: String) throws {
    try Vault.given(.paidIn(5)).when(-6).thenRefused(.tooLittle)
    try Vault.given(.paidIn(5)).when(-5).then(.paidOut(5))
    print("two scenarios hold")

    let history = Generator.array(
      of: zip(.bool, .int(in: 0...100)).map { isIn, amount in isIn ? VaultEvent.paidIn(amount) : .paidOut(amount) })
    let settings = CheckSettings(examples: 200, seed: 1, environment: [:])
    do {
      try check(history, settings: settings) { history in
        var vault = Vault()
        for event in history { vault.evolve(event) }
        let rows = try Balances().rows(after: history)
        try ensureEqual(rows.first?.money ?? 0, vault.money)
      }
    } catch let failure as PropertyFailure {
      print(failure.input.joined(separator: " "))
    }

    let report = try Vault.checkAllLaws(lists: [.init(Balances())], settings: settings) { vault in
      .int(in: -vault.money - 1...100)
    }
    print(report.laws.keys.sorted().joined(separator: "\n"))
  }
}

import Annals
import AnnalsTesting
import Testing

/// A till whose commands have ids.
private struct SafeTill {
  let store: any EventStore

  init(_ store: any EventStore) { self.store = store }

  func change(by amount: Int, commandID: String?) throws {
    try store.execute(amount, on: Till["main"], commandID: commandID)
  }

  func money() throws -> Int { try store.state(of: Till["main"]).money }
}

private func mean(_ numbers: [Int]) -> Int {
  numbers.isEmpty ? 0 : numbers.reduce(0, +) / numbers.count
}

@Suite struct SafeTillTests {
  @Test func `no numbers end the mean`() throws {
    try checkApart(.array(of: .int(in: 0...9))) { _ = mean($0) }
  }

  @Test func `the till goes on, whatever its store does`() throws {
    try FaultyStore.check(steps: [
      .init("pay 5") { try $0.change(by: 5, commandID: "a") },
      .init("give 2") { try $0.change(by: -2, commandID: "b") },
    ]) { store in
      SafeTill(store)
    } answer: { till in
      try till.money()
    }
  }

  @Test func `without the ids of its commands the till takes money twice, as the guide shows`() throws {
    let failure = try #require(
      #expect(throws: Unmet.self) {
        try FaultyStore.check(steps: [.init("pay 5") { try $0.change(by: 5, commandID: nil) }]) { store in
          SafeTill(store)
        } answer: { till in
          try till.money()
        }
      })
    #expect(try testingGuide().contains("\n\(failure)\n"), "\(failure)")
  }
}

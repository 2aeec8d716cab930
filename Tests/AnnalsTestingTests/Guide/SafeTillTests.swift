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

private actor Mailbox {
  private(set) var letters: [EventID: String] = [:]

  func put(_ text: String, key: EventID) { letters[key] = text }
}

/// A mailbox that ignores the keys.
private actor CarelessMailbox {
  private(set) var letters: [String] = []

  func put(_ text: String, key: EventID) { letters.append(text) }
}

private func mean(_ numbers: [Int]) -> Int {
  numbers.isEmpty ? 0 : numbers.reduce(0, +) / numbers.count
}

@Suite struct SafeTillTests {
  @Test func `no numbers end the mean`() throws {
    try checkApart(.array(of: .int(in: 0...9))) { _ = mean($0) }
  }

  @Test func `the till keeps its laws`() throws {
    try Till.checkAllLaws { till in .int(in: -till.money - 1...100) }
  }

  @Test func `every receipt is mailed once`() async throws {
    let payments = Till.histories { _ in .int(in: 1...100) }
    try await checkDelivery(of: payments) {
      Mailbox()
    } follower: { store, mailbox in
      try EventFollower("receipts", of: TillEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        await mailbox.put("\(recorded.event)", key: recorded.id)
      }
    } answer: { _, mailbox in
      await mailbox.letters
    }
  }

  @Test func `a receipt that is mailed twice is found, as the guide shows`() async throws {
    let payments = Till.histories { _ in .int(in: 1...100) }
    var text = ""
    do {
      try await checkDelivery(of: payments, settings: CheckSettings(examples: 10, seed: 1, environment: .patient)) {
        CarelessMailbox()
      } follower: { store, mailbox in
        try EventFollower("receipts", of: TillEvent.self, in: store, startingAt: .beginning) { recorded, _ in
          await mailbox.put("\(recorded.event)", key: recorded.id)
        }
      } answer: { _, mailbox in
        await mailbox.letters
      }
    } catch let failure as PropertyFailure {
      text = failure.error.map { "\($0)" } ?? ""
    }
    #expect(try !text.isEmpty && testingGuide().contains("\n\(text)\n"), "\(text)")
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

import Annals
import AnnalsSQLite
import Foundation
import Synchronization
import Testing

/// Receipts that say that nothing was added.
@Suite struct RepeatedReceiptTests {
  /// Runs a body on a store in memory and on one in a file.
  private func onEachStore(_ body: (any EventStore) throws -> Void) throws {
    try body(MemoryEventStore())
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-repeated-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process))
  }

  private func append(_ id: String?) -> Append {
    Append([.init(stream: "s", event: NewEvent(type: "T", payload: nil))], commandID: id)
  }

  @Test func `a call with a known command id says that it added nothing, whichever call it is`() throws {
    try onEachStore { store in
      let calls: [(any EventStore) throws -> Receipt] = [
        { try $0.append(append("k")) },
        { try $0.commit(append("k")) },
        { try $0.execute("a", on: Adding.self, id: "x", commandID: "k") },
        { try $0.execute("b", on: AddingAnywhere.self, commandID: "k") },
        { try $0.transaction(commandID: "k") { _ = try $0.execute("c", on: Adding.self, id: "x") } },
      ]
      let first = try calls[0](store)
      #expect(!first.isRepeated)
      for call in calls {
        let again = try call(store)
        #expect(again.isRepeated && again == first && again.hashValue == first.hashValue)
      }
      #expect(try store.head() == 1)
      let kept = try #require(try store.receipt(ofCommand: "k"))
      #expect(kept == first && !kept.isRepeated)
    }
  }

  @Test func `an awaited call with a known command id says that it added nothing`() async throws {
    let store = MemoryEventStore()
    #expect(try await !store.append(append("k")).isRepeated)
    #expect(try await store.append(append("k")).isRepeated)
    #expect(try await store.execute("a", on: Adding.self, id: "x", commandID: "k").isRepeated)
    #expect(try await store.execute("a", on: AddingAnywhere.self, commandID: "k").isRepeated)
    #expect(try await store.transaction(commandID: "k") { _ in }.isRepeated)
    #expect(store.head() == 1)
  }

  @Test func `calls that add something or have no id are not repeated, also if they lead to no events`() throws {
    try onEachStore { store in
      for _ in 0..<2 {
        #expect(try !store.append(append(nil)).isRepeated)
        #expect(try !store.execute("", on: Adding.self, id: "x").isRepeated)
      }
      #expect(try !store.execute("", on: Adding.self, id: "x", commandID: "nothing").isRepeated)
      let again = try store.execute("a", on: Adding.self, id: "x", commandID: "nothing")
      #expect(again.isRepeated && again.count == 0)
      #expect(try store.head() == 2)
    }
  }

  @Test func `a command that another writer commits between reading and appending is repeated`() throws {
    let box = Mutex<MemoryEventStore?>(nil)
    let store = MemoryEventStore(
      environment: StoreEnvironment(hook: { moment in
        guard moment == .willAppend(attempt: 1), let store = box.withLock({ $0.take() }) else { return }
        try store.append(append("k"))
      }))
    box.withLock { $0 = store }
    let receipt = try store.execute("a", on: Adding.self, id: "x", commandID: "k")
    #expect(receipt.isRepeated && receipt.versions == ["s": 1] && store.head() == 1)
  }

  @Test func `what is new is counted by receipts, also if others write too`() throws {
    try onEachStore { store in
      var count = 0
      for round in 0..<3 {
        for number in 0..<(5 + round) {
          try store.append(append(nil))
          let receipt = try store.append(append("line \(number)"))
          if !receipt.isRepeated { count += receipt.count }
        }
      }
      #expect(count == 7)
    }
  }
}

private enum AddingEvent: Event { case added(String) }

private struct Adding: Decider {
  func decide(_ command: String) -> [AddingEvent] { command.isEmpty ? [] : [.added(command)] }
  mutating func evolve(_ event: AddingEvent) {}
}

private struct AddingAnywhere: BoundaryDecider {
  static func boundary(for command: String) -> EventQuery { .tagged("any") }
  func decide(_ command: String) -> [AddingEvent] { [.added(command)] }
  mutating func evolve(_ event: AddingEvent) {}
}

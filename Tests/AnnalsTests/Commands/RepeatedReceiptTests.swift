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

  @Test func `calls that add something or have no id are not repeated, also if they lead to no events`() throws {
    try onEachStore { store in
      for _ in 0..<2 {
        #expect(try !store.append(append(nil)).isRepeated)
        #expect(try !store.execute("", on: Adding["x"]).isRepeated)
      }
      #expect(try !store.execute("", on: Adding["x"], commandID: "nothing").isRepeated)
      let again = try store.execute("", on: Adding["x"], commandID: "nothing")
      #expect(again.isRepeated && again.count == 0)
      #expect(try store.head() == 2)
    }
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

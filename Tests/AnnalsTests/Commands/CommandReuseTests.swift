import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// An id that was used for one call is refused for every other call, whichever way the calls arrive.
@Suite struct CommandReuseTests {
  /// Calls under one id: no two of them are one call.
  private static let calls: [(name: String, run: @Sendable (any EventStore, String) throws -> Receipt)] = [
    ("append", { try $0.append(append("T", to: ["s"], $1)) }),
    ("append of another event", { try $0.append(append("U", to: ["s"], $1)) }),
    ("append of another payload", { try $0.append(append("T", to: ["s"], payload: "[1]", $1)) }),
    ("append to another stream", { try $0.append(append("T", to: ["t"], $1)) }),
    ("append to two streams", { try $0.append(append("T", to: ["s", "t"], $1)) }),
    ("append of no events", { try $0.commit(append("T", to: [], $1)) }),
    ("execute", { try $0.execute(.add("a"), on: Bag["x"], commandID: $1) }),
    ("execute another command", { try $0.execute(.add("b"), on: Bag["x"], commandID: $1) }),
    ("execute a command without events", { try $0.execute(.nothing, on: Bag["x"], commandID: $1) }),
    ("execute on another stream", { try $0.execute(.add("a"), on: Bag["y"], commandID: $1) }),
    ("execute on another decider", { try $0.execute(.add("a"), on: Box["x"], commandID: $1) }),
    ("execute within a boundary", { try $0.execute(.add("a"), on: .boundary(Shelf.self), commandID: $1) }),
    ("execute within another boundary", { try $0.execute(.add("b"), on: .boundary(Shelf.self), commandID: $1) }),
    ("transaction", { try $0.transaction(commandID: $1) { _ = try $0.execute(.add("a"), on: Bag["x"]) } }),
    (
      "merge",
      { store, id in
        let branch = try store.branch()
        try branch.execute(.empty, on: Bag["x"])
        return try branch.merge(commandID: id)
      }
    ),
  ]

  private static func append(_ type: String, to streams: [StreamName], payload: String? = nil, _ id: String) -> Append {
    Append(streams.map { .init(stream: $0, event: NewEvent(type: type, payload: payload)) }, commandID: id)
  }

  /// The stores that keep receipts, with a branch and a kept draft among them.
  private func each(_ body: (any EventStore) throws -> Void) throws {
    let every = try EveryStore()
    for store in every.stores where !(store is CountingStore) {
      try body(try store.branch())
      try body(try store.branch(floating: true))
      try body(store)
    }
  }

  /// Makes the names free for the next call.
  private static func reset(_ store: any EventStore) throws {
    try store.execute(.empty, on: Bag["x"])
    try store.execute(.empty, on: Bag["y"])
    try store.execute(.empty, on: Box["x"])
    for name in ["a", "b"] { try store.execute(.remove(name), on: .boundary(Shelf.self)) }
  }

  @Test func `an erasure deletes digests, so another command of the same call counts as a repeat`() throws {
    let every = try EveryStore()
    for store in every.stores where store.erasing != nil && !(store is CountingStore) {
      let receipt = try store.execute(.add("a"), on: Bag["x"], commandID: "1")
      #expect(throws: EventStoreError.self) { try store.execute(.add("b"), on: Bag["x"], commandID: "1") }
      try store.append([ReusePersonEvent.came(Personal("Ann", of: "ann"))], to: "People")
      try store.erase(subject: "ann")
      for name in ["a", "b"] {
        #expect(try store.execute(.add(name), on: Bag["x"], commandID: "1") == receipt.repeated())
      }
      #expect(throws: EventStoreError.self) { try store.execute(.add("a"), on: Bag["y"], commandID: "1") }
    }
  }

  @Test func `every call repeats itself and no other call`() throws {
    try each { store in
      for (number, first) in Self.calls.enumerated() {
        let id = "id \(number)"
        let receipt = try first.run(store, id)
        #expect(!receipt.isRepeated)
        let head = try store.head()
        for (other, call) in Self.calls.enumerated() {
          if other == number {
            let again = try call.run(store, id)
            #expect(again == receipt && again.isRepeated && again.hashValue == receipt.hashValue, "\(call.name)")
          } else {
            let error = #expect(throws: EventStoreError.self, "\(first.name), \(call.name)") {
              try call.run(store, id)
            }
            #expect(error?.code == .commandReused, "\(first.name), \(call.name)")
          }
        }
        #expect(try store.head() == head)
        try Self.reset(store)
      }
    }
  }

  @Test func `a command that the rules refuse isn't a repeat of another one`() throws {
    try each { store in
      try store.execute(.add("a"), on: Bag["x"], commandID: "form")
      // Without the id it would be refused, because "a" is in the bag.
      for id in ["form", "other"] {
        #expect(throws: (any Error).self) { try store.execute(.remove("z"), on: Bag["x"], commandID: id) }
      }
      #expect(try store.receipt(ofCommand: "other") == nil)
      #expect(try store.execute(.add("a"), on: Bag["x"], commandID: "form").isRepeated)
    }
  }

  @Test func `the error names both calls`() throws {
    try each { store in
      try store.execute(.add("a"), on: Bag["x"], commandID: "form")
      let other = #expect(throws: EventStoreError.self) {
        try store.execute(.add("a"), on: Box["y"], commandID: "form")
      }
      #expect(other?.message.contains(#""form" was already used for the call"#) == true)
      #expect(other?.message.contains("for the call `execute Bag on Bag-x`") == true)
      #expect(other?.message.contains("the call `execute Box on Box-y`") == true)
      let same = #expect(throws: EventStoreError.self) {
        try store.execute(.add("b"), on: Bag["x"], commandID: "form")
      }
      #expect(same?.message.contains("another call of the same kind, with different contents") == true)
    }
  }

  @Test func `awaited calls find an id that was used for another call`() async throws {
    let store = MemoryEventStore()
    for (number, call) in Self.calls.enumerated() {
      _ = try call.run(store, "id \(number)")
      try Self.reset(store)
    }
    let history = UndoHistory(store, of: "ann", deciders: [Bag.self])
    let awaited: [(String, (String) async throws -> Receipt)] = [
      ("append", { try await store.append(Self.append("T", to: ["s"], $0)) }),
      ("execute", { try await store.execute(.add("a"), on: Bag["x"], commandID: $0) }),
      ("execute", { try await history.execute(.add("a"), on: Bag["x"], commandID: $0) }),
      ("execute within a boundary", { try await store.execute(.add("a"), on: .boundary(Shelf.self), commandID: $0) }),
      ("transaction", { try await store.transaction(commandID: $0) { _ in } }),
      (
        "merge",
        { id in
          let branch = try store.branch()
          return try await branch.merge(commandID: id)
        }
      ),
    ]
    for (name, run) in awaited {
      for (number, call) in Self.calls.enumerated() {
        if call.name == name {
          let receipt = try await run("id \(number)")
          #expect(receipt.isRepeated, "\(name)")
        } else {
          let error = await #expect(throws: EventStoreError.self, "\(name), \(call.name)") {
            try await run("id \(number)")
          }
          #expect(error?.code == .commandReused, "\(name), \(call.name)")
        }
      }
    }
  }

  @Test func `an id that another writer uses between reading and appending is compared too`() throws {
    for (isSame, name) in [(true, "a"), (false, "b")] {
      let box = Mutex<MemoryEventStore?>(nil)
      let store = MemoryEventStore(
        environment: StoreEnvironment(hook: { moment in
          guard moment == .willAppend(attempt: 1), let store = box.withLock({ $0.take() }) else { return }
          try store.execute(.add(name), on: Bag["x"], commandID: "form")
        }))
      box.withLock { $0 = store }
      let receipt = try? store.execute(.add("a"), on: Bag["x"], commandID: "form")
      #expect(receipt?.isRepeated == (isSame ? true : nil))
      #expect(store.head() == 1)
    }
  }

  @Test func `a command with sets and dictionaries has one digest in every process`() throws {
    let store = MemoryEventStore()
    // Copies that grew in different orders are stored in different orders.
    let numbers = Array(0..<200)
    let one = Wide(names: Set(numbers.map { "n\($0)" }), counts: Dictionary(numbers.map { ($0, "\($0)") }) { $1 })
    let reversed = numbers.reversed()
    var other = Wide(names: Set(minimumCapacity: 4_000), counts: Dictionary(minimumCapacity: 4_000))
    for number in reversed {
      other.names.insert("n\(number)")
      other.counts[number] = "\(number)"
    }
    try store.execute(one, on: WideBag["x"], commandID: "wide")
    #expect(try store.execute(other, on: WideBag["x"], commandID: "wide").isRepeated)
    other.names.remove("n7")
    #expect(throws: EventStoreError.self) { try store.execute(other, on: WideBag["x"], commandID: "wide") }
  }

  @Test func `ids that are spelled in two ways are two ids`() throws {
    try each { store in
      try store.execute(.add("a"), on: Bag["x"], commandID: "caf\u{E9}")
      #expect(try !store.execute(.add("b"), on: Bag["x"], commandID: "cafe\u{301}").isRepeated)
    }
  }
}

private enum BagEvent: Event {
  case added(String), removed(String), emptied

  static var typePrefix: String { "ReusedBag" }

  var tags: Set<EventTag> {
    switch self {
    case .added(let name), .removed(let name): [EventTag("name:\(name)")]
    case .emptied: []
    }
  }
}

private enum BagCommand: Codable, Sendable { case add(String), remove(String), empty, nothing }

private struct Bag: UndoableDecider {
  enum Refusal: Error { case taken, missing }

  var names: Set<String> = []

  func decide(_ command: BagCommand) throws -> [BagEvent] {
    switch command {
    case .add(let name): if names.contains(name) { throw Refusal.taken } else { return [.added(name)] }
    case .remove(let name): if names.contains(name) { return [.removed(name)] } else { throw Refusal.missing }
    case .empty: return [.emptied]
    case .nothing: return []
    }
  }

  mutating func evolve(_ event: BagEvent) {
    switch event {
    case .added(let name): names.insert(name)
    case .removed(let name): names.remove(name)
    case .emptied: names = []
    }
  }

  func undoing(_ events: [BagEvent]) -> [BagCommand]? { nil }
}

private struct Box: Decider {
  var bag = Bag()

  func decide(_ command: BagCommand) throws -> [BagEvent] { try bag.decide(command) }
  mutating func evolve(_ event: BagEvent) { bag.evolve(event) }
}

private struct Shelf: BoundaryDecider {
  static func boundary(for command: BagCommand) -> EventQuery {
    switch command {
    case .add(let name), .remove(let name): .tagged(EventTag("name:\(name)"))
    case .empty, .nothing: .all
    }
  }

  func decide(_ command: BagCommand) -> [BagEvent] {
    switch command {
    case .add(let name): [.added(name)]
    case .remove(let name): [.removed(name)]
    case .empty, .nothing: []
    }
  }

  mutating func evolve(_ event: BagEvent) {}
}

private struct Wide: Codable, Sendable {
  var names: Set<String>
  var counts: [Int: String]
}

private struct WideBag: Decider {
  func decide(_ command: Wide) -> [BagEvent] { [.added("\(command.names.count)")] }
  mutating func evolve(_ event: BagEvent) {}
}

private enum ReusePersonEvent: Event { case came(Personal<String>) }

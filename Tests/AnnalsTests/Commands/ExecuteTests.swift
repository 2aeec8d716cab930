import Annals
import AnnalsLog
import Synchronization
import Testing

@Suite struct ExecuteTests {
  @Test func `a command appends what was decided, to the stream of category and id`() throws {
    let store = MemoryEventStore()
    let receipt = try store.execute(
      .insert("b1"), on: Shelf["main"], metadata: ["actor": "Ann"])
    #expect(receipt.position == 1)
    let event = try #require(store.events(.all, after: 0, through: nil, limit: 1).first)
    #expect(event.stream == "Shelf-main")
    #expect(event.type == "ShelfInserted")
    #expect(event.payload == #"{"id":"b1"}"#)
    #expect(event.tags == ["book:b1"])
    #expect(event.metadata.author == "Ann")
  }

  @Test func `a refused command throws the domain's own error and appends nothing`() throws {
    let store = MemoryEventStore()
    try store.execute(.insert("b1"), on: Shelf["main"])
    #expect(throws: Shelf.Refusal.taken("b1")) { try store.execute(.insert("b1"), on: Shelf["main"]) }
    try store.execute(.insert("b1"), on: Shelf["other"])
    #expect(store.head() == 2)
  }

  @Test func `the state of a stream is what its decider decides on`() throws {
    let store = MemoryEventStore()
    #expect(try store.state(of: Shelf["main"]) == Shelf())
    try store.execute(.insert("b1"), on: Shelf["main"])
    try store.execute(.insert("b2"), on: Shelf["other"])
    var expected = Shelf()
    expected.evolve(.inserted(id: "b1"))
    #expect(try store.state(of: Shelf["main"]) == expected)
  }

  @Test func `a command that leads to nothing appends nothing`() throws {
    let store = MemoryEventStore()
    let receipt = try store.execute(.tidy, on: Shelf["main"])
    #expect(receipt == Receipt(position: 0, count: 0, transaction: nil, versions: ["Shelf-main": 0]))
  }

  @Test func `an expected version is kept, and its conflict is not tried again`() throws {
    let attempts = Mutex(0)
    let store = MemoryEventStore(environment: StoreEnvironment(hook: { _ in attempts.withLock { $0 += 1 } }))
    let error = #expect(throws: EventStoreError.self) {
      try store.execute(.insert("b1"), on: Shelf["main", expecting: .exists])
    }
    #expect(error == .versionConflict(stream: "Shelf-main", expected: .exists, found: 0))
    #expect(attempts.withLock { $0 } == 0)
  }

  @Test func `a state is read only at the expected version`() throws {
    let store = MemoryEventStore()
    try store.execute(.insert("b1"), on: Shelf["main"])
    #expect(try store.state(of: Shelf["main", expecting: .exact(1)]) == store.state(of: Shelf["main"]))
    let error = #expect(throws: EventStoreError.self) { try store.state(of: Shelf["main", expecting: .exact(2)]) }
    #expect(error == .versionConflict(stream: "Shelf-main", expected: .exact(2), found: 1))
  }

  @Test func `expected versions refer to the stream's version before the transaction`() throws {
    let store = MemoryEventStore()
    try store.transaction { transaction in
      try transaction.execute(.insert("b1"), on: Shelf["main", expecting: .doesNotExist])
      try transaction.execute(.insert("b2"), on: Shelf["main", expecting: .exact(0)])
    }
    #expect(store.version(of: "Shelf-main") == 2)
  }

  @Test func `a command that lost a race is decided again on the new events`() throws {
    let box = Mutex<MemoryEventStore?>(nil)
    let hook: @Sendable (CommandStep) throws -> Void = { moment in
      guard moment == .willAppend(attempt: 1), let store = box.withLock({ $0 }) else { return }
      try store.append(
        Append([NewEvent(type: "ShelfInserted", payload: #"{"id":"b1"}"#)], to: "Shelf-main"))
    }
    let store = MemoryEventStore(environment: StoreEnvironment(hook: hook))
    box.withLock { $0 = store }
    let receipt = try store.execute(.insert("b2"), on: Shelf["main"])
    #expect(receipt.versions == ["Shelf-main": 2])
    #expect(throws: Shelf.Refusal.taken("b1")) { try store.execute(.insert("b1"), on: Shelf["main"]) }
    box.withLock { $0 = nil }
  }

  @Test func `tries are limited, and the error says what happened`() throws {
    let box = Mutex<MemoryEventStore?>(nil)
    let hook: @Sendable (CommandStep) throws -> Void = { moment in
      guard case .willAppend = moment, let store = box.withLock({ $0 }) else { return }
      try store.append(Append([NewEvent(type: "Noise", payload: nil)], to: "Shelf-main"))
    }
    let store = MemoryEventStore(environment: StoreEnvironment(hook: hook))
    box.withLock { $0 = store }
    let error = #expect(throws: EventStoreError.self) { try store.execute(.insert("b"), on: Shelf["main"]) }
    #expect(error?.code == .tooManyConflicts && error?.attempts == 16)
    #expect(store.head() == 16)
    box.withLock { $0 = nil }
  }

  @Test func `several commands are one transaction and see each other`() throws {
    let store = MemoryEventStore()
    try store.transaction { transaction in
      try transaction.execute(.insert("b1"), on: Shelf["a"])
      try transaction.execute(.insert("b1"), on: Shelf["b"])
      try transaction.execute(.insert("b2"), on: Shelf["a"])
    }
    let events = store.events(.all, after: 0, through: nil, limit: 10)
    #expect(events.map(\.transaction) == [1, 1, 1])
    #expect(events.map(\.stream) == ["Shelf-a", "Shelf-b", "Shelf-a"])
    #expect(throws: Shelf.Refusal.taken("b3")) {
      try store.transaction { transaction in
        try transaction.execute(.insert("b3"), on: Shelf["a"])
        try transaction.execute(.insert("b3"), on: Shelf["a"])
      }
    }
    #expect(store.head() == 3)
  }

  @Test func `commands from many threads keep the domain's rule`() async throws {
    let store = MemoryEventStore()
    let kept = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<20).filter { (try? store.execute(.insert("b\($0)"), on: Shelf["main"])) != nil }.count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(kept == store.version(of: "Shelf-main"))
    let payloads = store.events(.all, after: 0, through: nil, limit: 1_000).compactMap(\.payload)
    #expect(Set(payloads).count == payloads.count)
  }
}

private struct Shelf: Decider, Equatable {
  enum Command {
    case insert(String)
    case tidy
  }

  enum Refusal: Error, Equatable {
    case taken(String)
  }

  var books: Set<String> = []

  func decide(_ command: Command) throws(Refusal) -> [ShelfEvent] {
    switch command {
    case .tidy: return []
    case .insert(let id):
      if books.contains(id) { throw .taken(id) }
      return [.inserted(id: id)]
    }
  }

  mutating func evolve(_ event: ShelfEvent) {
    switch event {
    case .inserted(let id): books.insert(id)
    }
  }
}

private enum ShelfEvent: Event {
  case inserted(id: String)

  var tags: Set<EventTag> {
    switch self {
    case .inserted(let id): [EventTag("book:\(id)")]
    }
  }
}

import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsStoreTesting
import AnnalsTesting
import Synchronization
import Testing

@Suite struct RemoteErasingTests {
  private let server = MemoryRemoteServer()

  @Test(arguments: RemoteErasingContract.rules)
  func `A remote store around one in memory erases as the contract says`(rule: RemoteErasingContract.Rule) async throws
  {
    try await rule.check { MemoryRemoteStore() }
  }

  @Test func `A store that notes no erasure, or another one, breaks the contract`() async throws {
    for way in BadErasures.Way.allCases {
      var broken = 0
      for rule in RemoteErasingContract.rules {
        do { try await rule.check { BadErasures(way) } } catch is RemoteErasingContract.Violation { broken += 1 }
      }
      #expect(broken > 0, "\(way)")
    }
  }

  @Test func `Of the states in memory those stay that an erasure did not change`() async throws {
    let (one, two) = (MemoryRemoteStore(server), MemoryRemoteStore(server))
    try await one.execute("old", on: FarGuests["a"])
    try await one.execute("ann", on: FarGuests["b"])
    try await one.execute("new", on: FarGuests["c"])
    try await two.erase(subject: "guest-ann")
    _ = one.takeCalls()
    // Before the erased value: it is folded from nothing that changed, and only asked whether there is more.
    try await one.execute("seen", on: FarGuests["a"])
    #expect(one.takeCalls() == [.append, .read, .erasure, .append])
    // After it: what it was folded from is read again.
    try await one.execute("seen", on: FarGuests["c"])
    #expect(one.takeCalls() == [.read, .append])
    try await one.execute("seen", on: FarGuests["a"])
    #expect(one.takeCalls() == [.append])
    try await one.execute("seen", on: FarGuests["b"])
    let payloads = try server.events(.types("FarGuestSeen"), after: 0, through: nil, limit: 9).map(\.payload)
    #expect(payloads == [#"{"names":"old"}"#, #"{"names":"new"}"#, #"{"names":"old"}"#, #"{"names":""}"#])
  }

  @Test func `States in memory lose the values of several erasures, in every order`() async throws {
    for subjects in [["guest-ann", "guest-bob"], ["guest-bob", "guest-ann"]] {
      let server = MemoryRemoteServer()
      let (one, two) = (MemoryRemoteStore(server), MemoryRemoteStore(server))
      for name in ["ann", "bob"] { try await one.execute(name, on: FarGuests[name]) }
      for subject in subjects { try await two.erase(subject: subject) }
      for name in ["ann", "bob"] { try await one.execute("seen", on: FarGuests[name]) }
      let payloads = try server.events(.types("FarGuestSeen"), after: 0, through: nil, limit: 9).map(\.payload)
      #expect(payloads == [#"{"names":""}"#, #"{"names":""}"#])
    }
  }

  @Test func `A command that is decided while something is erased is decided again`() async throws {
    let store = MemoryRemoteStore(server)
    try await store.execute("ann", on: FarGuests["a"])
    let wasErased = Mutex(false)
    try await store.transaction { transaction in
      try transaction.execute("seen", on: FarGuests["a"])
      // It is decided, and not committed yet.
      if wasErased.withLock({
        let was = $0; $0 = true; return !was
      }) {
        try server.erase(subject: "guest-ann")
      }
    }
    #expect(
      try server.events(.types("FarGuestSeen"), after: 0, through: nil, limit: 9).map(\.payload) == [#"{"names":""}"#])
  }

  @Test func `A log with fewer erasures than before, or with another one, is said to be another`() async throws {
    for (later, lineage) in [(0, 0), (1, 7)] {
      let store = LineageStore()
      var batches = store.subscription(after: 0).makeAsyncIterator()
      store.answer(head: 1, erasures: 1, lineage: 5)
      _ = try await batches.next()
      store.answer(head: 2, erasures: later, lineage: lineage)
      let error = await #expect(throws: EventStoreError.self) { try await batches.next() }
      #expect(error?.code == .replaced)
    }
    let store = LineageStore()
    var batches = store.subscription(after: 0).makeAsyncIterator()
    store.answer(head: 1, erasures: 1, lineage: 5)
    _ = try await batches.next()
    store.answer(head: 2, erasures: 2, lineage: 9)
    #expect(try await batches.next()?.position == 2)
  }
}

/// A store whose notes of erasures are wrong.
private final class BadErasures: RemoteEventStore, RemoteErasingStore {
  enum Way: CaseIterable {
    case none, wrongEnd, wrongNumber, ignoresLimit, erasesNothing, forgetsRevision
  }

  private let inner = MemoryRemoteStore()
  private let way: Way
  let commands = CommandMemory()
  var source: String { inner.source }
  var environment: StoreEnvironment { inner.environment }
  var erasing: (any RemoteErasingStore)? { self }

  init(_ way: Way) { self.way = way }

  func commit(_ append: Append) async throws -> Receipt {
    // It does not look at which revision a command was decided on.
    guard way == .forgetsRevision else { return try await inner.commit(append) }
    return try await inner.commit(
      Append(
        append.entries, expectations: append.expectations, conditions: append.conditions, commandID: append.commandID))
  }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse { try await inner.ask(questions) }

  func commitErasure(of subject: String) async throws -> ErasureReceipt {
    if way == .erasesNothing { return ErasureReceipt(fields: 1) }
    return try await inner.erasing?.commitErasure(of: subject) ?? ErasureReceipt(fields: 0)
  }

  func hasPersonalValues() async throws -> Bool { try await inner.erasing?.hasPersonalValues() ?? false }

  func erasures(after number: Int, limit: Int) async throws -> [LogErasure] {
    if way == .none { return [] }
    let found = try await inner.erasing?.erasures(after: number, limit: way == .ignoresLimit ? .max : limit) ?? []
    return found.map { erasure in
      LogErasure(
        number: way == .wrongNumber ? erasure.number + 1 : erasure.number, subject: erasure.subject,
        first: erasure.first, end: way == .wrongEnd ? erasure.first : erasure.end, time: erasure.time,
        fields: erasure.fields)
    }
  }
}

/// A remote store that answers what a test gave it.
private final class LineageStore: RemoteEventStore {
  let commands = CommandMemory()
  let source = "urn:lineage"
  let environment = StoreEnvironment()
  private let reading = Mutex(LogResponse(head: 0, answers: []))

  func answer(head: Int, erasures: Int, lineage: Int) {
    let events = (1...head).map { number in
      StoredEvent(
        position: Position(number), transaction: number, stream: "s", version: number,
        id: EventID(source: source, id: "\(number)"), type: "T", schema: 1, time: environment.now(), tags: [],
        payload: nil, metadata: [:])
    }
    reading.withLock {
      $0 = LogResponse(
        head: Position(head), revision: LogRevision(erasures: erasures), lineage: lineage, answers: [.events(events)])
    }
  }

  func commit(_ append: Append) async throws -> Receipt {
    throw EventStoreError(.readOnly, "this store answers what a test gave it; append elsewhere")
  }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse { reading.withLock { $0 } }
}

enum FarGuestEvent: Event {
  case came(name: Personal<String>)
  case seen(names: String)
}

/// Guests come; `seen` says who was there.
private struct FarGuests: Decider {
  var names: [String] = []

  func decide(_ command: String) -> [FarGuestEvent] {
    if command == "seen" { return [.seen(names: names.joined(separator: " "))] }
    return [.came(name: Personal(command, of: "guest-\(command)"))]
  }

  mutating func evolve(_ event: FarGuestEvent) {
    if case .came(let name) = event, let name = name.value { names.append(name) }
  }
}

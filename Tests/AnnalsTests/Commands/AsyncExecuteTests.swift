import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// Commands that are awaited.
@Suite struct AsyncExecuteTests {
  private let folder: Folder

  /// A folder that is deleted with its last reference.
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "annals-async-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  init() throws { folder = try Folder() }

  /// A store in memory and one in a file.
  private func stores() throws -> [any EventStore] {
    let path = folder.url.appending(path: UUID().uuidString).path
    return [MemoryEventStore(), try SQLiteEventStore(path: path, durability: .process)]
  }

  @Test func `an awaited command answers as the one that is not awaited`() async throws {
    let (store, other) = (MemoryEventStore(source: "s"), MemoryEventStore(source: "s"))
    let awaited = try await store.execute(.add("a"), on: Bag["x"], metadata: ["actor": "Ann"])
    let plain = try plainly { try other.execute(.add("a"), on: Bag["x"], metadata: ["actor": "Ann"]) }
    #expect(awaited == plain)
    #expect(store.events(.all, after: 0, through: nil, limit: 9).map(\.metadata.author) == ["Ann"])
    #expect(try await store.append(Append([NewEvent(type: "T", payload: nil)], to: "y")).position == 2)
    let both = try await store.transaction { transaction in
      try transaction.execute(.add("b"), on: Bag["x"])
      return try transaction.execute(.add("c"), on: Bag["z"]).count
    }
    #expect(both == 1)
    #expect(store.events(.all, after: 2, through: nil, limit: 9).map(\.transaction) == [3, 3])
    #expect(try await store.execute(.reserve(seat: 7), on: .boundary(SeatPlan.self)).position == 5)
  }

  @Test func `errors of awaited calls are those of calls that are not awaited`() async throws {
    let store = MemoryEventStore()
    try await store.execute(.add("a"), on: Bag["x"])
    await #expect(throws: Bag.Refusal.taken("a")) { try await store.execute(.add("a"), on: Bag["x"]) }
    await #expect(throws: EventStoreError.versionConflict(stream: "Bag-x", expected: .exact(0), found: 1)) {
      try await store.execute(.add("b"), on: Bag["x", expecting: .exact(0)])
    }
    await #expect(throws: EventStoreError.self) {
      try await store.append(Append([NewEvent(type: "", payload: nil)], to: "x"))
    }
    await #expect(throws: Bag.Refusal.taken("a")) {
      try await store.transaction { try $0.execute(.add("a"), on: Bag["x"]) }
    }
    try await store.execute(.reserve(seat: 7), on: .boundary(SeatPlan.self))
    await #expect(throws: SeatPlan.Refusal.taken) {
      try await store.execute(.reserve(seat: 7), on: .boundary(SeatPlan.self))
    }
    #expect(store.head() == 2)
  }

  @Test func `an awaited command with an id is executed once`() async throws {
    let runs = Mutex(0)
    let store = MemoryEventStore()
    let first = try await store.execute(.add("a"), on: Bag["x"], commandID: "c")
    #expect(try await store.execute(.add("a"), on: Bag["x"], commandID: "c") == first)
    let error = await #expect(throws: EventStoreError.self) {
      try await store.execute(.reserve(seat: 1), on: .boundary(SeatPlan.self), commandID: "c")
    }
    #expect(error?.code == .commandReused)
    for _ in 0..<2 {
      try await store.transaction(commandID: "d") { transaction in
        runs.withLock { $0 += 1 }
        try transaction.execute(.add("b"), on: Bag["x"])
      }
    }
    #expect(runs.withLock { $0 } == 1)
    #expect(store.head() == 2)
  }

  @Test func `an awaited command that lost a race is decided again, at most 16 times`() async throws {
    for races in [1, .max] {
      let box = Mutex<MemoryEventStore?>(nil)
      let store = MemoryEventStore(
        environment: StoreEnvironment(hook: { moment in
          guard case .willAppend(let attempt) = moment, attempt <= races else { return }
          try box.withLock { $0 }?.append(Append([NewEvent(type: "Noise", payload: nil)], to: "Bag-x"))
        }))
      box.withLock { $0 = store }
      let result = await result { try await store.execute(.add("a"), on: Bag["x"]) }
      box.withLock { $0 = nil }
      if races == 1 {
        #expect(try result.get().versions == ["Bag-x": 2])
      } else {
        #expect(throws: EventStoreError.self) { _ = try result.get() }
        #expect(store.head() == 16)
      }
    }
  }

  @Test func `a command that is not Sendable can be given away`() async throws {
    #expect(try await MemoryEventStore().execute(Basket(), on: Fill["x"]).count == 2)
  }

  @MainActor
  @Test func `the main actor goes on while a command waits for the disk`() async throws {
    let goesOn = DispatchSemaphore(value: 0)
    let mainWasFree = Mutex(false)
    let store = MemoryEventStore(
      environment: StoreEnvironment(hook: { moment in
        // Only a job of the main actor lets the commit go on.
        guard case .willAppend = moment else { return }
        let isFree = waitHere(goesOn)
        mainWasFree.withLock { $0 = isFree }
      }))
    let command = Task { try await store.execute(.add("a"), on: Bag["x"]) }
    await Task.yield()
    await Task { @MainActor in _ = goesOn.signal() }.value
    #expect(try await command.value.position == 1)
    #expect(mainWasFree.withLock { $0 })
  }

  @Test func `sixteen commands wait at a time, and no thread of Swift's pool waits with them`() async throws {
    let arrived = Shared(0)
    let allAreThere = DispatchSemaphore(value: 0)
    let store = MemoryEventStore()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<16 {
        group.addTask {
          try await store.transaction { transaction in
            let count = arrived.withLock { count in
              count += 1
              return count
            }
            if count == 16 { allAreThere.signal() }
            let isThere = waitHere(allAreThere)
            allAreThere.signal()
            try transaction.execute(.add("a"), on: Bag["\(number)"])
            return isThere
          }
        }
      }
      for try await isThere in group { #expect(isThere) }
    }
    #expect(store.head() == 16)
  }

  @MainActor
  @Test func `an awaited commit on the main actor is delivered there before it returns`() async throws {
    for store in try stores() {
      let list = try list(store)
      for number in 1...20 {
        try await store.execute(.add("\(number)"), on: Bag["x"])
        #expect(list.results.rows.count == number)
      }
      try await store.append(Append([NewEvent(type: "BagAdded", payload: #""y""#)], to: "y"))
      #expect(list.results.rows.count == 21)
      try await store.transaction { try $0.execute(.add("z"), on: Bag["z"]) }
      #expect(list.results.rows.count == 22)
    }
  }

  @Test func `an awaited commit of an actor is delivered there before it returns`() async throws {
    actor Screen {
      let store: any EventStore
      init(_ store: any EventStore) { self.store = store }

      func counts() async throws -> [Int] {
        let list = try list(store)
        var counts: [Int] = []
        for number in 1...20 {
          try await store.execute(.add("\(number)"), on: Bag["x"])
          counts.append(list.results.rows.count)
        }
        return counts
      }
    }
    for store in try stores() { #expect(try await Screen(store).counts() == Array(1...20)) }
  }

  @Test func `an awaited commit of a nonisolated task is delivered before it returns`() async throws {
    for store in try stores() {
      let list = try list(store)
      for number in 1...20 {
        try await store.execute(.add("\(number)"), on: Bag["x"])
        #expect(list.results.rows.count == number)
      }
    }
  }

  @MainActor
  @Test func `observers outside the caller's actor get an awaited commit even while that actor is busy`() async throws {
    let (isDecided, goesOn, heard) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let store = MemoryEventStore(
      environment: StoreEnvironment(hook: { moment in
        guard case .willAppend = moment else { return }
        isDecided.signal()
        _ = waitHere(goesOn)
      }))
    let callers = Mutex<[Bool]>([])
    let token = store.runtime.watch { isolation in
      callers.withLock { $0.append(isolation === MainActor.shared) }
      heard.signal()
    }
    defer { token.cancel() }
    let command = Task { try await store.execute(.add("a"), on: Bag["x"]) }
    #expect(await wasSignalled(isDecided))
    goesOn.signal()
    // The main actor is held here, so that the caller cannot be back.
    #expect(waitHere(heard))
    #expect(callers.withLock { $0 } == [false])
    _ = try await command.value
    #expect(callers.withLock { $0 } == [false, true])
  }

  @Test func `a task that is cancelled before its commit begins adds nothing`() async throws {
    let store = MemoryEventStore()
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for call in 0..<4 {
        await #expect(throws: CancellationError.self) {
          switch call {
          case 0: try await store.execute(.add("a"), on: Bag["x"])
          case 1: try await store.execute(.reserve(seat: 1), on: .boundary(SeatPlan.self))
          case 2: try await store.append(Append([NewEvent(type: "T", payload: nil)], to: "x"))
          default: try await store.transaction { _ = try $0.execute(.add("a"), on: Bag["x"]) }
          }
        }
      }
    }
    await cancelled.value
    #expect(store.head() == 0)
  }

  @Test(arguments: [false, true])
  func `a task that is cancelled gets its receipt once the commit has begun, and adds nothing before`(
    hasBegun: Bool
  ) async throws {
    let moment: CommandStep = hasBegun ? .willAppend(attempt: 1) : .didRead(attempt: 1)
    let (isThere, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let store = MemoryEventStore(
      environment: StoreEnvironment(hook: { found in
        guard found == moment else { return }
        isThere.signal()
        _ = waitHere(goesOn)
      }))
    let command = Task { try await store.execute(.add("a"), on: Bag["x"]) }
    #expect(await wasSignalled(isThere))
    command.cancel()
    goesOn.signal()
    if hasBegun {
      #expect(try await command.value.position == 1)
      #expect(store.head() == 1)
    } else {
      await #expect(throws: CancellationError.self) { try await command.value }
      #expect(store.head() == 0)
    }
  }

  @Test func `a cancelled task whose turn has not come does not wait for it`() async throws {
    let (isThere, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let wasInTime = Mutex(false)
    let store = MemoryEventStore(
      environment: StoreEnvironment(hook: { moment in
        guard case .willAppend = moment else { return }
        isThere.signal()
        let isInTime = waitHere(goesOn)
        wasInTime.withLock { $0 = isInTime }
      }))
    let first = Task { try await store.execute(.add("a"), on: Bag["x"]) }
    #expect(await wasSignalled(isThere))
    let second = Task { try await store.execute(.add("b"), on: Bag["x"]) }
    try await Task.sleep(for: .milliseconds(20))
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    goesOn.signal()
    #expect(try await first.value.position == 1)
    #expect(store.head() == 1 && wasInTime.withLock { $0 })
  }

  @Test func `awaited and other commands of several tasks and threads lose nothing and add nothing twice`() async throws
  {
    let plans = Generator<[[Int]]>.array(of: .array(of: .int(in: 0...3), count: 1...24), count: 1...6)
    try await check(plans, .int(in: 0...1), settings: CheckSettings(examples: 40)) { plans, which in
      let store = try stores()[which]
      let accepted = Shared<[String]>([])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, plan) in plans.enumerated() {
          group.addTask {
            for (step, stream) in plan.enumerated() {
              let name = "\(step % 5)"
              let result: Result<Receipt, any Error> =
                if (number + step) % 3 == 0 {
                  Result { try plainly { try store.execute(.add(name), on: Bag["\(stream)"]) } }
                } else {
                  await result { try await store.execute(.add(name), on: Bag["\(stream)"]) }
                }
              do {
                let receipt = try result.get()
                accepted.withLock { $0.append("Bag-\(stream) \(name) \(receipt.position) \(receipt.count)") }
              } catch is Bag.Refusal {
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let events = try store.events(.all, after: 0, through: nil, limit: 10_000)
      // What was acknowledged is there once, where its receipt says, and nothing else is.
      let coder = JSONDecoder()
      let found = try events.map { event in
        let name = try coder.decode(String.self, from: Data((event.payload ?? "").utf8))
        return "\(event.stream.text) \(name) \(event.position) 1"
      }
      #expect(found.sorted() == accepted.withLock { $0.sorted() })
      #expect(events.map(\.position.rawValue) == Array(1..<events.count + 1))
      for (stream, events) in Dictionary(grouping: events, by: \.stream) {
        #expect(events.map(\.version) == Array(1...events.count), "\(stream)")
      }
      // Each stream has every name that was asked for, once.
      let wanted = Set(
        plans.flatMap { plan in plan.enumerated().map { "Bag-\($0.element) \($0.offset % 5)" } })
      #expect(Set(found.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }) == wanted)
      #expect(found.count == wanted.count)
    }
  }

  @Test func `commands that are cancelled at random are in the log if they were answered, and not otherwise`()
    async throws
  {
    for which in 0...1 {
      let store = try stores()[which]
      var random = SplitMix64(seed: 7)
      for round in 0..<60 {
        let before = try store.head()
        let tasks = (0..<8).map { number in
          Task {
            try await store.execute(.add("\(round) \(number)"), on: Bag["\(number % 3)"])
          }
        }
        for task in tasks where Bool.random(using: &random) {
          for _ in 0..<Int.random(in: 0...20, using: &random) { await Task.yield() }
          task.cancel()
        }
        var answered: Set<Position> = []
        for task in tasks {
          switch await task.result {
          case .success(let receipt): answered.insert(receipt.position)
          case .failure(let error): #expect(error is CancellationError)
          }
        }
        let head = try store.head()
        #expect(answered == Set((before.rawValue..<head.rawValue).map { Position($0 + 1) }))
      }
    }
  }

  @Test func `transactions of several tasks on the same streams all come through`() async throws {
    let store = try #require(try stores().last)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          for step in 0..<10 {
            try await store.transaction { transaction in
              try transaction.execute(.add("\(lane) \(step)"), on: Bag["a"])
              try transaction.execute(.add("\(lane) \(step)"), on: Bag["b"])
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.version(of: "Bag-a") == 40 && store.version(of: "Bag-b") == 40)
  }
}

/// A value that several tasks change.
private final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  func withLock<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer {
    value.withLock { value in
      var copy = value
      defer { value = copy }
      return body(&copy)
    }
  }
}

/// Runs a body where it is not in an asynchronous function.
private func plainly<T>(_ body: () throws -> T) rethrows -> T { try body() }

private func list(
  _ store: some EventStore, isolation: isolated (any Actor)? = #isolation
) throws -> FetchedResultsController<BagRow> {
  let list = FetchedResultsController(store: store, projection: Bags())
  try list.performFetch()
  return list
}

/// Waits on a thread of its own.
private func wasSignalled(_ semaphore: DispatchSemaphore) async -> Bool {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: waitHere(semaphore)) }
  }
}

/// Waits on the caller's thread, for a while: other tests may hold Swift's pool for minutes, of a busy machine for ten.
private func waitHere(_ semaphore: DispatchSemaphore) -> Bool { semaphore.wait(timeout: .now() + 1_500) == .success }

private func result(_ body: () async throws -> Receipt) async -> Result<Receipt, any Error> {
  do { return .success(try await body()) } catch { return .failure(error) }
}

private enum BagEvent: Event {
  case added(String)
}

private struct Bag: Decider {
  enum Command {
    case add(String)
  }

  enum Refusal: Error, Equatable {
    case taken(String)
  }

  var names: Set<String> = []

  func decide(_ command: Command) throws(Refusal) -> [BagEvent] {
    switch command {
    case .add(let name):
      if names.contains(name) { throw .taken(name) }
      return [.added(name)]
    }
  }

  mutating func evolve(_ event: BagEvent) {
    if case .added(let name) = event { names.insert(name) }
  }
}

/// A command that is an object.
private final class Basket {
  let names = ["a", "b"]
}

private struct Fill: Decider {
  func decide(_ command: Basket) -> [BagEvent] { command.names.map { .added($0) } }
  mutating func evolve(_ event: BagEvent) {}
}

private struct BagRow: Row {
  let id: String
}

private struct Bags: Projection {
  func project(_ event: BagEvent, into rows: inout Rows<BagRow>) {}

  func project(_ recorded: Recorded<BagEvent>, into rows: inout Rows<BagRow>) {
    rows.insert(BagRow(id: "\(recorded.position)"))
  }
}

private enum SeatEvent: Event {
  case reserved(seat: Int)

  var tags: Set<EventTag> {
    switch self {
    case .reserved(let seat): [EventTag("seat:\(seat)")]
    }
  }
}

private struct SeatPlan: BoundaryDecider {
  enum Command {
    case reserve(seat: Int)
  }

  enum Refusal: Error {
    case taken
  }

  var isTaken = false

  static func boundary(for command: Command) -> EventQuery {
    switch command {
    case .reserve(let seat): .tagged(EventTag("seat:\(seat)"))
    }
  }

  func decide(_ command: Command) throws(Refusal) -> [SeatEvent] {
    if isTaken { throw .taken }
    switch command {
    case .reserve(let seat): return [.reserved(seat: seat)]
    }
  }

  mutating func evolve(_ event: SeatEvent) { isTaken = true }
}

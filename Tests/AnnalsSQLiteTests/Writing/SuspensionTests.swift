import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import AnnalsSQLite

/// Stores that take no write lock while the system might suspend the process.
@Suite struct SuspensionTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("log") }

  init() throws { folder = try TemporaryFolder() }

  private static func event(_ id: Int) throws -> NewEvent {
    try EventCoder<ToolEvent>().encode(.bought(Tool(id: id, name: Personal("n", of: "s"), shelf: "a")))
  }

  private func buy(_ id: Int, in store: SQLiteEventStore) throws {
    try store.append(Append([Self.event(id)], to: "Tools-1"))
  }

  private func expectSuspended(_ what: String, _ body: () throws -> Void) {
    let error = #expect(throws: EventStoreError.self, "\(what)") { try body() }
    #expect(error?.code == .suspended, "\(what): \(String(describing: error))")
  }

  @Test func `every write is refused, and reads work`() throws {
    let store = try SQLiteEventStore(path: path)
    for id in 0..<10 { try buy(id, in: store) }
    let draft = try store.draft(named: "d", deciders: .of(Shop.self))
    let list = FetchedResultsController(
      store: store, projection: Tools(), request: ListRequest(), cacheName: "tools")
    try list.performFetch()
    let before = try store.head()
    #expect(store.suspend())
    #expect(!store.suspend())
    expectSuspended("append") { try buy(10, in: store) }
    expectSuspended("group") { _ = try store.commit([Append([Self.event(10)], to: "s")]) }
    expectSuspended("command") { try store.execute(10, on: Shop["1"], commandID: "c") }
    expectSuspended("draft") { try draft.execute(11, on: Shop["1"]) }
    expectSuspended("merge") { try draft.merge(commandID: "m") }
    expectSuspended("new draft") { _ = try store.draft(named: "e", deciders: .of(Shop.self)).execute(1, on: Shop["1"]) }
    expectSuspended("checkpoint") { _ = try store.checkpoints?.setCheckpoint(named: "f", to: 1, from: nil) }
    expectSuspended("erasure") { _ = try store.erase(subject: "s") }
    expectSuspended("list") { try list.saveCache() }
    #expect(try store.head() == before)
    #expect(try store.verify().isSound)
    list.refresh()
    #expect(list.failure == nil && list.rowCount == 10)

    #expect(store.resume())
    #expect(!store.resume())
    try store.execute(10, on: Shop["1"], commandID: "c")
    try draft.execute(11, on: Shop["1"])
    try draft.merge(commandID: "m")
    try list.saveCache()
    _ = try store.erase(subject: "s")
    #expect(try store.head() == Position(before.rawValue + 2))
  }

  @Test func `a reader can be suspended too`() throws {
    let store = try SQLiteEventStore(path: path)
    try buy(0, in: store)
    let reader = try SQLiteEventStore(readingFrom: path)
    #expect(reader.suspend() && !reader.suspend())
    #expect(try reader.head() == 1)
    #expect(reader.resume() && !reader.resume())
  }

  @Test func `a suspended store that is closed loses no commits`() throws {
    do {
      let store = try SQLiteEventStore(path: path)
      for id in 0..<10 { try buy(id, in: store) }
      store.suspend()
      store.close()
    }
    #expect(FileSystem.size(path + "-wal") > 0)
    let store = try SQLiteEventStore(path: path)
    #expect(try store.head() == 10)
    #expect(try store.verify().isSound)
  }

  @Test func `a write that waits for another connection's lock ends when the store is suspended`() async throws {
    // On a full machine this test can wait for its turn longer than for the default minute.
    let store = try SQLiteEventStore(path: path, patience: .seconds(86_400))
    try buy(0, in: store)
    let other = try TestDatabase(path)
    for _ in 0..<20 {
      try other.execute("BEGIN IMMEDIATE")
      let started = AsyncStream.makeStream(of: Void.self)
      let append = Task.detached {
        started.continuation.yield()
        _ = try store.commit(Append([Self.event(1)], to: "Tools-1"))
      }
      for await _ in started.stream { break }
      #expect(store.suspend())
      // The other connection still has its lock, so this doesn't return before the wait ends.
      let error = await #expect(throws: EventStoreError.self) { _ = try await append.value }
      #expect(error?.code == .suspended)
      try other.execute("ROLLBACK")
      #expect(store.resume())
    }
    #expect(try store.head() == 1)
  }

  @Test func `suspending a store waits for the write in progress`() async throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let events = try (0..<8_000).map { try Self.event($0) }
    // No other thread copies commits under the write lock.
    try #require(store.writer).handOver.withLock { $0 = { _ in } }
    let other = try SQLiteConnection(path: path, access: .write, patience: .zero)
    func isLocked() -> Bool { (try? other.execute("BEGIN IMMEDIATE; ROLLBACK")) == nil }
    var (round, isSeen) = (0, false)
    while !isSeen {
      round += 1
      let isDone = Flag()
      let append = Task.detached {
        defer { isDone.value.withLock { $0 = true } }
        _ = try store.commit(Append(events, to: "Tools-1"))
      }
      // A round in which the append was faster isn't counted.
      while !isLocked(), !isDone.value.withLock({ $0 }) { await Task.yield() }
      isSeen = !isDone.value.withLock({ $0 })
      #expect(store.suspend())
      #expect(!isLocked())
      let head = try store.head()
      try await append.value
      #expect(head == Position(round * events.count))
      #expect(store.resume())
    }
    other.close()
  }

  @Test func `commits are not copied into the log's own file while the store is suspended`() throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let copies = Mutex<[@Sendable () -> Void]>([])
    try #require(store.writer).handOver.withLock { $0 = { copy in copies.withLock { $0.append(copy) } } }
    let size = FileSystem.size(path)
    let events = try (0..<30_000).map { try Self.event($0) }
    try store.append(Append(events, to: "Tools-1"))
    store.suspend()
    for copy in copies.withLock({ $0 }) { copy() }
    #expect(copies.withLock { $0.count } == 1)
    #expect(FileSystem.size(path) == size)
    store.resume()
    #expect(copies.withLock { $0.count } == 2)
    for copy in copies.withLock({ $0 }) { copy() }
    #expect(FileSystem.size(path) > size)
  }

  @MainActor
  @Test func `lists and followers catch up after the store is resumed, and no event is handled twice`() async throws {
    let store = try SQLiteEventStore(path: path)
    let other = try SQLiteEventStore(path: path)
    let list = FetchedResultsController(store: store, projection: Tools(), request: ListRequest())
    try list.performFetch()
    let changes = list.changes
    let (handled, news) = AsyncStream.makeStream(of: Int.self)
    let follower = try EventFollower("f", of: ToolEvent.self, in: store, startingAt: .beginning) { event, _ in
      guard case .bought(let tool) = event.event else { return }
      // The position of every third event can't be saved at first.
      if tool.id % 3 == 0 { store.suspend() }
      news.yield(tool.id)
    }
    let running = Task { try await follower.run() }
    var ids = handled.makeAsyncIterator()
    for id in 0..<30 {
      // The commit of another store, which is not announced while the store is suspended.
      try buy(id, in: other)
      if id % 3 == 1 { store.resume() }
      if id % 3 == 0 { #expect(await ids.next() == id) }
      if id % 3 == 2 {
        #expect(await ids.next() == id - 1)
        #expect(await ids.next() == id)
      }
    }
    for await _ in changes where list.rowCount == 30 { break }
    #expect(list.failure == nil)
    running.cancel()
    try await running.value
    #expect(try await follower.catchUp() == 30)
    news.finish()
    #expect(await ids.next() == nil)
  }

  #if os(macOS) || os(Linux)
    @Test func `the process that looks for locks finds them`() async throws {
      let store = try SQLiteEventStore(path: path)
      try buy(0, in: store)
      let database = try TestDatabase(path)
      try database.execute("BEGIN IMMEDIATE")
      #expect(try await locks() == ["lock -shm 120"])
      try database.execute("ROLLBACK")
      #expect(try await locks() == [])
    }

    /// Several threads append, a follower saves its positions, a list is saved, and commits are copied.
    ///
    /// At a random moment of all that, the store is suspended.
    @MainActor
    @Test func `no write lock is held after a store is suspended at any moment under load`() async throws {
      let store = try SQLiteEventStore(path: path, durability: .process)
      let list = FetchedResultsController(
        store: store, projection: Tools(), request: ListRequest(sort: [.descending(\.id)]), cacheName: "tools")
      try list.performFetch()
      let follower = try EventFollower("f", of: ToolEvent.self, in: store, startingAt: .beginning) { _, _ in }
      let running = Task.detached { try await follower.run() }
      let load = Load()
      let threads = (0..<3).map { number in
        Task.detached {
          while let id = await load.next() {
            // The same command until it is acknowledged.
            while true {
              do {
                let stream = StreamName("Tools-\(number)")
                let receipt = try store.commit(
                  Append([Append.Entry(stream: stream, event: Self.event(id))], commandID: "c\(id)"))
                load.note(receipt.isRepeated ? "repeated" : nil)
                break
              } catch let error as EventStoreError where error.code == .suspended {
                await load.resumed()
              }
            }
          }
        }
      }
      var chance = SystemRandomNumberGenerator()
      for round in 0..<12 {
        load.allow(60)
        let aim = load.count + Int.random(in: 1...30, using: &chance)
        while load.count < aim { await Task.yield() }
        #expect(store.suspend())
        load.suspend()
        #expect(try await locks() == [], "round \(round)")
        store.resume()
        load.resume()
      }
      load.end()
      for thread in threads { try await thread.value }
      #expect(load.problems == [])
      #expect(try store.head() == Position(load.count))
      #expect(try await follower.catchUp() == Position(load.count))
      running.cancel()
      try await running.value
      #expect(try store.verify().isSound)
    }

    /// Returns the write locks on the log that another process sees in a thousand looks.
    private func locks() async throws -> [String] {
      let path = path
      let (lines, talk, status) = try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(with: Result { try ChildProcess("locks", path, "1", "1000").finish() })
        }
      }
      try #require(status == 0 && lines.contains("done"), "\(talk)")
      return lines.filter { $0.hasPrefix("lock") }
    }
  #endif
}

private struct Shop: Decider {
  typealias Command = Int

  static func stream(_ id: String) -> StreamName { StreamName("Tools-shop-\(id)") }

  func decide(_ command: Int) -> [ToolEvent] { [.bought(Tool(id: command, name: Personal("n", of: "s"), shelf: "a"))] }
  mutating func evolve(_ event: ToolEvent) {}
}

/// The commands of several threads, which wait while the store is suspended.
private final class Load: Sendable {
  private struct State {
    var allowed = 0
    var started = 0
    var done = 0
    var isOver = false
    var isSuspended = false
    var problems: [String] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.done } }
  var problems: [String] { state.withLock { $0.problems } }

  func note(_ problem: String?) {
    state.withLock { state in
      state.done += 1
      if let problem { state.problems.append(problem) }
    }
  }

  func allow(_ count: Int) { change { $0.allowed += count } }
  func suspend() { change { $0.isSuspended = true } }
  func resume() { change { $0.isSuspended = false } }
  func end() { change { $0.isOver = true } }

  /// Returns the number of the next command as soon as it is allowed, or `nil` after the end.
  func next() async -> Int? {
    await wait { $0.isOver || $0.started < $0.allowed }
    return state.withLock { state in
      // Another thread might have taken the last number that is allowed, which does no harm.
      if state.isOver { return nil }
      state.started += 1
      return state.started
    }
  }

  /// Returns as soon as the store isn't suspended.
  func resumed() async { await wait { !$0.isSuspended } }

  private func change(_ body: (inout State) -> Void) {
    let waiting = state.withLock { state in
      body(&state)
      defer { state.waiting = [] }
      return state.waiting
    }
    for each in waiting { each.resume() }
  }

  private func wait(until isReady: @Sendable (State) -> Bool) async {
    while true {
      if state.withLock({ isReady($0) }) { return }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          let isReady = isReady(state)
          if !isReady { state.waiting.append(continuation) }
          return isReady
        }
        if isReady { continuation.resume() }
      }
    }
  }
}

private final class Flag: Sendable {
  let value = Mutex(false)
}

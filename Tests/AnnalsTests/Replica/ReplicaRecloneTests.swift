import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing
@testable import Annals
@testable import AnnalsLog
@testable import AnnalsRemote

/// The replacement of a copy after its server's log was replaced.
@Suite struct ReplicaRecloneTests {
  private let remote: MemoryRemoteStore
  private let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path

  private init(remote: MemoryRemoteStore) { self.remote = remote }
  init() { self.init(remote: MemoryRemoteStore()) }

  private func everything(_ store: any EventStore) throws -> [StoredEvent] {
    try store.events(.all, after: 0, through: nil, limit: 100_000)
  }

  private func write(_ words: [String]) throws {
    for word in words { try remote.server.execute(word, on: DistantBook["a"]) }
  }

  /// Writes some words, copies them, writes more words, copies them, and then restores the server to the first words,
  /// followed by other words.
  private func replace(
    _ local: any EventStore, _ first: [String] = ["one", "two"], lost: [String] = ["three", "four", "five"],
    other: [String] = ["drei", "vier"]
  ) async throws -> Replica {
    let replica = Replica(of: remote, in: local, pageSize: 2)
    try write(first)
    let backup = remote.server.backup()
    try write(lost)
    try await replica.catchUp()
    remote.server.restore(backup)
    try write(other)
    return replica
  }

  private func removeFile() {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
  }

  /// A store in memory and a store in a file.
  private func stores() throws -> [any EventStore] {
    [MemoryEventStore(), try SQLiteEventStore(path: path, durability: .process)]
  }

  @Test func `The new log replaces the copy, and the receipt has the last common position`() async throws {
    for local in try stores() {
      let remote = MemoryRemoteStore()
      let tests = Self(remote: remote)
      let replica = try await tests.replace(local)
      let error = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
      #expect(error?.code == .replaced && error?.message.contains("reclone()") == true)
      var seen: [LogProgress] = []
      let receipt = try await replica.recloned { seen.append($0) }
      #expect(receipt == Recloned(position: 4, common: 2) && !receipt.isUnchanged)
      #expect(seen.last == LogProgress(position: 4, end: 4))
      #expect(try everything(replica.log) == everything(remote.server))
      #expect(try replica.log.version(of: "DistantBook-a") == 4)
      #expect(try local.revision().rebases > 0 && local.revision().number > 0)
      guard case .current = replica.status.activity else {
        Issue.record("the activity is not current")
        return
      }
      #expect(replica.status.progress == LogProgress(position: 4, end: 4))
      // The copy follows the new log.
      try tests.write(["fünf"])
      #expect(try await replica.catchUp() == 5)
      #expect(try everything(replica.log) == everything(remote.server))
    }
    removeFile()
  }

  @Test @MainActor func `A copy that fits the remote log only gets the new events`() async throws {
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    let list = FetchedResultsController(store: replica.log, projection: DistantWords())
    try list.performFetch()
    try write(["one"])
    #expect(try await replica.recloned() == Recloned(position: 1, common: nil))
    #expect(list.fetchedObjects.count == 1)
    try write(["two"])
    let receipt = try await replica.recloned()
    #expect(receipt.isUnchanged && receipt.position == 2)
    #expect(list.fetchedObjects.count == 2)
    #expect(local.revision() == .original)
  }

  @Test @MainActor func `A list on screen keeps its rows until the new log is complete, and then changes in one batch`()
    async throws
  {
    let first = (1...20).map { "w\($0)" }
    let other = (1...30).map { "x\($0)" }
    let replica = try await replace(MemoryEventStore(), first, other: other)
    let list = FetchedResultsController(store: replica.log, projection: DistantWords())
    try list.performFetch()
    let old = Set(first + ["three", "four", "five"])
    #expect(Set(list.fetchedObjects.map(\.id)) == old)
    var causes: [ChangeCause] = []
    let token = list.observe { causes.append($0.cause) }
    var pages = 0
    let receipt = try await replica.recloned { progress in
      guard progress.position < progress.end else { return }
      pages += 1
      // Every reader continues to read the old copy, for example a list that is opened now.
      #expect(try replica.log.head() == 23)
      let other = FetchedResultsController(store: replica.log, projection: DistantWords())
      try other.performFetch()
      #expect(Set(other.fetchedObjects.map(\.id)) == old)
      #expect(Set(list.fetchedObjects.map(\.id)) == old)
    }
    #expect(pages > 1 && receipt.common == 20)
    #expect(Set(list.fetchedObjects.map(\.id)) == Set(first + other))
    #expect(causes == [[.events, .rebase]])
    #expect(list.failure == nil)
    withExtendedLifetime(token) {}
  }

  @Test @MainActor func `A list becomes shorter if the new log is shorter, even if it is empty`() async throws {
    for local in try stores() {
      let tests = Self()
      let replica = try await tests.replace(local, [], lost: (1...300).map { "w\($0)" }, other: [])
      let list = FetchedResultsController(store: replica.log, projection: DistantWords())
      try list.performFetch()
      #expect(list.fetchedObjects.count == 300)
      #expect(try await replica.recloned() == Recloned(position: 0, common: 0))
      #expect(list.fetchedObjects.isEmpty)
      try tests.write(["one"])
      try await replica.catchUp()
      #expect(list.fetchedObjects.map(\.id) == ["one"])
    }
    removeFile()
  }

  @Test @MainActor func `A saved list of the old log isn't used for the new log`() async throws {
    for local in try stores() {
      let tests = Self()
      let replica = try await tests.replace(local, (1...300).map { "w\($0)" })
      func open() throws -> FetchedResultsController<DistantWord> {
        let list = FetchedResultsController(store: replica.log, projection: DistantWords(), cacheName: "words")
        try list.performFetch()
        return list
      }
      try open().saveCache()
      let shown = try open()
      #expect(shown.fetchedObjects.count == 303)
      try await replica.reclone()
      #expect(try open().fetchedObjects.count == 302)
      #expect(shown.fetchedObjects.count == 302 && shown.fetchedObjects.contains { $0.id == "vier" })
    }
    removeFile()
  }

  @Test @MainActor func `A saved list on screen with unread pages keeps the rows of the old log until it changes`()
    async throws
  {
    // Both logs have the same number of rows and the same first rows, so the pages of both logs' lists look the same.
    let (count, first) = (8_000, "w\(10_000)")
    func words(_ prefix: String) -> [String] { [first] + (1..<count).map { "\(prefix)\(10_000 + $0)" } }
    for isOther in [false, true] {
      let tests = Self()
      defer { tests.removeFile() }
      let local = try SQLiteEventStore(path: tests.path, durability: .process)
      let replica = Replica(of: tests.remote, in: local)
      let empty = tests.remote.server.backup()
      func write(_ words: [String]) throws {
        let coder = try EventCoder<DistantBookEvent>()
        _ = try tests.remote.server.commit(Append(words.map { try coder.encode(.distantWordWritten($0)) }, to: "s"))
      }
      try write(words("w"))
      try await replica.catchUp()
      func open() throws -> FetchedResultsController<DistantWord> {
        let list = FetchedResultsController(store: replica.log, projection: DistantWords(), cacheName: "words")
        try list.performFetch()
        return list
      }
      try open().saveCache()
      let (list, unread) = (try open(), try open())
      #expect(list.cacheReport.restored == Position(count) && list.cacheReport.pagesRead < 20)
      let shown = list.results
      tests.remote.server.restore(empty)
      try write(words("x"))
      let (readings, reading) = AsyncStream.makeStream(of: (last: String?, problem: String?).self)
      // The report loses its problem when the new list is saved after the delivery.
      let unreadToken = unread.observe { [unowned unread] changes in
        reading.yield((changes.new.rows.last?.id, unread.cacheReport.problem))
      }
      let (deliveries, deliver) = AsyncStream.makeStream(of: Void.self)
      let token = list.observe { changes in
        // Every row of an old list is a row of the old log.
        #expect(changes.old.rows.allSatisfy { $0.id.hasPrefix("w") })
        deliver.yield()
      }
      if isOther {
        // Another process has no list to read before it replaces the copy.
        let other = try SQLiteEventStore(path: tests.path, durability: .process)
        try await Replica(of: tests.remote, in: other).reclone()
        // A read before the list notices the change doesn't find rows of the new log.
        #expect(shown.rows.dropFirst().allSatisfy { !$0.id.hasPrefix("x") })
        for await _ in deliveries where list.results.rows.last?.id.hasPrefix("x") == true { break }
        for await (last, problem) in readings where last?.hasPrefix("x") == true {
          // The list discarded its unread pages before any page was read.
          #expect(problem?.contains("all events were replaced") == true)
          break
        }
        other.close()
      } else {
        try await replica.reclone()
        #expect(shown.rows.map(\.id) == words("w"))
      }
      for shown in [list, unread] { #expect(shown.results.rows.map(\.id) == words("x")) }
      withExtendedLifetime((token, unreadToken)) {}
      local.close()
    }
  }

  @Test func `A follower handles every event of the new log that it hasn't handled, and no event twice`() async throws {
    for local in try stores() {
      for handled in 0...5 {
        guard handled == 0 || local is MemoryEventStore else { continue }
        let tests = Self()
        let store: any EventStore = local is MemoryEventStore ? MemoryEventStore() : local
        let replica = try await tests.replace(store)
        let words = Mutex<[String]>([])
        struct Enough: Error {}
        let follower = try EventFollower(
          "mailer", of: DistantBookEvent.self, in: replica.log, startingAt: .beginning
        ) { recorded, context in
          #expect(!context.isReplay)
          let count = words.withLock { words in
            guard case .distantWordWritten(let word) = recorded.event else { return 0 }
            words.append(word)
            return words.count
          }
          if replica.status.progress?.position == 5, count > handled { throw Enough() }
        }
        if handled < 5 {
          await #expect(throws: ProjectionError.self) { try await follower.catchUp() }
          words.withLock { _ = $0.removeLast() }
        } else {
          try await follower.catchUp()
        }
        #expect(words.withLock { $0.count } == handled)
        try await replica.reclone()
        #expect(try follower.position == Position(min(handled, 2)))
        try await follower.catchUp()
        let all = ["one", "two", "three", "four", "five"]
        let new = ["one", "two", "drei", "vier"].dropFirst(min(handled, 2))
        #expect(words.withLock { $0 } == Array(all.prefix(handled)) + Array(new))
      }
    }
    removeFile()
  }

  @Test func `The call waits for a follower that is handling an event, so that no old position is saved`() async throws
  {
    let (retries, retry) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    let environment = StoreEnvironment(sleep: { _ in
      await withCheckedContinuation { retry.yield($0) }
    })
    let replica = try await replace(MemoryEventStore(environment: environment))
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let (goes, go) = AsyncStream.makeStream(of: Void.self)
    let follower = try EventFollower(
      "mailer", of: DistantBookEvent.self, in: replica.log, startingAt: .beginning, batchSize: 100
    ) { _, _ in
      start.yield()
      for await _ in goes { break }
    }
    let turn = Task { try await follower.catchUp() }
    for await _ in started { break }
    let call = Task { try await replica.recloned() }
    // The call retries to claim the follower.
    for await waiting in retries {
      #expect(try replica.log.head() == 5)
      go.finish()
      #expect(try await turn.value == 5)
      waiting.resume()
      break
    }
    #expect(try await call.value.common == 2)
    #expect(try follower.position == 2)
  }

  @Test func `The code of a follower can wait for the replica while the call waits for the follower`() async throws {
    let (retries, retry) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    let environment = StoreEnvironment(sleep: { _ in
      await withCheckedContinuation { retry.yield($0) }
    })
    let replica = try await replace(MemoryEventStore(environment: environment))
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let (goes, go) = AsyncStream.makeStream(of: Void.self)
    let codes = Mutex<[EventStoreError.Code]>([])
    let follower = try EventFollower(
      "mailer", of: DistantBookEvent.self, in: replica.log, startingAt: .beginning, batchSize: 100
    ) { _, _ in
      start.yield()
      for await _ in goes { break }
      do { try await replica.wait(for: 5) } catch let error as EventStoreError {
        codes.withLock { $0.append(error.code) }
      }
    }
    let turn = Task { try await follower.catchUp() }
    for await _ in started { break }
    let call = Task { try await replica.recloned() }
    for await waiting in retries {
      go.finish()
      #expect(try await turn.value == 5)
      waiting.resume()
      break
    }
    #expect(try await call.value.common == 2)
    #expect(codes.withLock { $0 } == [.replaced])
    #expect(try everything(replica.log) == everything(remote.server))
  }

  @Test(arguments: [false, true])
  func `A follower whose app was suspended handles a new event at the position of an old event`(
    isSuspendedAtTheEnd: Bool
  ) async throws {
    defer { removeFile() }
    let local = try SQLiteEventStore(path: path, durability: .process)
    let other = try SQLiteEventStore(path: path, durability: .process)
    defer {
      local.close()
      other.close()
    }
    let replica = Replica(of: remote, in: local)
    try write(["one", "two"])
    let backup = remote.server.backup()
    try await replica.catchUp()
    let words = Mutex<[String]>([])
    @Sendable func replace() async throws {
      remote.server.restore(backup)
      try await remote.server.execute("drei", on: DistantBook["a"])
      try await Replica(of: MemoryRemoteStore(remote.server), in: other).reclone()
    }
    let follower = try EventFollower(
      "mailer", of: DistantBookEvent.self, in: replica.log, startingAt: .beginning
    ) { recorded, _ in
      guard case .distantWordWritten(let word) = recorded.event else { return }
      words.withLock { $0.append(word) }
      if word != "three" { return }
      // The call releases the follower's claim.
      local.suspend()
      if isSuspendedAtTheEnd { return }
      try await replace()
      local.resume()
    }
    #expect(try await follower.catchUp() == 2)
    try write(["three"])
    try await replica.catchUp()
    if isSuspendedAtTheEnd {
      let error = await #expect(throws: EventStoreError.self) { try await follower.catchUp() }
      #expect(error?.code == .suspended)
      try await replace()
      local.resume()
    }
    #expect(try await follower.catchUp() == 3)
    #expect(words.withLock { $0 } == ["one", "two", "three", "drei"])
  }

  @Test func `Positions that a follower skips in the old log aren't skipped in the new log`() async throws {
    let local = MemoryEventStore()
    let replica = try await replace(local)
    var work = try FollowerWork<DistantBookEvent>(
      name: "mailer", version: 1, store: local, checkpoints: try #require(local.checkpoints), query: .all,
      policy: ReadingPolicy(), batchSize: 10)
    let claim = try work.claimed()
    var skipped: Set<Position> = [3]
    try work.begin(claim, skipping: &skipped)
    #expect(skipped == [3])
    // A suspended app releases its claims.
    claim.release()
    try await replica.reclone()
    guard case .handle(let step) = try work.next(skipping: &skipped) else {
      Issue.record("expected events for the code")
      return
    }
    #expect(step.positions == [1, 2, 3, 4] && skipped.isEmpty)
    work.end()
  }

  @Test func `A follower can skip the first event of a new log`() async throws {
    let local = MemoryEventStore()
    try await replace(local).reclone()
    var work = try FollowerWork<DistantBookEvent>(
      name: "mailer", version: 1, store: local, checkpoints: try #require(local.checkpoints), query: .all,
      policy: ReadingPolicy(), batchSize: 10)
    #expect(try work.pass(1))
  }

  private struct FollowerFailed: Error {}

  @Test func `The position of an event of the old log isn't skipped in the new log`() async throws {
    let local = MemoryEventStore()
    let replica = try await replace(local)
    let follower = try EventFollower("mailer", of: DistantBookEvent.self, in: replica.log, startingAt: .beginning) {
      _, _ in
      throw FollowerFailed()
    }
    await #expect(throws: ProjectionError.self) { try await follower.catchUp() }
    try await replica.reclone()
    #expect(try await !follower.skip(1))
    await #expect(throws: ProjectionError.self) { try await follower.catchUp() }
    #expect(try await follower.skip(1))
  }

  @Test func `A follower that starts at the end while the copy is replaced starts at most at the new end`() throws {
    let local = MemoryEventStore()
    for word in ["one", "two"] { try local.execute(word, on: DistantBook["a"]) }
    let event = try EventCoder<DistantBookEvent>().encode(.distantWordWritten("eins"))
    let store = OvertakenStore(local, at: .read) { try local.replaceAll(with: [Append([event], to: "s")]) }
    let follower = try EventFollower("mailer", of: DistantBookEvent.self, in: store, startingAt: .end) { _, _ in }
    #expect(try local.head() == 1 && follower.position == 1)
  }

  @Test func `A follower that another process starts first has the position of that start`() throws {
    let local = MemoryEventStore()
    for word in ["one", "two"] { try local.execute(word, on: DistantBook["a"]) }
    let store = OvertakenStore(local, at: .read) {
      _ = try local.checkpoints?.setCheckpoint(named: FollowerCheckpoint.furthest("mailer"), to: 1, from: nil)
    }
    let follower = try EventFollower("mailer", of: DistantBookEvent.self, in: store, startingAt: .end) { _, _ in }
    #expect(try follower.position == 1)
  }

  @Test func `A subscription that has delivered events of the old log throws`() async throws {
    let replica = try await replace(MemoryEventStore())
    var batches = replica.log.subscription(after: 0).makeAsyncIterator()
    #expect(try await batches.next()?.position == 5)
    try await replica.reclone()
    let error = await #expect(throws: EventStoreError.self) { try await batches.next() }
    #expect(error?.code == .replaced && error?.message.contains("reclone") == true)
    var again = replica.log.subscription(after: 2).makeAsyncIterator()
    #expect(try await again.next()?.events.map(\.position) == [3, 4])
  }

  @Test func `A subscription delivers the old log's events while the copy is being replaced`() async throws {
    let replica = try await replace(MemoryEventStore())
    let delivered = Mutex<[Position]>([])
    let log = replica.log
    remote.onCalls { _, _ in
      var batches = log.subscription(after: 3).makeAsyncIterator()
      let position = try await batches.next()?.position
      delivered.withLock { if let position { $0.append(position) } }
    }
    try await replica.reclone()
    let found = delivered.withLock { $0 }
    // The last calls see the new copy, which has one event after position 3.
    #expect(found.first == 5 && found.last == 4 && found == found.sorted(by: >), "\(found)")
  }

  @Test func `An inline list changes from the old log to the new log in one transaction`() async throws {
    for local in try stores() {
      let tests = Self()
      let replica = try await tests.replace(local)
      let list = try replica.log.keepList(of: DistantWords(), request: ListRequest(), cacheName: "words")
      let (old, new) = (["one", "two", "three", "four", "five"], ["one", "two", "drei", "vier"])
      let seen = Mutex<Set<Set<String>>>([])
      tests.remote.onCalls { _, _ in
        let words = Set(list.results.rows.map(\.id))
        seen.withLock { _ = $0.insert(words) }
      }
      try await replica.reclone()
      #expect(seen.withLock { $0 } == [Set(old), Set(new)])
      #expect(Set(list.results.rows.map(\.id)) == Set(new) && list.failure == nil)
    }
    removeFile()
  }

  @Test func `A floating branch follows the new log, and a fixed branch throws until it is rebased`() async throws {
    let replica = try await replace(MemoryEventStore())
    let (floating, fixed) = (try replica.log.branch(floating: true), try replica.log.branch())
    for branch in [floating, fixed] {
      try await branch.execute("mine", on: DistantBook["a"])
      #expect(try branch.head() == 6)
    }
    try await replica.reclone()
    #expect(try floating.head() == 5)
    #expect(try everything(floating).map(\.position) == [1, 2, 3, 4, 5])
    let error = #expect(throws: EventStoreError.self) { try fixed.head() }
    #expect(error?.code == .rewritten && error?.message.contains("rebase()") == true)
    try fixed.rebase()
    #expect(try everything(fixed).dropLast() == everything(replica.log)[...])
  }

  @Test func `A branch of a floating branch throws if its events before the fork were replaced`() async throws {
    let replica = try await replace(MemoryEventStore(), other: ["drei", "vier", "fünf"])
    let middle = try replica.log.branch(floating: true)
    let inner = try middle.branch()
    try await inner.execute("mine", on: DistantBook["a"])
    #expect(try inner.head() == 6)
    try await replica.reclone()
    #expect(try everything(middle) == everything(remote.server))
    let error = #expect(throws: EventStoreError.self) { try inner.head() }
    #expect(error?.code == .rewritten)
    try inner.rebase()
    #expect(try everything(inner).dropLast() == everything(remote.server)[...])
  }

  @Test(arguments: [false, true]) @MainActor
  func `The rows of a long list are rebuilt on another thread than the main thread`(isBranch: Bool) async throws {
    // The new log isn't longer than the old log, so no new events cause the work on another thread.
    let (first, other) = ((1...3_000).map { "w\($0)" }, ["drei", "vier"])
    let replica = try await replace(MemoryEventStore(), first, other: other)
    let projection = ThreadWords()
    let branch = try replica.log.branch(floating: true)
    if isBranch { try await branch.execute("mine", on: DistantBook["a"]) }
    let list =
      isBranch
      ? FetchedResultsController(store: branch, projection: projection)
      : FetchedResultsController(store: replica.log, projection: projection)
    try list.performFetch()
    projection.onMain.withLock { $0 = [] }
    let (changes, change) = AsyncStream.makeStream(of: Set<String>.self)
    let token = list.observe { change.yield(Set($0.new.rows.map(\.id))) }
    let new = Set(first + other + (isBranch ? ["mine"] : []))
    try await replica.reclone()
    // The list of a branch changes after the branch has re-decided its commands.
    if isBranch { for await rows in changes where rows == new { break } }
    #expect(Set(list.fetchedObjects.map(\.id)) == new)
    #expect(projection.onMain.withLock { $0.count } == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `Every failed call of the store leaves the old copy or the whole new copy`() async throws {
    for way in [StoreFault.Way.notDone, .answerLost] {
      var outcomes: [String: Int] = [:]
      for number in 1... {
        let tests = Self()
        let local = MemoryEventStore()
        _ = try await tests.replace(local)
        let (old, new) = (try everything(local), try everything(tests.remote.server))
        let faulty = FaultyStore(local)
        faulty.fail(StoreFault(number: number, way: way))
        do { try await Replica(of: tests.remote, in: faulty, pageSize: 2).reclone() } catch {}
        if faulty.failed == 0 { break }
        let shown = try everything(Replica.copy(in: local))
        #expect(shown == old || shown == new, "call \(number)")
        outcomes[shown == old ? "old" : "new", default: 0] += 1
        let other = Replica(of: tests.remote, in: local)
        #expect(try await other.recloned().isUnchanged == (shown == new))
        #expect(try everything(other.log) == new)
      }
      #expect(outcomes["old"] ?? 0 > 0 && outcomes["new"] ?? 0 > 0, "\(outcomes)")
    }
  }

  @Test func `A call that is stopped while it reads leaves the old copy, and a later call replaces it`() async throws {
    struct Enough: Error {}
    let local = MemoryEventStore()
    let replica = try await replace(local)
    let old = try everything(local)
    await #expect(throws: Enough.self) { try await replica.recloned { _ in throw Enough() } }
    #expect(try everything(replica.log) == old && local.revision() == .original)
    #expect(try await replica.recloned() == Recloned(position: 4, common: 2))
    #expect(try await Replica(of: remote, in: local).recloned().isUnchanged)
  }

  @Test func `A remote log that is replaced during any call is copied whole, or the error is replaced`() async throws {
    for number in 1... {
      let tests = Self()
      let local = MemoryEventStore()
      let server = tests.remote.server
      let empty = server.backup()
      let replica = try await tests.replace(local, other: (1...6).map { "x\($0)" })
      let old = try everything(local)
      let count = Mutex(0)
      tests.remote.onCalls { _, _ in
        guard
          count.withLock({
            $0 += 1
            return $0 == number
          })
        else { return }
        server.restore(empty)
        for word in ["a", "b", "c"] { try await server.execute(word, on: DistantBook["a"]) }
      }
      do {
        try await replica.reclone()
        // The server might have been replaced after the copy.
        if count.withLock({ $0 }) < number { break }
      } catch let error as EventStoreError where error.code == .replaced {
        // The copy is the old copy, or equals the log that the server had before.
        #expect(try everything(local) == old || everything(local).count == 8)
      }
      try await replica.reclone()
      #expect(try everything(replica.log) == everything(server), "call \(number)")
    }
  }

  @Test func `Another replica that replaces the copy during any call is overtaken by no call`() async throws {
    for number in 1... {
      let tests = Self()
      defer { tests.removeFile() }
      let local = try SQLiteEventStore(path: tests.path, durability: .process, observesExternalWriters: false)
      let other = try SQLiteEventStore(path: tests.path, durability: .process, observesExternalWriters: false)
      defer {
        local.close()
        other.close()
      }
      let replica = try await tests.replace(local, other: (1...6).map { "x\($0)" })
      let second = Replica(of: MemoryRemoteStore(tests.remote.server), in: other, pageSize: 2)
      let count = Mutex(0)
      tests.remote.onCalls { _, _ in
        let isNow = count.withLock {
          $0 += 1
          return $0 == number
        }
        if isNow { try await second.recloned() }
      }
      let receipt = try await replica.recloned()
      if count.withLock({ $0 }) < number { break }
      #expect(receipt == Recloned(position: 8, common: 2), "call \(number)")
      #expect(try local.revision().rebases == 1, "call \(number)")
      #expect(try everything(local) == everything(tests.remote.server))
      #expect(try local.verify().problems.isEmpty)
    }
  }

  @Test func `A replica that catches up while another replica replaces the copy never mixes the two logs`()
    async throws
  {
    // The server is replaced, and the copy with it, after each response that the slow replica has received.
    for isErased in [false, true] {
      var refused = 0
      for number in 1... {
        let tests = Self()
        defer { tests.removeFile() }
        let local = try SQLiteEventStore(path: tests.path, durability: .process, observesExternalWriters: false)
        let other = try SQLiteEventStore(path: tests.path, durability: .process, observesExternalWriters: false)
        defer {
          local.close()
          other.close()
        }
        let server = tests.remote.server
        let slow = Replica(of: tests.remote, in: local, pageSize: 2)
        let second = Replica(of: MemoryRemoteStore(server), in: other, pageSize: 2)
        try tests.write(["one", "two"])
        let backup = server.backup()
        try tests.write(["three"])
        try await slow.catchUp()
        try tests.write((1...6).map { "w\($0)" })
        if isErased { try await server.erase(subject: "nobody") }
        let count = Mutex(0)
        tests.remote.onCalls { _, leg in
          guard leg == .response else { return }
          let isNow = count.withLock {
            $0 += 1
            return $0 == number
          }
          guard isNow else { return }
          server.restore(backup)
          // The new log has as many events as the old copy, so the old log's next events would fit its positions.
          try await server.execute("drei", on: DistantBook["a"])
          try await second.reclone()
        }
        do { try await slow.catchUp() } catch let error as EventStoreError where error.code == .replaced {
          Issue.record("call \(number): \(error)")
        }
        if count.withLock({ $0 }) < number { break }
        refused += 1
        #expect(try everything(local) == everything(server), "call \(number)")
        #expect(try local.verify().problems.isEmpty)
      }
      #expect(refused > 2)
    }
  }

  @Test func `A call that waited for a follower doesn't replace the copy of another call`() async throws {
    let (retries, retry) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    let environment = StoreEnvironment(sleep: { _ in
      await withCheckedContinuation { retry.yield($0) }
    })
    let local = MemoryEventStore(environment: environment)
    let replica = try await replace(local)
    let checkpoints = try #require(local.checkpoints)
    try #require(try checkpoints.setCheckpoint(named: "follower/mailer/version/1", to: 5, from: nil) == true)
    let claim = try checkpoints.claim(follower: "mailer")
    let call = Task { try await replica.recloned() }
    for await waiting in retries {
      claim.release()
      #expect(try await Replica(of: MemoryRemoteStore(remote.server), in: local).recloned().common == 2)
      waiting.resume()
      break
    }
    #expect(try await call.value == Recloned(position: 4, common: 2))
    #expect(local.revision().rebases == 1)
    #expect(try checkpoints.checkpoint(named: "follower/mailer/version/1") == 2)
  }

  enum During: CaseIterable { case none, otherCopy, otherServer, otherCopyAndServer }

  @Test(arguments: During.allCases)
  func `A call that waited for a follower uses the log that it has read, unless the log or the copy changed`(
    during: During
  ) async throws {
    let (retries, retry) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    let environment = StoreEnvironment(sleep: { _ in
      await withCheckedContinuation { retry.yield($0) }
    })
    let local = MemoryEventStore(environment: environment)
    let empty = remote.server.backup()
    let replica = try await replace(local, other: (1...40).map { "x\($0)" })
    let checkpoints = try #require(local.checkpoints)
    try #require(try checkpoints.setCheckpoint(named: "follower/mailer/version/1", to: 5, from: nil) == true)
    let claim = try checkpoints.claim(follower: "mailer")
    let calls = Mutex(0)
    remote.onCalls { _, leg in if leg == .request { calls.withLock { $0 += 1 } } }
    let call = Task {
      defer { retry.finish() }
      return try await replica.recloned()
    }
    var read: Int?
    for await waiting in retries {
      defer { waiting.resume() }
      // Later waits are for the remote log.
      if read != nil { continue }
      claim.release()
      read = calls.withLock { $0 }
      if during != .none, during != .otherServer {
        // Another replica replaces the copy with the log of another server.
        let other = MemoryRemoteServer()
        for word in ["uno", "dos"] { try await other.execute(word, on: DistantBook["a"]) }
        try await Replica(of: MemoryRemoteStore(other), in: local).reclone()
      }
      if during != .none, during != .otherCopy {
        remote.server.restore(empty)
        try write((1...45).map { "z\($0)" })
      }
    }
    let position = try await call.value.position
    #expect(try position == remote.server.head() && everything(local) == everything(remote.server))
    let isFirst = during == .none || during == .otherServer
    #expect(local.revision().rebases == (isFirst ? 1 : 2))
    #expect(try replica.common(since: 0) == (during == .none ? 2 : 0))
    #expect(try checkpoints.checkpoint(named: ReplicaNames(local.revision()).replaced) == (isFirst ? 0 : 1))
    // The log has 42 events, which the call reads in pages of two events.
    let (before, after) = (try #require(read), calls.withLock { $0 })
    if during == .none { #expect(before > 20 && after < before + 20, "\(before), \(after)") }
  }

  @Test(arguments: [false, true])
  func `A remote log that is replaced after the copy was replaced ends the call, unless a replica replaces the copy`(
    isOther: Bool
  ) async throws {
    let local = MemoryEventStore()
    let server = remote.server
    let empty = server.backup()
    let replica = try await replace(local)
    let new = try everything(server)
    let isNew = Mutex(true)
    remote.onCalls { _, _ in
      let isFirst = isNew.withLock { isNew in
        guard isNew, local.revision().rebases == 1 else { return false }
        isNew = false
        return true
      }
      guard isFirst else { return }
      server.restore(empty)
      for word in ["a", "b", "c"] { try await server.execute(word, on: DistantBook["a"]) }
      if isOther { try await Replica(of: MemoryRemoteStore(server), in: local).reclone() }
    }
    if isOther {
      #expect(try await replica.reclone() == 3)
    } else {
      let error = await #expect(throws: EventStoreError.self) { try await replica.reclone() }
      #expect(error?.code == .replaced)
      #expect(try everything(local) == new && local.revision().rebases == 1)
      #expect(try await replica.recloned() == Recloned(position: 3, common: 0))
    }
    #expect(try everything(local) == everything(server) && local.revision().rebases == 2)
  }

  @Test func `A compacted remote log that is replaced during any call is never mixed with another log`() async throws {
    for number in 1... {
      let tests = Self()
      let local = MemoryEventStore()
      let server = tests.remote.server
      let empty = server.backup()
      func write(_ prefix: String, cut: Position) throws {
        try tests.write((1...8).map { "\(prefix)\($0)" })
        var changes = CompactionEdits()
        changes.add(.cut, at: cut)
        _ = try server.compact(RemoteCompaction(id: prefix, revision: server.revision(), horizon: 8, changes: changes))
      }
      // Both logs have the same revision.
      try write("y", cut: 3)
      let (third, last) = (try everything(server), server.backup())
      server.restore(empty)
      let replica = try await tests.replace(local)
      server.restore(empty)
      try write("x", cut: 6)
      let (old, second) = (try everything(local), try everything(server))
      let count = Mutex(0)
      tests.remote.onCalls { _, _ in
        let isNow = count.withLock {
          $0 += 1
          return $0 == number
        }
        if isNow { server.restore(last) }
      }
      // The code is `.compacted` if the page of events and the record of removed events are from different logs.
      do { try await replica.reclone() } catch let error as EventStoreError
        where [.replaced, .compacted].contains(error.code)
      {}
      let found = try everything(replica.log)
      #expect([old, second, third].contains(found), "call \(number): \(found.map(\.position))")
      if count.withLock({ $0 }) < number { break }
      try await replica.reclone()
      #expect(try everything(replica.log) == third, "call \(number)")
    }
  }

  @Test func `Values that are erased from the remote log during any call aren't in the copy`() async throws {
    for number in 1... {
      let tests = Self()
      let local = MemoryEventStore()
      let server = tests.remote.server
      let replica = try await tests.replace(local)
      for _ in 0..<5 {
        let event = NewEvent(type: "DistantThing", payload: #"{"p":{"$personal":"ann","value":"secret"}}"#)
        _ = try server.commit(Append([event], to: "s"))
      }
      let count = Mutex(0)
      tests.remote.onCalls { _, _ in
        let isNow = count.withLock {
          $0 += 1
          return $0 == number
        }
        if isNow { try await server.erase(subject: "ann") }
      }
      try await replica.reclone()
      if count.withLock({ $0 }) < number { break }
      try await replica.catchUp()
      #expect(try everything(local) == everything(server), "call \(number)")
      #expect(try everything(local).allSatisfy { $0.payload?.contains("secret") != true })
    }
  }

  @Test func `The copy's checkpoints are the same as in a new copy, apart from their names and earlier copies`()
    async throws
  {
    for local in try stores() {
      let tests = Self()
      let server = tests.remote.server
      // Without an erasure, the old copy has no checkpoints.
      try await server.erase(subject: "nobody")
      let replica = try await tests.replace(local)
      var changes = CompactionEdits()
      changes.add(.cut, at: 3)
      _ = try server.compact(RemoteCompaction(id: "c", revision: server.revision(), horizon: 4, changes: changes))
      let event = NewEvent(type: "DistantThing", payload: #"{"p":{"$personal":"ann","value":"secret"}}"#)
      _ = try server.commit(Append([event], to: "s"))
      try await server.erase(subject: "ann")
      let clone = MemoryEventStore()
      try await Replica(of: MemoryRemoteStore(server), in: clone).catchUp()
      let found = Mutex<[String: Position]?>(nil)
      tests.remote.onCalls { _, _ in
        guard try local.revision().rebases > 0 else { return }
        // The first call after the replacement, before the call has caught up.
        let now = try tests.allCheckpoints(of: local)
        found.withLock { if $0 == nil { $0 = now } }
      }
      try await replica.reclone()
      let names = ReplicaNames(try local.revision())
      var expected: [String: Position] = [
        names.common: 2, names.replaced: 0,
        ReplicaNames(rebases: 0).claimed: Position(ReplicaNames.sealed),
        ReplicaNames(rebases: 0).erased: Position(ReplicaNames.sealed),
      ]
      for (name, position) in try tests.allCheckpoints(of: clone) { expected["\(name):@\(names.rebases)"] = position }
      #expect(found.withLock { $0 } == expected)
      #expect(try tests.allCheckpoints(of: local) == expected)
    }
    removeFile()
  }

  @Test(arguments: [false, true])
  func `Values of the old log that a reader still needed are removed by a later call`(isEmpty: Bool) async throws {
    defer { removeFile() }
    let local = try SQLiteEventStore(path: path, durability: .process)
    defer { local.close() }
    let replica = try await replace(local, isEmpty ? [] : ["one"], lost: ["unmistakable"], other: isEmpty ? [] : ["x"])
    func isInFile() throws -> Bool {
      try ["", "-wal"].contains { try Data(contentsOf: URL(filePath: path + $0)).contains(Data("unmistakable".utf8)) }
    }
    let other = try SQLiteEventStore(readingFrom: path)
    defer { other.close() }
    let (reads, read) = AsyncStream.makeStream(of: Void.self)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? other.read { log in
        _ = try log.head()
        read.finish()
        done.wait()
      }
      // Without this call, a failed read would keep the test waiting.
      read.finish()
    }
    for await _ in reads {}
    do { try await replica.reclone() } catch {
      done.signal()
      throw error
    }
    #expect(try isInFile() && ReplicaEnd(of: local).hasRemnants)
    if isEmpty {
      // The empty copy starts over with another revision, but its files don't.
      try await remote.server.erase(subject: "nobody")
      do { try await Replica(of: remote, in: local).catchUp() } catch {
        done.signal()
        throw error
      }
      #expect(try isInFile() && ReplicaEnd(of: local).hasRemnants)
    }
    done.signal()
    while try ReplicaEnd(of: local).hasRemnants { try await Replica(of: remote, in: local).catchUp() }
    #expect(try !isInFile())
  }

  @Test func `Saved states of the old log aren't used for the new log`() async throws {
    for local in try stores() {
      let tests = Self()
      let replica = try await tests.replace(local)
      let states = try #require(local.snapshots)
      let state = DeciderSnapshot(fingerprint: "f", version: 5, position: 5, state: "five")
      try states.save(state, of: "DistantBook-a", decider: "d", revision: local.revision())
      #expect(try states.snapshot(of: "DistantBook-a", decider: "d") != nil)
      try await replica.reclone()
      #expect(try states.snapshot(of: "DistantBook-a", decider: "d") == nil)
    }
    removeFile()
  }

  @Test func `A replacement whose events don't fit throws, and the old log remains`() throws {
    for local in try stores() {
      try local.execute("one", on: DistantBook["a"])
      let old = try everything(local)
      let event = NewEvent(type: "DistantThing", payload: nil, id: EventID(source: "s", id: "1"))
      let other = NewEvent(type: "DistantThing", payload: nil, id: EventID(source: "s", id: "2"))
      let wrong = [
        [Append([event], to: "s"), Append([event], to: "s")],
        [Append([event], to: "s"), Append([other], to: "s", expecting: .exact(0))],
      ]
      for appends in wrong {
        #expect(throws: EventStoreError.self) { try local.replaceAll(with: appends) }
        #expect(try everything(local) == old && local.revision() == .original)
      }
    }
    removeFile()
  }

  @Test(arguments: [false, true])
  func `A follower that another runner claims shortly before the transaction isn't overtaken`(
    isNew: Bool
  ) async throws {
    defer { removeFile() }
    let (retries, retry) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    let environment = StoreEnvironment(sleep: { _ in
      await withCheckedContinuation { retry.yield($0) }
    })
    let local = try SQLiteEventStore(path: path, durability: .process, environment: environment)
    let other = try SQLiteEventStore(path: path, durability: .process)
    defer {
      local.close()
      other.close()
    }
    let replica = try await replace(local)
    let name = "follower/mailer/version/1"
    let checkpoints = try #require(other.checkpoints)
    if !isNew { try #require(try checkpoints.setCheckpoint(named: name, to: 4, from: nil)) }
    let claim = Mutex<Result<FollowerClaim, any Error>?>(nil)
    // The closure is called after the call has claimed the followers that it found.
    let token = local.runtime.watchErasures {
      claim.withLock { claim in
        guard claim == nil else { return }
        // The suspension releases the call's claims.
        local.suspend()
        local.resume()
        claim = Result {
          if isNew { _ = try checkpoints.setCheckpoint(named: name, to: 4, from: nil) }
          return try checkpoints.claim(follower: "mailer")
        }
      }
    }
    let call = Task {
      defer { retry.finish() }
      return try await replica.recloned()
    }
    var hasWaited = false
    for await waiting in retries {
      #expect(try local.head() == 5)
      try claim.withLock { try $0?.get().release() }
      hasWaited = true
      waiting.resume()
    }
    #expect(hasWaited)
    #expect(try await call.value == Recloned(position: 4, common: 2))
    #expect(try checkpoints.checkpoint(named: name) == 2)
    withExtendedLifetime(token) {}
  }

  /// Returns an old copy, and a closure that replaces it as another replica does.
  ///
  /// Both logs end at the same position.
  private func overtaken() async throws -> (copy: MemoryEventStore, overtake: @Sendable () throws -> Void) {
    let (local, twin) = (MemoryEventStore(), MemoryEventStore())
    try write(["one", "two"])
    let backup = remote.server.backup()
    try write(["three"])
    for store in [local, twin] { try await Replica(of: remote, in: store).catchUp() }
    remote.server.restore(backup)
    try write(["drei"])
    try await Replica(of: remote, in: twin).reclone()
    let appends = try everything(twin).enumerated().map { offset, event in
      ReplicaTransaction(events: [event], after: Position(offset)).append
    }
    let checkpoints = try allCheckpoints(of: twin).map { Checkpoint(name: $0.key, position: $0.value) }
    return (local, { try local.replaceAll(with: appends, keeping: checkpoints) })
  }

  @Test(arguments: [false, true])
  func `A copy that another replica replaces before the call looks at it, or later, isn't replaced twice`(
    isLater: Bool
  ) async throws {
    let (local, overtake) = try await overtaken()
    let store: any EventStore = isLater ? local : OvertakenStore(local, at: .compacting, overtake)
    // The closure is called shortly before the transaction.
    let token = local.runtime.watchErasures {
      if isLater { #expect(throws: Never.self) { try overtake() } }
    }
    #expect(try await Replica(of: remote, in: store).reclone() == 3)
    #expect(local.revision().rebases == 1)
    #expect(try everything(local) == everything(remote.server))
    withExtendedLifetime(token) {}
  }

  @Test func `A replica that reads a copy while it is replaced gets the state of the new copy`() async throws {
    let (local, overtake) = try await overtaken()
    let end = try ReplicaEnd(of: OvertakenStore(local, at: .read, overtake))
    #expect(end.names == ReplicaNames(local.revision()) && end.names.rebases == 1)
    #expect(try end.head == 3 && end.last == everything(local).last)
  }

  @Test func `The whole new copy is visible, although the old copy was unfinished`() throws {
    let local = MemoryEventStore()
    try local.execute("one", on: DistantBook["a"])
    let unfinished = UnfinishedCopy(position: 0, compactions: 1, ReplicaNames(local.revision()))
    #expect(try local.read { try unfinished.isPending(in: $0) && unfinished.shown($0).head() == 0 })
    let event = try EventCoder<DistantBookEvent>().encode(.distantWordWritten("eins"))
    try local.replaceAll(with: [Append([event], to: "s")])
    #expect(try local.read { try !unfinished.isPending(in: $0) && unfinished.shown($0).head() == 1 })
  }

  @Test func `The common position of every earlier copy is known after the process has ended`() async throws {
    for local in try stores() {
      let tests = Self()
      let server = tests.remote.server
      let empty = server.backup()
      let replica = try await tests.replace(local)
      #expect(try replica.common(since: 0) == nil)
      #expect(try await replica.reclone() == 4)
      let backup = server.backup()
      try tests.write(["fünf", "sechs"])
      try await replica.catchUp()
      // The compaction increases the next number by more than one.
      var changes = CompactionEdits()
      changes.add(.cut, at: 1)
      _ = try server.compact(RemoteCompaction(id: "c", revision: server.revision(), horizon: 6, changes: changes))
      try await replica.catchUp()
      let second = try local.revision().rebases
      server.restore(backup)
      try tests.write(["cinq"])
      #expect(try await replica.reclone() == 5)
      let third = try local.revision().rebases
      #expect(second > 0 && third > second + 1)
      // Another replica has read no earlier copy.
      let other = Replica(of: MemoryRemoteStore(server), in: local)
      #expect(try other.common(since: 0) == 2)
      #expect(try other.common(since: second) == 4)
      #expect(try other.common(since: third) == nil)
      // The copy never had these numbers.
      #expect(try other.common(since: third + 1) == 0)
      #expect(try other.common(since: -1) == 0)
      // The last copy has no event in common with any earlier copy.
      server.restore(empty)
      try tests.write(["uno"])
      #expect(try await replica.reclone() == 1)
      for earlier in [0, second, third] { #expect(try other.common(since: earlier) == 0) }
    }
    removeFile()
  }

  @Test func `A call that waits for a position of the old log ends if the copy is replaced`() async throws {
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    try write(["one", "two"])
    let backup = remote.server.backup()
    try write(["three"])
    try await replica.catchUp()
    remote.server.restore(backup)
    try write(["drei"])
    let server = remote.server
    let hasReplaced = Mutex(false)
    // The copy is replaced during the call's first read.
    remote.onCalls { _, _ in
      let isFirst = hasReplaced.withLock { hasReplaced in
        defer { hasReplaced = true }
        return !hasReplaced
      }
      if isFirst { try await Replica(of: MemoryRemoteStore(server), in: local).reclone() }
    }
    let error = await #expect(throws: EventStoreError.self) { try await replica.wait(for: 9) }
    #expect(error?.code == .replaced && error?.message.contains("position 9") == true)
    // The copy isn't replaced during this call.
    try await replica.wait(for: 3)
  }

  @Test(arguments: [1, 2])
  func `A replica can't change a copy that was replaced since the replica read it`(times: Int) async throws {
    let local = MemoryEventStore()
    let empty = remote.server.backup()
    _ = try await replace(local)
    let end = try ReplicaEnd(of: local)
    #expect(try await Replica(of: remote, in: local).recloned().common == 2)
    if times == 2 {
      remote.server.restore(empty)
      try write(["uno", "dos", "tres", "cuatro"])
      #expect(try await Replica(of: remote, in: local).recloned() == Recloned(position: 4, common: 0))
    }
    let notes = try allCheckpoints(of: local)
    #expect(throws: ReplicaOvertaken.self) { try end.claim(1, lineage: 7, in: local) }
    #expect(throws: ReplicaOvertaken.self) { try end.note(erasedThrough: 1, hasRemnants: false, in: local) }
    #expect(throws: ReplicaOvertaken.self) { try end.check(end.revision, in: local) }
    let error = await #expect(throws: EventStoreError.self) {
      try await local.erase(subjects: ["ann"], demanding: end.erasureDemand, isolation: nil)
    }
    #expect(error?.code == .conditionConflict)
    try end.finish(1, lineage: 7, hasRemnants: true, in: local)
    try end.finish(compactions: 1, in: local)
    // The checkpoints that the new copy uses are the same as before.
    let now = ReplicaNames(local.revision())
    for name in [now.claimed, now.done, now.erased, now.compacted, now.left, now.allowed, now.shown(1)] {
      #expect(try local.checkpoints?.checkpoint(named: name) == notes[name])
    }
    #expect(try await Replica(of: remote, in: local).catchUp() == 4)
  }

  private func allCheckpoints(of local: any EventStore) throws -> [String: Position] {
    struct Found: Error { let checkpoints: [Checkpoint] }
    do {
      _ = try local.compacting?.commitCompaction(progress: { _ in }) {
        throw Found(checkpoints: try $0.checkpoints())
      }
    } catch let found as Found {
      return Dictionary(uniqueKeysWithValues: found.checkpoints.map { ($0.name, $0.position) })
    }
    return [:]
  }

  @Test func `A compacted and erased log replaces the copy, with the same positions, and is followed`() async throws {
    for local in try stores() {
      let tests = Self()
      let server = tests.remote.server
      let replica = try await tests.replace(local, other: (1...10).map { "x\($0)" })
      var changes = CompactionEdits()
      for position in [2, 4, 12] { changes.add(.cut, at: Position(position)) }
      _ = try server.compact(
        RemoteCompaction(id: "c", revision: server.revision(), horizon: 12, changes: changes))
      #expect(try await replica.recloned() == Recloned(position: 12, common: 2))
      #expect(try everything(replica.log) == everything(server))
      #expect(try everything(replica.log).map(\.position) == [1, 3, 5, 6, 7, 8, 9, 10, 11])
      try tests.write(["next"])
      #expect(try await replica.catchUp() == 13)
      changes = CompactionEdits()
      changes.add(.cut, at: 5)
      _ = try server.compact(
        RemoteCompaction(id: "d", revision: server.revision(), horizon: 13, changes: changes))
      #expect(try await replica.catchUp() == 13)
      #expect(try everything(replica.log) == everything(server))
      if let file = local as? SQLiteEventStore { #expect(try file.verify().problems.isEmpty) }
    }
    removeFile()
  }

  /// Compacts a server's log, so that one event has another identity.
  private func compact(
    _ server: MemoryRemoteServer, through horizon: Position, removing removed: [Position], replacing replaced: Position
  ) throws {
    var changes = CompactionEdits()
    for position in removed { changes.add(.cut, at: position) }
    let before = Position(replaced.rawValue - 1)
    let old = try #require(try server.events(.all, after: before, through: replaced, limit: 1).first)
    let new = NewEvent(type: old.type, payload: old.payload, id: EventID(source: "new", id: "\(replaced)"))
    changes.add(.replaced(by: new), at: replaced)
    _ = try server.compact(
      RemoteCompaction(id: "c", revision: server.revision(), horizon: horizon, changes: changes))
  }

  @Test func `The common position is exact, although a compaction of the old log removed and replaced events`()
    async throws
  {
    for local in try stores() {
      let tests = Self()
      let server = tests.remote.server
      let replica = Replica(of: tests.remote, in: local, pageSize: 2)
      try tests.write((1...6).map { "w\($0)" })
      let backup = server.backup()
      try tests.write((7...12).map { "w\($0)" })
      try await replica.catchUp()
      try compact(server, through: 8, removing: [2, 7, 8], replacing: 6)
      try await replica.catchUp()
      server.restore(backup)
      try tests.write((7...9).map { "x\($0)" })
      #expect(try await replica.recloned() == Recloned(position: 9, common: 6))
      #expect(try everything(local) == everything(server))
    }
    removeFile()
  }

  @Test func `The common position is exact, although a compaction of the new log removed and replaced events`()
    async throws
  {
    for local in try stores() {
      let tests = Self()
      let server = tests.remote.server
      let replica = Replica(of: tests.remote, in: local, pageSize: 2)
      try tests.write((1...6).map { "w\($0)" })
      let backup = server.backup()
      try tests.write((7...9).map { "w\($0)" })
      try await replica.catchUp()
      server.restore(backup)
      try compact(server, through: 6, removing: [2], replacing: 3)
      try tests.write((7...9).map { "x\($0)" })
      #expect(try await replica.recloned() == Recloned(position: 9, common: 6))
      #expect(try everything(local) == everything(server))
    }
    removeFile()
  }

  @Test func `The error has the exact common position, although a compaction removed the last common event`()
    async throws
  {
    let server = remote.server
    try write((1...6).map { "w\($0)" })
    var changes = CompactionEdits()
    for position in [3, 6] { changes.add(.cut, at: Position(position)) }
    _ = try server.compact(RemoteCompaction(id: "c", revision: server.revision(), horizon: 6, changes: changes))
    let backup = server.backup()
    try write((7...9).map { "w\($0)" })
    let replica = Replica(of: remote, in: MemoryEventStore())
    try await replica.catchUp()
    server.restore(backup)
    try write(["x7", "x8"])
    let error = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
    #expect(error?.code == .replaced && error?.position == 6)
  }

  @Test func `The search for the common position calls the server once per step`() async throws {
    let replica = try await replace(MemoryEventStore())
    let calls = Mutex(0)
    remote.onCalls { _, leg in if leg == .request { calls.withLock { $0 += 1 } } }
    let error = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
    #expect(error?.position == 2)
    // One read of the events, and two steps between the positions 0 and 5.
    #expect(calls.withLock { $0 } == 3)
  }

  @Test func `Common events after the first different event don't count as common`() async throws {
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    let empty = remote.server.backup()
    func write(_ ids: [String]) throws {
      let events = ids.map { NewEvent(type: "DistantThing", payload: nil, id: EventID(source: "s", id: $0)) }
      _ = try remote.server.commit(Append(events, to: "s"))
    }
    try write(["1", "2", "3", "4", "5"])
    try await replica.catchUp()
    remote.server.restore(empty)
    try write(["1", "other", "3", "4", "6", "7"])
    #expect(try await replica.recloned().common == 1)
    #expect(try everything(local) == everything(remote.server))
  }

  @Test func `A remote log that is changed during every read ends the call, and the copy is unchanged`() async throws {
    let delays = Mutex<[Duration]>([])
    let environment = StoreEnvironment(sleep: { delay in delays.withLock { $0.append(delay) } })
    let local = MemoryEventStore(environment: environment)
    let replica = try await replace(local, other: (1...6).map { "x\($0)" })
    let old = try everything(local)
    let server = remote.server
    let empty = MemoryRemoteServer().backup()
    let isReading = Mutex(false)
    // Every page is from another log.
    remote.onCalls { _, leg in
      guard leg == .request, isReading.withLock({ $0 }) else { return }
      server.restore(empty)
      for word in ["a", "b", "c", "d", "e", "f"] { try await server.execute(word, on: DistantBook["a"]) }
    }
    let error = await #expect(throws: EventStoreError.self) {
      try await replica.recloned { _ in isReading.withLock { $0 = true } }
    }
    #expect(error?.code == .rewritten && error?.message.contains("attempts") == true)
    #expect(delays.withLock { $0.count == 19 && $0.last == .seconds(5) })
    #expect(try everything(local) == old)
    remote.onCalls(nil)
    #expect(try await replica.recloned().common == 0)
  }

  @Test @MainActor func `Another store of the same file has the old log, then the new log, and its lists change`()
    async throws
  {
    let local = try SQLiteEventStore(path: path, durability: .process)
    let replica = try await replace(local, (1...100).map { "w\($0)" }, other: (1...200).map { "x\($0)" })
    // The other store also writes, so that it has cached positions and names.
    let other = try SQLiteEventStore(path: path, durability: .process)
    #expect(try other.checkpoints?.setCheckpoint(named: "own", to: 103, from: nil) == true)
    let copy = Replica.copy(in: other)
    let list = FetchedResultsController(store: copy, projection: DistantWords())
    let (changes, change) = AsyncStream.makeStream(of: Int.self)
    try list.performFetch()
    #expect(list.fetchedObjects.count == 103)
    let token = list.observe { change.yield($0.new.rows.count) }
    try await replica.reclone()
    for await count in changes where count == 300 { break }
    #expect(try everything(copy) == everything(remote.server))
    #expect(try other.checkpoints?.checkpoint(named: "own") == 100)
    // The other store continues the copy.
    try write(["last"])
    #expect(try await Replica(of: remote, in: other).catchUp() == 301)
    for await count in changes where count == 301 { break }
    #expect(try everything(replica.log) == everything(remote.server))
    #expect(try other.verify().problems.isEmpty)
    withExtendedLifetime(token) {}
    other.close()
    local.close()
    removeFile()
  }

  @Test @MainActor func `A store that wrote the old log notices the new log, although the new log is shorter`()
    async throws
  {
    // This store has committed positions up to 101, and has recorded where both types of events are.
    let local = try SQLiteEventStore(path: path, durability: .process)
    let replica = Replica(of: remote, in: local)
    let empty = remote.server.backup()
    try write((1...100).map { "w\($0)" })
    try await remote.server.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "s"))
    let list = FetchedResultsController(store: replica.log, projection: DistantWords())
    try list.performFetch()
    let (changes, change) = AsyncStream.makeStream(of: Int.self)
    let token = list.observe { change.yield($0.new.rows.count) }
    try await replica.catchUp()
    remote.server.restore(empty)
    try write((1...70).map { "x\($0)" })
    let other = try SQLiteEventStore(path: path, durability: .process)
    try await Replica(of: remote, in: other).reclone()
    for await count in changes where count == 70 { break }
    try await remote.server.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "s"))
    #expect(try await replica.catchUp() == 71)
    #expect(try local.events(.types("DistantThing"), after: 0, through: nil, limit: 9).map(\.position) == [71])
    #expect(try local.verify().problems.isEmpty)
    try write(["last"])
    try await Replica(of: remote, in: other).catchUp()
    for await count in changes where count == 71 { break }
    withExtendedLifetime(token) {}
    other.close()
    local.close()
    removeFile()
  }

  @Test func `The streams of the old log aren't streams of the new log`() async throws {
    for local in try stores() {
      let remote = MemoryRemoteStore()
      let empty = remote.server.backup()
      let replica = Replica(of: remote, in: local)
      try await remote.server.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "old"))
      try await replica.catchUp()
      remote.server.restore(empty)
      try await remote.server.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "new"))
      try await replica.reclone()
      struct Found: Error { let streams: [StreamName] }
      let found = #expect(throws: Found.self) {
        _ = try local.compacting?.commitCompaction(progress: { _ in }) { throw Found(streams: try $0.streams()) }
      }
      #expect(found?.streams == ["new"])
      if let index = local as? any LogIndex { #expect(try index.streamNames() == ["new"]) }
      (local as? SQLiteEventStore)?.close()
    }
    removeFile()
  }

  @Test func `The file no longer contains values of the old log`() async throws {
    let local = try SQLiteEventStore(path: path, durability: .process)
    let replica = try await replace(local, lost: ["unmistakable"])
    #expect(try Data(contentsOf: URL(filePath: path + "-wal")).contains(Data("unmistakable".utf8)))
    try await replica.reclone()
    for end in ["", "-wal"] {
      #expect(try !Data(contentsOf: URL(filePath: path + end)).contains(Data("unmistakable".utf8)), "\(end)")
    }
    #expect(try await replica.catchUp() == 4)
    #expect(try !ReplicaEnd(of: local).hasRemnants)
    local.close()
    removeFile()
  }

  @Test func `A store that can't remove all events keeps the copy, and the error names the remedy`() async throws {
    let local = MemoryEventStore()
    _ = try await replace(local)
    let old = try everything(local)
    let error = await #expect(throws: EventStoreError.self) {
      try await Replica(of: remote, in: PlainStore(local)).reclone()
    }
    #expect(error?.code == .unsupported && error?.message.contains("into an empty store") == true)
    #expect(try everything(local) == old)
  }

  @Test(arguments: [1, 9])
  func `A follower that a compaction has overtaken prevents the call, and the copy is unchanged`(
    handled: Position
  ) async throws {
    let local = MemoryEventStore()
    let replica = try await replace(local, lost: (1...7).map { "w\($0)" }, other: (1...10).map { "x\($0)" })
    // Only the events through position 2 are in both logs, so the follower at position 9 would continue after 2.
    for (name, position) in [("mailer", handled), ("new", 0)] {
      try #require(
        try local.checkpoints?.setCheckpoint(named: "follower/\(name)/version/1", to: position, from: nil) == true)
    }
    var changes = CompactionEdits()
    changes.add(.cut, at: 4)
    _ = try remote.server.compact(
      RemoteCompaction(id: "c", revision: remote.server.revision(), horizon: 8, changes: changes))
    let error = await #expect(throws: EventStoreError.self) { try await replica.recloned() }
    #expect(error?.code == .compacted && error?.message.contains("mailer") == true)
    #expect(local.head() == 9 && local.revision() == .original)
    // The follower that hasn't handled any event doesn't prevent the call.
    try local.forgetFollower("mailer", version: 1)
    #expect(try await replica.recloned().position == 12)
    #expect(try everything(replica.log) == everything(remote.server))
  }

  @Test func `Two calls for one copy replace it once`() async throws {
    let local = MemoryEventStore()
    _ = try await replace(local)
    let receipts = try await withThrowingTaskGroup(of: Recloned.self) { group in
      for _ in 0..<4 {
        group.addTask { [remote] in try await Replica(of: remote, in: local, pageSize: 2).recloned() }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(receipts.allSatisfy { $0.position == 4 } && receipts.contains { $0.common == 2 })
    #expect(receipts.allSatisfy { $0.common == nil || $0.common == 2 })
    #expect(local.revision().rebases == 1)
    #expect(try everything(local) == everything(remote.server))
  }
}

/// The result of a replacement.
private struct Recloned: Equatable {
  let position: Position
  let common: Position?
  var isUnchanged: Bool { common == nil }
}

extension Replica {
  /// Replaces the copy, and returns the last common position of the copy before the call, too.
  @discardableResult
  fileprivate func recloned(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void = { _ in }
  ) async throws -> Recloned {
    let before = try log.revision().rebases
    let position = try await reclone(isolation: isolation, progress: progress)
    return Recloned(position: position, common: try common(since: before))
  }
}

/// A projection that records the words that it projected on the main thread.
private final class ThreadWords: Projection {
  let onMain = Mutex<[String]>([])

  func project(_ event: DistantBookEvent, into rows: inout Rows<DistantWord>) {
    guard case .distantWordWritten(let word) = event else { return }
    if Thread.isMainThread { onMain.withLock { $0.append(word) } }
    rows.insert(DistantWord(id: word))
  }
}

/// A store that another replica or process changes at a certain moment of a call.
private final class OvertakenStore: ForwardingEventStore {
  enum Moment {
    /// After the first read.
    case read
    /// Before the first change that replaces events.
    case compacting
  }

  let wrapped: any EventStore
  private let moment: Moment
  private let overtake: @Sendable () throws -> Void
  private let isNew = Mutex(true)

  init(_ wrapped: any EventStore, at moment: Moment, _ overtake: @escaping @Sendable () throws -> Void) {
    (self.wrapped, self.moment, self.overtake) = (wrapped, moment, overtake)
  }

  var compacting: (any CompactingStore)? {
    reach(.compacting)
    return wrapped.compacting
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    let result = try wrapped.read(body)
    reach(.read)
    return result
  }

  private func reach(_ moment: Moment) {
    guard moment == self.moment else { return }
    let isFirst = isNew.withLock { isNew in
      defer { isNew = false }
      return isNew
    }
    if isFirst { #expect(throws: Never.self) { try overtake() } }
  }
}

extension EventStore {
  /// Replaces all events and checkpoints, or keeps the checkpoints.
  fileprivate func replaceAll(with appends: [Append], keeping checkpoints: [Checkpoint]? = nil) throws {
    _ = try compacting?.commitCompaction(progress: { _ in }) { log in
      let kept = try checkpoints ?? log.checkpoints()
      _ = try (log as? any ReplacingTransaction)?.replaceAll(with: appends, keeping: kept)
      return CompactionReceipt(
        horizon: 0, cut: 0, replaced: 0, remaining: appends.count, leftAlone: [], bytesBefore: nil, bytesAfter: nil,
        remnants: nil)
    }
  }
}

/// A store without optional capabilities.
private final class PlainStore: ForwardingEventStore {
  let wrapped: any EventStore
  init(_ wrapped: any EventStore) { self.wrapped = wrapped }
  var compacting: (any CompactingStore)? { nil }
}

import AnnalsRemote
import AnnalsSQLite
import AnnalsStoreTesting
import AnnalsTesting
import Foundation
import Synchronization
import Testing
@testable import Annals
@testable import AnnalsLog

/// A replica has what the remote log has, to the byte, and says so when it cannot.
@Suite struct ReplicaTests {
  private let remote = MemoryRemoteStore()

  /// Appends a transaction to the remote log.
  @discardableResult
  private func append(_ count: Int, to stream: StreamName = "s", _ payload: String = "{}") throws -> Receipt {
    try remote.server.append(
      Append(
        (0..<count).map { number in
          NewEvent(
            type: "DistantThing", schema: 2, payload: number == 0 ? nil : payload, tags: ["n:\(number)"],
            metadata: ["who": "ann"])
        }, to: stream))
  }

  private func put(_ event: NewEvent, to stream: StreamName, _ store: any EventStore) throws {
    try store.append(Append([event], to: stream))
  }

  private func everything(_ store: any EventStore) throws -> [StoredEvent] {
    try store.events(.all, after: 0, through: nil, limit: 100_000)
  }

  @Test func `a replica has the events of the remote log to the byte`() async throws {
    for number in 1...40 { try append(number % 5 + 1, to: StreamName("s\(number % 3)"), #"{ "a" : 1.50e1 }"#) }
    let replica = Replica(of: remote, in: MemoryEventStore(), pageSize: 7)
    #expect(try await replica.catchUp() == remote.server.head())
    #expect(try everything(replica.log) == everything(remote.server))
    #expect(replica.log.source == remote.source)
  }

  @Test func `a transaction larger than a page comes as one`() async throws {
    try append(1)
    try append(50)
    try append(2)
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local, pageSize: 4)
    let heads = Mutex<[Int]>([])
    let watch = local.runtime.watchCommits { heads.withLock { $0.append(local.head().rawValue) } }
    try await replica.catchUp()
    #expect(heads.withLock { $0 } == [1, 51, 53])
    watch.cancel()
  }

  @Test func `progress says how far the copy is, and what it throws ends the work there`() async throws {
    for _ in 1...30 { try append(1) }
    struct Enough: Error {}
    let replica = Replica(of: remote, in: MemoryEventStore(), pageSize: 10)
    var seen: [LogProgress] = []
    await #expect(throws: Enough.self) {
      try await replica.catchUp { progress in
        seen.append(progress)
        if progress.position >= 19 { throw Enough() }
      }
    }
    #expect(seen.last?.position == 19 && seen.last?.end == 30)
    #expect(try replica.log.head() == 19)
    #expect(try await replica.catchUp() == 30)
  }

  @Test func `nothing is appended to the copy, and the error says where to`() async throws {
    let replica = Replica(of: remote, in: MemoryEventStore())
    let error = #expect(throws: EventStoreError.self) {
      try replica.log.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "s"))
    }
    #expect(error?.code == .readOnly && error?.message.contains("call execute") == true)
    await #expect(throws: EventStoreError.self) {
      try await replica.log.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "s"))
    }
    #expect(throws: EventStoreError.self) { try replica.log.erase(subject: "ann") }
    #expect(try replica.log.head() == 0 && remote.server.head() == 0)
  }

  @Test func `an append through the replica is in the copy when it is answered`() async throws {
    try append(3)
    let replica = Replica(of: remote, in: MemoryEventStore())
    let receipt = try await replica.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "s"))
    #expect(receipt.position == 4)
    #expect(try everything(replica.log) == everything(remote.server))
  }

  @Test @MainActor func `a list on the main actor has what a command said when the command is answered`() async throws {
    let replica = Replica(of: remote, in: MemoryEventStore())
    let list = FetchedResultsController(store: replica.log, projection: DistantWords())
    try list.performFetch()
    try await replica.execute("one", on: DistantBook["a"])
    #expect(list.fetchedObjects.map(\.id) == ["one"])
    try await replica.transaction { transaction in
      try transaction.execute("two", on: DistantBook["a"])
      try transaction.execute("three", on: DistantBook["b"])
    }
    #expect(list.fetchedObjects.map(\.id) == ["one", "three", "two"])
    await #expect(throws: DistantBook.Twice.self) { try await replica.execute("two", on: DistantBook["a"]) }
    #expect(try everything(replica.log) == everything(remote.server))
  }

  @Test @MainActor func `a list on the main actor has all that was copied when catching up has returned`() async throws
  {
    let replica = Replica(of: remote, in: MemoryEventStore())
    let list = FetchedResultsController(store: replica.log, projection: DistantWords())
    try list.performFetch()
    // So many are folded on another thread.
    let words = (1...3_000).map { "w\($0)" }
    func write() throws {
      for word in words { try remote.server.execute(word, on: DistantBook["\(word.suffix(2))"]) }
    }
    try write()
    try await replica.catchUp()
    #expect(Set(list.fetchedObjects.map(\.id)) == Set(words))
  }

  @Test func `events are appended to a remote log once, at the expected version`() async throws {
    let replica = Replica(of: remote, in: MemoryEventStore())
    let words: [DistantBookEvent] = [.distantWordWritten("a"), .distantWordWritten("b")]
    let receipt = try await replica.append(
      words, to: "book", expecting: .doesNotExist, commandID: "c", metadata: ["actor": "ann"])
    #expect(receipt.position == 2 && receipt.count == 2 && !receipt.isRepeated)
    #expect(try everything(replica.log).map(\.metadata.causation) == ["c", "c"])
    #expect(try await remote.append(words, to: "book", expecting: .doesNotExist, commandID: "c").isRepeated)
    let conflict = await #expect(throws: EventStoreError.self) {
      try await remote.append(words, to: "book", expecting: .doesNotExist)
    }
    #expect(conflict?.code == .versionConflict && conflict?.isConflict == true)
    let reused = await #expect(throws: EventStoreError.self) {
      try await remote.append([DistantBookEvent.distantWordWritten("c")], to: "book", commandID: "c")
    }
    #expect(reused?.code == .commandReused)
    #expect(try remote.server.head() == 2)
  }

  /// Starts waits while another wait reads the remote log, and appends the awaited event after this read.
  ///
  /// - Returns: The number of reads, and the errors of the waits.
  @MainActor private func waits(_ count: Int, cutAfter answers: Int? = nil) async throws -> (Int, [any Error]) {
    try append(1)
    let replica = Replica(of: remote, in: MemoryEventStore())
    try await replica.catchUp()
    let reads = Mutex(0)
    let (read, isOver) = AsyncStream.makeStream(of: Void.self)
    remote.onCalls { _, leg in
      if leg == .request { return reads.withLock { $0 += 1 } }
      for await _ in read {}
    }
    let first = Task { try await replica.wait(for: 1) }
    while reads.withLock({ $0 }) == 0 { await Task.yield() }
    // A task on the main actor runs until the wait is in the queue behind the first one.
    let begun = Mutex(0)
    let others = (0..<count).map { _ in
      Task {
        begun.withLock { $0 += 1 }
        try await replica.wait(for: 2)
        #expect(try replica.log.head() == 2)
      }
    }
    while begun.withLock({ $0 }) < count { await Task.yield() }
    try append(1)
    if let answers { remote.fail(StoreFault(number: answers + 1, way: .notDone)) }
    isOver.finish()
    try await first.value
    var errors: [any Error] = []
    for other in others { do { try await other.value } catch { errors.append(error) } }
    return (reads.withLock { $0 }, errors)
  }

  @Test @MainActor func `concurrent waits share a read of the remote log that began after them`() async throws {
    let (reads, errors) = try await waits(100)
    #expect(reads == 2 && errors.isEmpty)
  }

  @Test @MainActor func `a wait whose shared read fails reads by itself`() async throws {
    let (reads, errors) = try await waits(10, cutAfter: 0)
    #expect(reads == 3 && errors.count == 1 && (errors.first as? EventStoreError)?.code == .unreachable)
  }

  @Test func `a repeated transaction returns the first receipt, and the copy contains its events`() async throws {
    let replica = Replica(of: remote, in: MemoryEventStore())
    let first = try await replica.transaction(commandID: "t") { transaction in
      try transaction.execute("word", on: DistantBook["a"])
      try transaction.execute("other", on: DistantBook["b"])
    }
    #expect(first.count == 2 && !first.isRepeated)
    #expect(try everything(replica.log) == everything(remote.server))
    let second = try await replica.transaction(commandID: "t") { transaction in
      try transaction.execute("third", on: DistantBook["c"])
    }
    #expect(second.isRepeated && second.position == first.position)
    #expect(try remote.server.head() == 2)
  }

  @Test func `a command that is committed and could not be copied says so`() async throws {
    let local = FaultyStore(MemoryEventStore())
    local.fail(StoreFault(.append, number: 1, way: .notDone))
    let replica = Replica(of: remote, in: local)
    let error = await #expect(throws: Replica.BehindError.self) {
      try await replica.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "s"))
    }
    #expect(error?.receipt?.position == 1)
    #expect(error?.description.contains("Don't retry the command") == true)
    #expect(try remote.server.head() == 1)
  }

  @Test func `a server that was restored from an older backup is noticed, with the last common position`() async throws
  {
    for _ in 1...20 { try append(2) }
    let old = try everything(remote.server)
    let local = MemoryEventStore()
    try await Replica(of: remote, in: local).catchUp()
    for restored in [0, 10, 39] {
      for later in [0, 1, 40] {
        let older = MemoryEventStore()
        for event in old.prefix(restored) {
          try put(
            NewEvent(type: event.type, payload: event.payload, id: event.id, time: event.time), to: event.stream, older)
        }
        for _ in 0..<later { try put(NewEvent(type: "DistantThing", payload: nil), to: "s", older) }
        remote.server.log = older
        let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: local).catchUp() }
        #expect(error?.code == .replaced && error?.position == Position(restored))
        #expect(error?.message.contains("Clone the server's log into") == true)
        #expect(try everything(local) == old)
      }
    }
  }

  @Test func `what was appended to the copy beside the replica is noticed`() async throws {
    try append(3)
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    try await replica.catchUp()
    try put(NewEvent(type: "DistantThing", payload: nil), to: "s", local)
    for _ in 1...2 {
      let error = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
      #expect(error?.code == .replaced && error?.position == 3)
      try append(1)
    }
  }

  @Test func `a replica that runs hears of appends, waits out a cut, and ends with its task`() async throws {
    let delays = Mutex<[Duration]>([])
    let remote = MemoryRemoteStore(
      MemoryRemoteServer(
        environment: StoreEnvironment(sleep: { delay in
          if delay < .seconds(1) { delays.withLock { $0.append(delay) } }
          try await Task.sleep(for: .milliseconds(1))
        })))
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    let reports = Mutex<[Replica.Status]>([])
    let task = Task { try await replica.run { status in reports.withLock { $0.append(status) } } }
    let event = NewEvent(type: "DistantThing", payload: nil)
    for number in 1...20 {
      if number % 4 == 0 { remote.fail(StoreFault(.read, way: .notDone)) }
      let receipt = try await remote.append(Append([event], to: "s"))
      while local.head() < receipt.position { await Task.yield() }
    }
    task.cancel()
    try await task.value
    #expect(delays.withLock { $0.contains(.milliseconds(100)) })
    let wasAway = reports.withLock { reports in
      reports.contains {
        guard case .waiting(_, after: let error as EventStoreError) = $0.activity else { return false }
        return error.code == .unreachable
      }
    }
    #expect(wasAway)
    #expect(try everything(local) == everything(remote.server))
  }

  @Test func `a replica that runs ends with what trying again cannot mend`() async throws {
    try append(2)
    let local = MemoryEventStore()
    try await Replica(of: remote, in: local).catchUp()
    remote.server.log = MemoryEventStore()
    let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: local).run() }
    #expect(error?.code == .replaced)
  }

  @Test func `two replicas fill one log together`() async throws {
    for _ in 1...300 { try append(2) }
    let local = MemoryEventStore()
    let replicas = (1...2).map { _ in Replica(of: remote, in: local, pageSize: 3) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for replica in replicas { group.addTask { try await replica.catchUp() } }
      try await group.waitForAll()
    }
    #expect(try everything(local) == everything(remote.server))
  }

  @Test(arguments: StoreContract.rules)
  func `what is read through a replica keeps the contract of stores`(rule: StoreContract.Rule) async throws {
    let outcome: Result<Void, any Error> = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Result { try rule.check { ReplicatedStore(environment: $0) } })
      }
    }
    try outcome.get()
  }
}

/// A store that appends far away and reads its replica.
private final class ReplicatedStore: EventStore {
  private let remote: MemoryRemoteStore
  private let replica: Replica
  var source: String { remote.source }
  var environment: StoreEnvironment { remote.environment }
  let runtime = StoreRuntime()
  var checkpoints: (any CheckpointStore)? { replica.log.checkpoints }
  var snapshots: (any SnapshotStore)? { replica.log.snapshots }
  var savedLists: (any SavedListStore)? { replica.log.savedLists }
  var inlineLists: (any InlineListStore)? { replica.log.inlineLists }

  init(environment: StoreEnvironment) {
    remote = MemoryRemoteStore(MemoryRemoteServer(environment: environment))
    replica = Replica(of: remote, in: MemoryEventStore(environment: environment), pageSize: 3)
  }

  func commit(_ append: Append) throws -> Receipt {
    let receipt = try remote.server.commit(append)
    let done = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    Task.detached(executorPreference: OwnThreads.shared) { [replica] in
      do { try await replica.wait(for: receipt.position) } catch { failure.withLock { $0 = error } }
      done.signal()
    }
    done.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
    return receipt
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try replica.log.read(body) }

  // Receipts of commands stay in the remote log.
  func receipt(ofCommand commandID: String) throws -> Receipt? { try remote.server.receipt(ofCommand: commandID) }
}

enum DistantBookEvent: Event {
  case distantWordWritten(String)
}

struct DistantWord: Row {
  let id: String
}

struct DistantWords: Projection {
  func project(_ event: DistantBookEvent, into rows: inout Rows<DistantWord>) {
    if case .distantWordWritten(let word) = event { rows.insert(DistantWord(id: word)) }
  }
}

/// Words of a stream, each written once.
struct DistantBook: Decider {
  struct Twice: Error {}

  var words: Set<String> = []

  func decide(_ command: String) throws -> [DistantBookEvent] {
    if words.contains(command) { throw Twice() }
    return [.distantWordWritten(command)]
  }

  mutating func evolve(_ event: DistantBookEvent) {
    if case .distantWordWritten(let word) = event { words.insert(word) }
  }
}

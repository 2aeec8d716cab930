import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing
@testable import Annals
@testable import AnnalsLog
@testable import AnnalsRemote

/// A replica erases what was erased from the remote log.
@Suite struct ReplicaErasureTests {
  private let remote = MemoryRemoteStore()

  /// Appends what is said of some persons, an event each.
  private func say(_ people: String...) throws {
    try remote.server.append(
      Append(
        people.map { person in
          NewEvent(type: "DistantGuestCame", payload: Self.payload(person))
        }, to: "s"))
  }

  private static func payload(_ person: String) -> String {
    #"{"id":"\#(person)","name":{"$personal":"\#(person)","value":"secret \#(person)"}}"#
  }

  private func put(_ event: NewEvent, _ store: any EventStore) throws { try store.append(Append([event], to: "s")) }

  private func erase(_ subject: String, in store: any EventStore) throws { try store.erase(subject: subject) }

  private func everything(_ store: any EventStore) throws -> [StoredEvent] {
    try store.events(.all, after: 0, through: nil, limit: 100_000)
  }

  @Test func `what is erased there is erased here, and later events follow`() async throws {
    try say("ann", "bob")
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    try await replica.catchUp()
    try await remote.server.erase(subject: "ann")
    try say("ann", "cid")
    #expect(try await replica.catchUp() == 4)
    #expect(try everything(local) == everything(remote.server))
    #expect(local.revision().erasures == 1)
    try await remote.server.erase(subject: "ann")
    // The next one is another object, as after a restart.
    try await Replica(of: remote, in: local).catchUp()
    #expect(try everything(local) == everything(remote.server))
    #expect(try !everything(local).contains { $0.payload?.contains("secret ann") == true })
  }

  @Test func `a replica that was away while several were erased has what the server has`() async throws {
    for pageSize in [1, 3, 100] {
      let (remote, local) = (MemoryRemoteStore(), MemoryEventStore())
      func say(_ person: String) throws {
        try remote.server.append(
          Append([NewEvent(type: "T", payload: #"{"$personal":"\#(person)","value":1}"#)], to: StreamName(person)))
      }
      for number in 0..<20 { try say("p\(number % 4)") }
      try await Replica(of: remote, in: local, pageSize: pageSize).catchUp()
      for round in 0..<6 {
        try await remote.server.erase(subject: "p\(round % 4)")
        for number in 0..<5 { try say("p\((number + round) % 4)") }
      }
      try await Replica(of: remote, in: local, pageSize: pageSize).catchUp()
      #expect(try everything(local) == everything(remote.server))
      // A copy that is made now is the same.
      let fresh = MemoryEventStore()
      try await Replica(of: remote, in: fresh, pageSize: pageSize).catchUp()
      #expect(try everything(fresh) == everything(local))
    }
  }

  @Test @MainActor func `a list on a replica shows no value any more, in one batch that says why`() async throws {
    try say("ann", "bob")
    let replica = Replica(of: remote, in: MemoryEventStore())
    try await replica.catchUp()
    let list = FetchedResultsController(store: replica.log, projection: DistantGuests())
    try list.performFetch()
    #expect(list.fetchedObjects.map(\.name.value) == ["secret ann", "secret bob"])
    var causes: [ChangeCause] = []
    let watch = list.observe { causes.append($0.cause) }
    try await replica.erase(subject: "ann")
    #expect(list.fetchedObjects.map(\.name.value) == [nil, "secret bob"])
    #expect(causes == [.erasure])
    withExtendedLifetime(watch) {}
  }

  @Test func `an erasure that is cut off anywhere goes on, and is whole or not there meanwhile`() async throws {
    var cuts = 0
    for answers in 0..<12 {
      let (remote, local) = (MemoryRemoteStore(), MemoryEventStore())
      func say(_ person: String) throws {
        try remote.server.append(
          Append([NewEvent(type: "T", payload: #"{"$personal":"\#(person)","value":1}"#)], to: StreamName(person)))
      }
      for number in 0..<9 { try say("p\(number % 3)") }
      try await Replica(of: remote, in: local, pageSize: 2).catchUp()
      try await remote.server.erase(subject: "p1")
      try say("p1")
      try await remote.server.erase(subject: "p2")
      remote.fail(StoreFault(number: answers + 1, way: .notDone))
      do { try await Replica(of: remote, in: local, pageSize: 2).catchUp() } catch let error as EventStoreError
        where error.code == .unreachable
      { cuts += 1 }
      for person in ["p1", "p2"] {
        let left = try everything(local).prefix(9).filter {
          $0.stream == StreamName(person) && $0.payload?.contains("value") == true
        }
        #expect(left.isEmpty || left.count == 3)
      }
      remote.mend()
      try await Replica(of: remote, in: local, pageSize: 2).catchUp()
      #expect(try everything(local) == everything(remote.server))
    }
    #expect(cuts >= 3)
  }

  @Test func `an erasure whose store fails anywhere goes on`() async throws {
    var failures = 0
    for call in [StoreFault.Call.append, .checkpoint, .erasure] {
      for number in 1...8 {
        for way in [StoreFault.Way.notDone, .answerLost] {
          let (remote, local) = (MemoryRemoteStore(), MemoryEventStore())
          func say(_ person: String) throws {
            try remote.server.append(
              Append([NewEvent(type: "T", payload: #"{"$personal":"\#(person)","value":1}"#)], to: StreamName(person)))
          }
          for number in 0..<6 { try say("p\(number % 3)") }
          try await Replica(of: remote, in: local).catchUp()
          for person in ["p0", "p1"] { try await remote.server.erase(subject: person) }
          try say("p0")
          let faulty = FaultyStore(local)
          faulty.fail(StoreFault(call, number: number, way: way))
          do { try await Replica(of: remote, in: faulty).catchUp() } catch { failures += 1 }
          try await Replica(of: remote, in: local).catchUp()
          #expect(try everything(local) == everything(remote.server))
        }
      }
    }
    #expect(failures > 10)
  }

  @Test func `a file has none of the bytes after the replica has caught up`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    func files(with text: String) throws -> [String] {
      try ["", "-wal", "-shm"].filter { end in
        guard FileManager.default.fileExists(atPath: path + end) else { return false }
        return try Data(contentsOf: URL(filePath: path + end)).range(of: Data(text.utf8)) != nil
      }
    }
    for _ in 0..<50 { try say("ann", "bob", "ann") }
    let local = try SQLiteEventStore(path: path, durability: .process)
    let replica = Replica(of: remote, in: local)
    try await replica.catchUp()
    #expect(try !files(with: "secret ann").isEmpty)
    for subject in ["ann", "bob"] { try await remote.server.erase(subject: subject) }
    try await replica.catchUp()
    #expect(try everything(local) == everything(remote.server))
    for text in ["secret ann", "secret bob"] { #expect(try files(with: text) == []) }
    let report = try local.verify()
    #expect(report.isSound, "\(report)")
    local.close()
    for text in ["secret ann", "secret bob"] { #expect(try files(with: text) == []) }
  }

  @Test func `bytes that a reader held are taken out by the next replica`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    for _ in 0..<20 { try say("ann") }
    let local = try SQLiteEventStore(path: path, durability: .process)
    try await Replica(of: remote, in: local).catchUp()
    try await remote.server.erase(subject: "ann")
    let other = try SQLiteEventStore(readingFrom: path)
    let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? other.read { log in
        _ = try log.head()
        begun.signal()
        done.wait()
      }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        begun.wait()
        continuation.resume()
      }
    }
    try await Replica(of: remote, in: local).catchUp()
    #expect(try everything(local) == everything(remote.server))
    #expect(try local.checkpoints?.checkpoint(named: "annals:replica:left") == 1)
    done.signal()
    while try local.checkpoints?.checkpoint(named: "annals:replica:left") != nil {
      try await Replica(of: remote, in: local).catchUp()
    }
    other.close()
    local.close()
    #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data("secret ann".utf8)) == nil)
  }

  @Test func `what is read before an erasure is not appended after it, also beside another replica`() async throws {
    for local in [MemoryEventStore() as any EventStore, PlainStore()] {
      let remote = MemoryRemoteStore()
      for _ in 0..<200 {
        try put(NewEvent(type: "T", payload: #"{"$personal":"ann","value":1}"#), remote.server)
      }
      let replicas = (0..<3).map { _ in Replica(of: remote, in: local, pageSize: 2) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for replica in replicas { group.addTask { try await replica.catchUp() } }
        group.addTask {
          for number in 0..<20 {
            _ = try await remote.erasing?.commitErasure(of: "ann")
            try await remote.append(
              Append([NewEvent(type: "T", payload: #"{"$personal":"ann","value":\#(number)}"#)], to: "s"))
            for _ in 0..<number { await Task.yield() }
          }
        }
        try await group.waitForAll()
      }
      for replica in replicas { try await replica.catchUp() }
      #expect(try everything(local) == everything(remote.server))
    }
  }

  /// What a compaction puts in an event's place may say something of a subject that was erased before.
  @Test func `an erasure that is done is not done again after a compaction whose answer was lost`() async throws {
    try say("ann", "bob")
    let local = MemoryEventStore()
    try await Replica(of: remote, in: local).catchUp()
    try await remote.server.erase(subject: "ann")
    var changes = CompactionEdits()
    changes.add(
      .replaced(
        by: NewEvent(
          type: "DistantGuestCame", payload: Self.payload("ann"), id: EventID(source: "urn:distant", id: "new"))),
      at: 2)
    try remote.server.compact(
      RemoteCompaction(id: "1", revision: remote.server.revision(), horizon: 2, changes: changes))
    let faulty = FaultyStore(local)
    faulty.fail(StoreFault(.compaction, number: 1, way: .answerLost))
    await #expect(throws: (any Error).self) { try await Replica(of: remote, in: faulty).catchUp() }
    #expect(local.revision().compacted.count == 1)
    try await Replica(of: remote, in: local).catchUp()
    #expect(try everything(local) == everything(remote.server))
    #expect(try everything(local).map { $0.payload?.contains("secret ann") ?? false } == [false, true])
    // A later erasure is done here, too.
    try await remote.server.erase(subject: "ann")
    try await Replica(of: remote, in: local).catchUp()
    #expect(try everything(local) == everything(remote.server))
    #expect(try everything(local).allSatisfy { $0.payload?.contains("secret ann") != true })
  }

  @Test(arguments: ["memory", "file", "a store of someone else's"])
  func `an erasure that comes after another replica's erases nothing said since`(kind: String) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let file = try SQLiteEventStore(path: path, durability: .process, observesExternalWriters: false)
    defer { file.close() }
    let memory = MemoryEventStore()
    let stores: [String: any EventStore] = ["memory": memory, "file": file]
    let local = stores[kind] ?? FaultyStore(memory)
    try say("ann", "bob")
    try await Replica(of: remote, in: local).catchUp()
    // One replica has read where the copy is, and is slow; another one erases, and copies what was said since.
    let before = try ReplicaEnd(of: local)
    try await remote.server.erase(subject: "ann")
    try say("ann")
    try await Replica(of: remote, in: local).catchUp()
    let error = await #expect(throws: EventStoreError.self) {
      _ = try await local.erase(subjects: ["ann"], demanding: before.erasureDemand, isolation: nil)
    }
    #expect(error?.code == .conditionConflict)
    #expect(throws: ReplicaOvertaken.self) { try before.note(erasedThrough: 1, hasRemnants: false, in: local) }
    #expect(try everything(local) == everything(remote.server))
    #expect(try everything(local).filter { $0.payload?.contains("secret ann") == true }.map(\.position) == [3])
  }

  @Test func `a server that was restored from before an erasure is noticed, also when it erased something else since`()
    async throws
  {
    try say("ann", "bob")
    let local = MemoryEventStore()
    try await Replica(of: remote, in: local).catchUp()
    let backup = remote.server.backup()
    try await remote.server.erase(subject: "ann")
    try await Replica(of: remote, in: local).catchUp()
    let old = try everything(local)
    remote.server.restore(backup)
    for subject in ["bob", "ann"] {
      let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: local).catchUp() }
      #expect(error?.code == .replaced && error?.message.contains("older backup") == true)
      #expect(try everything(local) == old)
      try await remote.server.erase(subject: subject)
    }
    let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: local).catchUp() }
    #expect(error?.code == .replaced)
  }

  @Test func `a server that was restored from before an erasure is noticed, also by a copy that was about to erase`()
    async throws
  {
    let (remote, local) = (MemoryRemoteStore(), MemoryEventStore())
    try put(NewEvent(type: "T", payload: #"{"$personal":"ann","value":1}"#), remote.server)
    try await Replica(of: remote, in: local).catchUp()
    let backup = remote.server.backup()
    try await remote.server.erase(subject: "ann")
    let faulty = FaultyStore(local)
    faulty.fail(StoreFault(.erasure, number: 1, way: .notDone))
    await #expect(throws: (any Error).self) { try await Replica(of: remote, in: faulty).catchUp() }
    remote.server.restore(backup)
    let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: local).catchUp() }
    #expect(error?.code == .replaced)
  }

  @Test func `a copy that cannot follow says so, and stays as it was`() async throws {
    let silent = SilentRemote(remote)
    try put(NewEvent(type: "T", payload: #"{"$personal":"ann","value":1}"#), remote.server)
    let copies: [(any RemoteEventStore, any EventStore)] = [
      (silent, MemoryEventStore()), (remote, PlainStore(erases: false)),
    ]
    for (remote, copy) in copies { try await Replica(of: remote, in: copy).catchUp() }
    try await remote.server.erase(subject: "ann")
    for (remote, copy) in copies {
      let before = try everything(copy)
      let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: copy).catchUp() }
      #expect(error?.code == .rewritten && error?.message.contains("Clone the log into") == true)
      #expect(try everything(copy) == before)
    }
  }

  @Test func `a copy from which something else was erased is none any more`() async throws {
    try say("ann", "bob", "cid")
    let local = MemoryEventStore()
    try await Replica(of: remote, in: local).catchUp()
    try await remote.server.erase(subject: "ann")
    try await Replica(of: remote, in: local).catchUp()
    try erase("bob", in: local)
    let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: local).catchUp() }
    #expect(error?.code == .rewritten)
  }

  @Test func `a remote log that was compacted ends its replica`() async throws {
    try say("ann")
    let local = MemoryEventStore()
    try await Replica(of: remote, in: local).catchUp()
    // A store of someone else's, whose log is compacted.
    let compacted = SilentRemote(remote, isCompacted: true)
    let error = await #expect(throws: EventStoreError.self) { try await Replica(of: compacted, in: local).catchUp() }
    #expect(error?.code == .rewritten)
  }
}

/// A store of someone else's: it groups nothing, and does not look at what the library's own stores look at.
private final class PlainStore: EventStore {
  private let inner = MemoryEventStore()
  private let erases: Bool
  var source: String { inner.source }
  var environment: StoreEnvironment { inner.environment }
  var runtime: StoreRuntime { inner.runtime }
  var checkpoints: (any CheckpointStore)? { inner.checkpoints }
  var erasing: (any ErasingStore)? { erases ? inner.erasing : nil }

  init(erases: Bool = true) { self.erases = erases }

  func commit(_ append: Append) throws -> Receipt {
    try inner.commit(
      Append(
        append.entries, expectations: append.expectations, conditions: append.conditions, commandID: append.commandID))
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try inner.read(body) }
}

/// A custom remote store, which reports neither erasures nor compactions.
final class SilentRemote: RemoteEventStore {
  private let inner: MemoryRemoteStore
  /// True if the store says that its log was compacted.
  private let isCompacted: Bool
  let commands = CommandMemory()
  var source: String { inner.source }
  var environment: StoreEnvironment { inner.environment }

  init(_ inner: MemoryRemoteStore, isCompacted: Bool = false) { (self.inner, self.isCompacted) = (inner, isCompacted) }

  func commit(_ append: Append) async throws -> Receipt { try await inner.commit(append) }

  func ask(_ questions: [LogQuery]) async throws -> LogResponse {
    let reading = try await inner.ask(questions)
    guard isCompacted else { return reading }
    return LogResponse(
      head: reading.head, revision: LogRevision(compacted: CompactedHistory(count: 1, horizon: 1)),
      answers: reading.answers)
  }
}

enum DistantGuestEvent: Event {
  case came(id: String, name: Personal<String>)
}

private struct DistantGuest: Row {
  let id: String
  let name: Personal<String>
}

private struct DistantGuests: Projection {
  func project(_ event: DistantGuestEvent, into rows: inout Rows<DistantGuest>) {
    if case .came(let id, let name) = event { rows.insert(DistantGuest(id: id, name: name)) }
  }
}

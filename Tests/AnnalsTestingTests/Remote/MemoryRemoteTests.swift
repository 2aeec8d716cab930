import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Connections to a server in memory, with faults.
///
/// Other suites check the contracts of remote stores.
@Suite(.timeLimit(.minutes(60))) struct MemoryRemoteTests {
  private let server: MemoryRemoteServer
  private let remote: MemoryRemoteStore

  init() {
    server = MemoryRemoteServer(environment: StoreEnvironment(sleep: { _ in await Task.yield() }, report: { _ in }))
    remote = MemoryRemoteStore(server)
  }

  /// All faults of one call of a kind, and of all calls after it.
  static let faults: [StoreFault] = StoreFault.Way.allCases.flatMap { way in
    [false, true].map { StoreFault(way: way, lasts: $0) }
  }

  private func add(_ amount: Int, id: String? = nil, _ store: MemoryRemoteStore? = nil) async throws -> Receipt {
    try await (store ?? remote).execute(amount, on: CoinPurse["a"], commandID: id)
  }

  private func everything(_ store: any EventStore) throws -> [StoredEvent] {
    try store.events(.all, after: 0, through: nil, limit: 1_000)
  }

  @Test func `every way to fail has the code of a server`() async throws {
    var codes: [EventStoreError.Code] = []
    for way in StoreFault.Way.allCases {
      for call in [StoreFault.Call.read, .append] {
        remote.fail(StoreFault(call, way: way))
        let error = await #expect(throws: EventStoreError.self) {
          if call == .read {
            _ = try await remote.head()
          } else {
            try await remote.append([CoinEvent.added(1)], to: "p")
          }
        }
        #expect(error?.isTransient == true && remote.failed == 1)
        codes.append(try #require(error).code)
      }
    }
    #expect(codes == [.unreachable, .unreachable, .busy, .busy, .unreachable, .unknownOutcome])
    // Only the append whose response was lost has taken effect.
    #expect(try server.head() == 1)
    remote.fail(StoreFault(way: .notDone, lasts: true))
    for _ in 1...3 { await #expect(throws: EventStoreError.self) { try await remote.head() } }
    #expect(remote.calls == [.read, .read, .read] && remote.failed == 3)
    // The other connection's calls don't fail.
    #expect(try await MemoryRemoteStore(server).head() == 1)
    remote.mend()
    #expect(try await remote.head() == 1)
  }

  @Test(arguments: faults)
  func `a replica recovers after a fault of any call, and its command is executed once`(fault: StoreFault) async throws
  {
    var failures = 0
    for number in 1...9 {
      let remote = MemoryRemoteStore()
      try await remote.execute(1, on: CoinPurse["a"])
      let replica = Replica(of: remote, in: MemoryEventStore(), pageSize: 2)
      remote.fail(StoreFault(number: number, way: fault.way, lasts: fault.lasts))
      do { try await replica.execute(2, on: CoinPurse["a"], commandID: "c") } catch let error as Replica.BehindError {
        #expect((error.reason as? EventStoreError)?.isTransient == true)
        failures += 1
      } catch let error as EventStoreError {
        #expect(error.isTransient)
        failures += 1
      }
      remote.mend()
      try await replica.execute(2, on: CoinPurse["a"], commandID: "c")
      #expect(try await remote.head() == 2)
      #expect(try everything(replica.log) == everything(remote.server))
    }
    #expect(failures > 1)
  }

  @Test func `a replica that runs waits for an unreachable server, and then copies another process's events`()
    async throws
  {
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    remote.fail(StoreFault(way: .notDone, lasts: true))
    let (waits, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await replica.run { if case .waiting = $0.activity { continuation.yield() } }
    }
    for await _ in waits { break }
    try await server.append([CoinEvent.added(1)], to: "p")
    remote.mend()
    while local.head() < 1 { await Task.yield() }
    task.cancel()
    try await task.value
  }

  @Test(arguments: faults)
  func `a follower handles every event in order, after a fault of any call`(fault: StoreFault) async throws {
    var failures = 0
    for number in 1...12 {
      let (clock, notes) = (ManualClock(), FollowedNotes())
      let server = MemoryRemoteServer(
        environment: StoreEnvironment(now: { clock.now }, sleep: { _ in await Task.yield() }, report: { _ in }))
      for stream in ["a", "b", "a"] { try server.write("x", to: StreamName(stream)) }
      let remote = MemoryRemoteStore(server)
      func follower() throws -> RemoteFollower<FollowedEvent> {
        try RemoteFollower(
          "mailer", of: FollowedEvent.self, in: remote, startingAt: .beginning, partitions: 2, lease: .unlosable
        ) { [notes] recorded, context in try notes.handle(recorded, context) }
      }
      remote.fail(StoreFault(number: number, way: fault.way, lasts: fault.lasts))
      do { try await follower().catchUp() } catch let error as EventStoreError {
        #expect(error.isTransient)
        failures += 1
      }
      remote.mend()
      // The failed worker might not have released its leases.
      clock.advance(by: 7_200)
      #expect(try await follower().catchUp() == 3)
      #expect(try notes.problems(server) == [])
    }
    #expect(failures > 1)
  }

  @Test func `a follower that runs waits for an unreachable server, and handles an event of another process`()
    async throws
  {
    let notes = FollowedNotes()
    let follower = try RemoteFollower(
      "mailer", of: FollowedEvent.self, in: remote, startingAt: .beginning, lease: .unlosable
    ) { recorded, context in try notes.handle(recorded, context) }
    remote.fail(StoreFault(way: .notDone, lasts: true))
    let task = Task { try await follower.run() }
    while remote.failed == 0 { await Task.yield() }
    try server.write("x", to: "a")
    remote.mend()
    while notes.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    try await task.value
    #expect(notes.taken == ["a:1"])
  }

  @Test func `an expired lease is replaced when the server's clock advances`() async throws {
    let clock = ManualClock()
    let server = MemoryRemoteServer(environment: StoreEnvironment(now: { clock.now }))
    let checkpoints = try #require(MemoryRemoteStore(server).checkpoints)
    func claim(_ worker: String) async throws -> [Int] {
      let claim = LeaseClaim(FollowerID("mailer"), worker: worker, partitions: 1, duration: .seconds(10))
      return try await checkpoints.claim(claim).leases.map(\.fence)
    }
    #expect(try await claim("one") == [1])
    clock.advance(by: 9)
    #expect(try await claim("two") == [])
    clock.advance(by: 1)
    #expect(try await claim("two") == [2])
    #expect(server.expiredLeases == 1)
  }

  @Test func `a command that meets a conflict in every attempt ends with an error`() async throws {
    let other = MemoryRemoteStore(server)
    remote.onCalls { call, leg in
      if call == .append, leg == .request { try await other.execute(0, on: CoinPurse["a"]) }
    }
    let error = await #expect(throws: EventStoreError.self) { try await add(1) }
    #expect(error?.code == .tooManyConflicts)
    remote.onCalls { call, leg in
      guard call == .append, leg == .request else { return }
      remote.onCalls(nil)
      try await other.execute(9, on: CoinPurse["a"])
    }
    await #expect(throws: CoinPurse.Full.self) { try await add(1) }
    remote.onCalls(nil)
  }

  @Test func `an error on the way back is an error of a call that has taken effect`() async throws {
    struct Lost: Error {}
    for leg in MemoryRemoteStore.Leg.allCases {
      remote.onCalls { if $0 == .append, $1 == leg { throw Lost() } }
      await #expect(throws: Lost.self) { try await add(1, id: "\(leg)") }
      remote.onCalls(nil)
      #expect(try await add(1, id: "\(leg)").isRepeated == (leg == .response))
    }
    #expect(try server.head() == 2)
  }

  @Test(arguments: MemoryRemoteStore.Leg.allCases)
  func `cancelling a slow command has no effect before the commit, and returns the receipt after it`(
    leg: MemoryRemoteStore.Leg
  ) async throws {
    let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
    let (answer, isAnswered) = AsyncStream.makeStream(of: Void.self)
    remote.onCalls { call, now in
      guard call == .append, now == leg else { return }
      isWaiting.yield()
      for await _ in answer {}
      try Task.checkCancellation()
    }
    let task = Task { try await remote.execute(1, on: CoinPurse["a"]) }
    for await _ in waits { break }
    task.cancel()
    isAnswered.finish()
    switch leg {
    case .request: await #expect(throws: CancellationError.self) { try await task.value }
    case .response: #expect(try await task.value.position == 1)
    }
    #expect(try server.head() == (leg == .request ? 0 : 1))
  }

  @Test func `an append wakes the subscriptions of all connections`() async throws {
    let others = [MemoryRemoteStore(server), MemoryRemoteStore(server)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for other in others { group.addTask { try await other.wait(for: 2) } }
      _ = try await add(1)
      try await server.append([CoinEvent.added(1)], to: "p")
      try await group.waitForAll()
    }
  }

  @Test func `a restored backup is another history for replicas, subscriptions and followers`() async throws {
    let clock = ManualClock()
    let server = MemoryRemoteServer(environment: StoreEnvironment(now: { clock.now }))
    let remote = MemoryRemoteStore(server)
    func say(_ name: String) async throws {
      let payload = #"{"who":{"$personal":"\#(name)","value":1}}"#
      try await remote.append(Append([NewEvent(type: "T", payload: payload)], to: "s"))
    }
    for name in ["ann", "bob"] { try await say(name) }
    let backup = server.backup()
    try await remote.erase(subject: "ann")
    let (replica, local) = (Replica(of: remote, in: MemoryEventStore()), MemoryEventStore())
    try await replica.catchUp()
    var batches = remote.subscription(after: 0).makeAsyncIterator()
    _ = try await batches.next()
    // A backup can be restored several times.
    for _ in 1...2 {
      server.restore(backup)
      #expect(try await remote.revision() == .original)
      // The clock shows the time of the lost erasure.
      try await remote.erase(subject: "bob")
      try await Replica(of: remote, in: local).catchUp()
      #expect(try everything(local) == everything(server))
      let error = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
      #expect(error?.code == .replaced)
      if local.head() == 2 { break }
    }
    try await say("cid")
    let error = await #expect(throws: EventStoreError.self) { try await batches.next() }
    #expect(error?.code == .replaced)
  }

  @Test func `appends of a group are committed together, and fail together`() async throws {
    let events = [try NewEvent(CoinEvent.added(1))]
    let appends = [
      Append(events, to: "p"), Append(events, to: "p", expecting: .doesNotExist), Append(events, to: "p"),
    ]
    let results = await remote.appendGroup(appends)
    #expect(results.map { (try? $0.get())?.position } == [1, nil, 2] && remote.calls == [.append])
    remote.fail(StoreFault(.append, way: .answerLost))
    let lost = await remote.appendGroup(appends)
    for result in lost { #expect(throws: EventStoreError.self) { try result.get() } }
    #expect(try server.head() == 4)
  }

  @Test func `the server counts, and reports erasures and compactions to every connection`() async throws {
    _ = try await add(1)
    #expect(try await remote.statistics().events == 1 && remote.calls.last == .read)
    #expect(try await remote.erasing?.hasPersonalValues() == false && remote.calls.last == .erasure)
    #expect(try await remote.compacting?.compactions(after: 0, limit: 1) == [] && remote.calls.last == .compaction)
    let error = #expect(throws: EventStoreError.self) { try server.compact(Compaction()) }
    #expect(error?.code == .unsupported)
  }
}

/// A clock that a test advances.
final class ManualClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))

  var now: Date { time.withLock { $0 } }

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

enum CoinEvent: Event {
  case added(Int)
}

/// A purse for at most nine coins.
struct CoinPurse: Decider {
  struct Full: Error {}

  var sum = 0

  func decide(_ command: Int) throws(Full) -> [CoinEvent] {
    guard sum + command <= 9 else { throw Full() }
    return [.added(command)]
  }

  mutating func evolve(_ event: CoinEvent) {
    if case .added(let amount) = event { sum += amount }
  }
}

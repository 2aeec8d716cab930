import AnnalsRemote
import AnnalsTesting
import Synchronization
import Testing
@testable import Annals
@testable import AnnalsLog

/// The state of a replica, which any task can read.
@Suite struct ReplicaStatusTests {
  private let remote = MemoryRemoteStore()

  private func append(_ count: Int) throws {
    for _ in 0..<count {
      try remote.server.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "s"))
    }
  }

  /// Waits until a replica has a status.
  private func wait(_ replica: Replica, until isTrue: (Replica.Status) -> Bool) async -> Replica.Status {
    while true {
      let status = replica.status
      if isTrue(status) { return status }
      await Task.yield()
    }
  }

  private func isCurrent(_ status: Replica.Status) -> Bool { activity(of: status) == "current" }

  /// The activity as text, with the type of its error.
  private func activity(of status: Replica.Status) -> String {
    switch status.activity {
    case .starting: "starting"
    case .catchingUp: "catching up"
    case .current: "current"
    case .waiting(let delay, let error): "waiting \(delay) after \(type(of: error))"
    case .stopped(let error): "stopped by \(type(of: error))"
    }
  }

  @Test func `The status is starting until the copy was compared with the remote log, and then current`() async throws {
    try append(3)
    let replica = Replica(of: remote, in: MemoryEventStore())
    #expect(activity(of: replica.status) == "starting")
    #expect(replica.status.progress == nil && replica.status.lastContact == nil)
    let before = ContinuousClock.now
    try await replica.catchUp()
    let status = replica.status
    #expect(isCurrent(status) && status.progress == LogProgress(position: 3, end: 3))
    let contact = try #require(status.lastContact)
    #expect(contact >= before && contact <= .now)
    try append(1)
    // Only a response of the remote log changes the status.
    #expect(replica.status.progress == LogProgress(position: 3, end: 3))
    try await replica.wait(for: 4)
    #expect(isCurrent(replica.status) && replica.status.progress == LogProgress(position: 4, end: 4))
    #expect(try #require(replica.status.lastContact) >= contact)
  }

  @Test func `The status is catching up while events are copied, and the closure of run receives the same values`()
    async throws
  {
    try append(30)
    let replica = Replica(of: remote, in: MemoryEventStore(), pageSize: 10)
    let reports = Mutex<[Replica.Status]>([])
    let task = Task {
      try await replica.run { status in
        // The status is the reported one, because no other call copies events.
        #expect(status.progress == replica.status.progress && status.lastContact == replica.status.lastContact)
        reports.withLock { $0.append(status) }
      }
    }
    _ = await wait(replica, until: isCurrent)
    task.cancel()
    try await task.value
    let all = reports.withLock { $0 }
    let current = try #require(all.firstIndex(where: isCurrent))
    #expect(current > 0 && all[current].progress == LogProgress(position: 30, end: 30))
    for status in all[..<current] {
      #expect(activity(of: status) == "catching up")
      #expect(try #require(status.progress).position < 30 && status.progress?.end == 30)
    }
    #expect(activity(of: replica.status) == "stopped by CancellationError")
  }

  @Test func `The status is waiting after a failure, with the time of the last response, and then current`()
    async throws
  {
    let (sleeps, sleep) = AsyncStream.makeStream(of: Void.self)
    let remote = MemoryRemoteStore(
      MemoryRemoteServer(
        environment: StoreEnvironment(sleep: { _ in
          // The replica retries when the test wants it.
          var due = sleeps.makeAsyncIterator()
          _ = await due.next()
        })))
    let replica = Replica(of: remote, in: MemoryEventStore())
    let task = Task { try await replica.run() }
    _ = await wait(replica, until: isCurrent)
    remote.fail(StoreFault(.read, way: .notDone, lasts: true))
    try await remote.server.append(Append([NewEvent(type: "DistantThing", payload: nil)], to: "s"))
    let waiting = await wait(replica) { !isCurrent($0) }
    #expect(activity(of: waiting) == "waiting 0.1 seconds after EventStoreError")
    let contact = try #require(waiting.lastContact)
    #expect(waiting.progress == LogProgress(position: 0, end: 0) && replica.status.lastContact == contact)
    remote.mend()
    sleep.yield()
    let current = await wait(replica) { isCurrent($0) && $0.progress?.position == 1 }
    #expect(try #require(current.lastContact) > contact)
    task.cancel()
    try await task.value
  }

  @Test(arguments: [true, false])
  func `The status is stopped after an error that a retry can't fix`(runs: Bool) async throws {
    try append(2)
    let replica = Replica(of: remote, in: MemoryEventStore())
    try await replica.catchUp()
    remote.server.log = MemoryEventStore()
    let error = await #expect(throws: EventStoreError.self) {
      if runs { try await replica.run() } else { try await replica.catchUp() }
    }
    #expect(error?.code == .replaced && replica.status.progress?.position == 2)
    #expect(activity(of: replica.status) == "stopped by EventStoreError")
  }
}

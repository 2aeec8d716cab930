import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Synchronization
import Testing

/// Several workers of a follower of a remote log.
@Suite(.timeLimit(.minutes(60))) struct FollowerWorkerTests {
  private let notes = FollowedNotes()
  private let server = MemoryRemoteServer(environment: StoreEnvironment(report: { _ in }))
  private let store: MemoryRemoteStore

  init() { store = MemoryRemoteStore(server) }

  private func follower(
    _ store: MemoryRemoteStore? = nil, partitions: Int = 8, quarantine: FollowerQuarantine = .none,
    lease: Duration = .seconds(1),
    _ handle: (@Sendable (Recorded<FollowedEvent>, RemoteFollower<FollowedEvent>.Context) async throws -> Void)? = nil
  ) throws -> RemoteFollower<FollowedEvent> {
    try RemoteFollower(
      "mailer", of: FollowedEvent.self, in: store ?? self.store, startingAt: .beginning, quarantine: quarantine,
      partitions: partitions,
      lease: lease,
      handle: handle ?? { [notes] recorded, context in try notes.handle(recorded, context) })
  }

  private func workers() async throws -> [String?] {
    try await store.checkpoints?.states(ofFollowersNamed: "mailer").first?.partitions.map(\.worker) ?? []
  }

  @Test func `A worker that comes gets its share, and no event is handled twice`() async throws {
    let runs = Mutex<[Task<Void, any Error>]>([])
    for count in 1...3 {
      let follower = try follower(lease: .seconds(3))
      runs.withLock { $0.append(Task { try await follower.run() }) }
      while true {
        let held = Dictionary(grouping: try await workers().compactMap { $0 }, by: { $0 }).mapValues(\.count)
        if held.count == count, held.values.reduce(0, +) == 8, (held.values.max() ?? 0) - (held.values.min() ?? 0) < 2 {
          break
        }
        for stream in 0..<20 { try server.write("x", to: "s\(stream)") }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    let last = try await store.head()
    while try await follower().position < last { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try notes.problems(server) == [])
    // On a machine that stood still for a lease's whole time, the next worker may handle again what was not saved.
    #expect(Set(notes.all.map { "\($0)" }).count == notes.all.count || server.expiredLeases > 0)
    // One that ends leaves its partitions to the others at once.
    let first = runs.withLock { $0.removeFirst() }
    first.cancel()
    try await first.value
    while true {
      let workers = try await workers()
      if Set(workers.compactMap { $0 }).count == 2, !workers.contains(nil) { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    for run in runs.withLock({ $0 }) {
      run.cancel()
      try await run.value
    }
    #expect(try await workers() == Array(repeating: nil, count: 8))
  }

  @Test func `A worker that is cut off saves nothing any more, and its code is cancelled`() async throws {
    let entered = Mutex(false)
    let cancelled = Mutex(false)
    let ended = Mutex(false)
    let far = MemoryRemoteStore(server)
    let first = try follower(far, partitions: 1) { recorded, context in
      if recorded.position > 1 { return }
      entered.withLock { $0 = true }
      // Code that looks late at its cancellation.
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
      cancelled.withLock { $0 = true }
      try? await Task { try await Task.sleep(for: .seconds(1)) }.value
      ended.withLock { $0 = true }
    }
    try server.write(("a", "one"), ("a", "two"))
    let run = Task { try await first.run() }
    while !entered.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
    far.fail(StoreFault(way: .notDone, lasts: true))
    let second = try follower(partitions: 1)
    // Its time must be over first.
    #expect(try await second.catchUp() == 2)
    #expect(notes.taken == ["a:1", "a:2"])
    // The first one cannot ask: its own clock says that its lease is over.
    while !cancelled.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
    far.mend()
    while !ended.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .milliseconds(100))
    #expect(try await second.position == 2)
    try server.write("three", to: "a")
    while try await second.position < 3 { try await Task.sleep(for: .milliseconds(5)) }
    run.cancel()
    try await run.value
  }

  @Test func `A report about a failure that passes doesn't claim that the follower has stopped`() async throws {
    let reports = Mutex<[String]>([])
    let environment = StoreEnvironment(report: { report in reports.withLock { $0.append(report.message) } })
    let far = MemoryRemoteStore(MemoryRemoteServer(environment: environment))
    let follower = try RemoteFollower(
      "mailer", of: FollowedEvent.self, in: far, startingAt: .beginning, lease: .seconds(1)
    ) { _, _ in }
    let run = Task { try await follower.run() }
    while try await far.checkpoints?.states(ofFollowersNamed: "mailer").isEmpty != false {
      try await Task.sleep(for: .milliseconds(5))
    }
    far.fail(StoreFault(way: .notDone, lasts: true))
    while reports.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
    let message = reports.withLock { $0[0] }
    #expect(message.hasPrefix("the follower \"mailer\" paused before its next attempt in the log "), "\(message)")
    far.mend()
    run.cancel()
    try await run.value
  }

  @Test func `What a worker does under an old fence is not kept`() async throws {
    let seen = Mutex<[Int]>([])
    try server.write(("a", "one"), ("a", "two"))
    let follower = try follower(partitions: 1, lease: .unlosable) { [server] recorded, context in
      seen.withLock { $0.append(context.fence) }
      guard seen.withLock({ $0.count }) == 1 else { return }
      // Another worker gets the partition while the code runs.
      let id = FollowerID("mailer")
      let checkpoints = try #require(MemoryRemoteStore(server).checkpoints)
      guard let worker = try await checkpoints.states(ofFollowersNamed: "mailer").first?.partitions.first?.worker
      else { return }
      try await checkpoints.leave(id, worker: worker)
      let share = try await checkpoints.claim(
        LeaseClaim(id, worker: "other", partitions: 1, duration: .milliseconds(300)))
      #expect(share.leases.count == 1)
    }
    #expect(try await follower.catchUp() == 2)
    // The first event came again under a greater fence, since the first worker's save was refused.
    let fences = seen.withLock { $0 }
    #expect(fences.count == 3 && fences[1] > fences[0] + 1 && fences[2] == fences[1])
  }

  /// Workers end and are cut off at random, and some events fail for a time.
  @Test(arguments: 1...8)
  func `Whatever ends or fails, each event is handled in the order of its stream`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let failing = Mutex(true)
    let coin = Mutex(SplitMix64(seed: seed &+ 99))
    // On the way back, the response is lost, but the call has taken effect.
    store.onCalls { call, _ in
      if call == .checkpoint, failing.withLock({ $0 }), coin.withLock({ Int.random(in: 0..<24, using: &$0) }) == 0 {
        throw EventStoreError.unreachable("the network is cut")
      }
    }
    notes.poisonous = ["p0", "p1"]
    for number in 0..<120 {
      let text = number % 17 == 5 ? "p\(number % 3)" : "n\(number)"
      try server.write(text, to: "s\(Int.random(in: 0..<9, using: &random))")
    }
    let quarantine = FollowerQuarantine.streams(atMost: 50)
    for round in 0..<6 {
      let run = try follower(partitions: 4, quarantine: quarantine)
      let other = try follower(partitions: 4, quarantine: quarantine)
      let tasks = [Task { try await run.run() }, Task { try await other.run() }]
      try await Task.sleep(for: .milliseconds(Int.random(in: 1...60, using: &random)))
      if round == 3 { notes.poisonous = ["p1"] }
      for task in tasks {
        task.cancel()
        try await task.value
      }
      for stream in try await log(of: run) where Bool.random(using: &random) { _ = try? await run.retry(stream) }
    }
    failing.withLock { $0 = false }
    notes.poisonous = []
    let last = try follower(partitions: 4, quarantine: quarantine)
    try await last.catchUp()
    for stream in try await last.quarantine { #expect(try await last.retry(stream.stream)) }
    #expect(try await last.catchUp() == 120)
    #expect(try await last.quarantine == [])
    #expect(try notes.problems(server) == [])
  }

  private func log(of follower: RemoteFollower<FollowedEvent>) async throws -> [StreamName] {
    while true {
      if let found = try? await follower.quarantine { return found.map(\.stream) }
    }
  }
}

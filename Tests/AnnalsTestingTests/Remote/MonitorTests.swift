import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// What a monitor hears of remote stores, followers and replicas.
@Suite struct MonitorTests {
  private let monitor = SpanMonitor()
  private let server: MemoryRemoteServer
  private let store: MemoryRemoteStore

  init() {
    server = MemoryRemoteServer(environment: StoreEnvironment(report: { _ in }, monitor: monitor))
    store = MemoryRemoteStore(server)
  }

  @Test func `A command is a span around its appends, with how long it took and how it ended`() async throws {
    try await store.execute(.take(seat: 1, by: "ann"), on: FarHall["a"], commandID: "c1")
    #expect(monitor.operations.last?.details == ["stream": "FarHall-a", "command": "c1"])
    #expect(monitor.takeSpans() == ["annals.execute > annals.append", "annals.execute"])
    #expect(monitor.ended(.execute) == [["operation": "execute", "outcome": "done", "decider": "FarHall"]])
    #expect(monitor.sum(.appendedEvents) == 1)
    await #expect(throws: FarHall.Refused.self) {
      try await store.execute(.take(seat: 1, by: "bob"), on: FarHall["a"])
    }
    #expect(monitor.ended(.execute).last?["outcome"] == "refused")
    // Another writer comes first, which this store does not hear of.
    try await MemoryRemoteStore(server).execute(.take(seat: 2, by: "bob"), on: FarHall["a"])
    try await store.execute(.free(seat: 1), on: FarHall["a"])
    #expect(monitor.sum(.conflicts) == 1)
    #expect(monitor.ended(.append).compactMap { $0["outcome"] } == ["done", "done", "versionConflict", "done"])
    _ = monitor.takeSpans()
    try await store.transaction { _ = try $0.execute(.free(seat: 2), on: FarHall["a"]) }
    #expect(monitor.takeSpans() == ["annals.execute > annals.append", "annals.execute"])
  }

  @Test func `A follower's code runs inside a span, and the monitor knows how far behind it is`() async throws {
    try server.write(("a", "one"), ("a", "bad"), ("b", "two"))
    let spans = Mutex<[String]>([])
    let follower = try RemoteFollower(
      "mailer", of: FollowedEvent.self, in: store, startingAt: .beginning, quarantine: .streams(atMost: 1),
      lease: .unlosable
    ) { recorded, _ in
      spans.withLock { $0.append(SpanMonitor.path) }
      if recorded.position == 2 { throw FollowedNotes.Poison() }
    }
    try await follower.catchUp()
    #expect(spans.withLock { $0 } == Array(repeating: "annals.follow", count: 3))
    // On a slow machine, the follower finds once more that it isn't behind.
    #expect(monitor.levels(.followerBehind).prefix(2) == [3, 0] && monitor.levels(.followerBehind).last == 0)
    #expect(monitor.levels(.followerQuarantine) == [1])
    #expect(monitor.sum(.followedEvents) == 2 && monitor.sum(.followerFailures) == 1)
    #expect(monitor.ended(.follow).compactMap { $0["outcome"] } == ["done", "refused", "done"])
    #expect(monitor.operations.map { $0.details["position"] } == ["1", "2", "3"])
  }

  @Test func `A follower on this side and a replica are measured too`() async throws {
    try server.write(("a", "one"), ("a", "two"))
    let replica = Replica(of: store, in: MemoryEventStore(environment: store.environment))
    try await replica.catchUp()
    #expect(monitor.takeSpans() == ["annals.replicate"])
    #expect(monitor.sum(.copiedEvents) == 2 && monitor.levels(.replicaBehind) == [0])
    let follower = try EventFollower("mailer", of: FollowedEvent.self, in: replica.log, startingAt: .beginning) {
      (_, _) async throws in
    }
    try await follower.catchUp()
    #expect(monitor.sum(.followedEvents) == 2 && monitor.levels(.followerBehind).last == 0)
  }

  @Test func `The time of a replica's last contact is a gauge, so its age also grows without contact`() async throws {
    let seconds = Mutex(1_700_000_000.9)
    let server = MemoryRemoteServer(
      environment: StoreEnvironment(
        now: { Date(timeIntervalSince1970: seconds.withLock { $0 }) }, report: { _ in }, monitor: monitor))
    let store = MemoryRemoteStore(server)
    let replica = Replica(of: store, in: MemoryEventStore())
    try await replica.catchUp()
    #expect(monitor.levels(.replicaContact).last == 1_700_000_000)
    seconds.withLock { $0 += 60 }
    store.fail(StoreFault(way: .notDone, lasts: true))
    await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
    #expect(monitor.levels(.replicaContact).last == 1_700_000_000)
    store.mend()
    try await replica.catchUp()
    #expect(monitor.levels(.replicaContact).last == 1_700_000_060)
  }

  @Test func `A partition's gauges begin and end with the lease of its worker`() async throws {
    try server.write(("a", "bad"), ("b", "two"))
    let isSlow = Mutex(false)
    func follower() throws -> RemoteFollower<FollowedEvent> {
      try RemoteFollower(
        "mailer", of: FollowedEvent.self, in: store, startingAt: .beginning, quarantine: .streams(atMost: 1),
        lease: .unlosable
      ) { recorded, _ in
        if recorded.position == 1 { throw FollowedNotes.Poison() }
        // The end of the lease cancels the code.
        if isSlow.withLock({ $0 }) { try await Task.sleep(for: .seconds(3_600)) }
      }
    }
    try await follower().catchUp()
    #expect(monitor.levels(.followerQuarantine) == [1])
    isSlow.withLock { $0 = true }
    try server.write(("b", "three"))
    let count = monitor.levels(.followerBehind).count
    // Another process finds the quarantined stream.
    let next = try follower()
    let run = Task { try await next.run() }
    while !monitor.levels(.followerBehind).dropFirst(count).contains(1) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(monitor.levels(.followerQuarantine) == [1, 1])
    run.cancel()
    try await run.value
    #expect(monitor.levels(.followerBehind).last == 0 && monitor.levels(.followerQuarantine) == [1, 1, 0])
  }

  @Test func `A monitor with nothing of its own changes nothing`() async throws {
    struct Silent: StoreMonitor {}
    let store = MemoryRemoteStore(MemoryRemoteServer(environment: StoreEnvironment(monitor: Silent())))
    #expect(try await store.execute(.take(seat: 1, by: "ann"), on: FarHall["a"]).position == 1)
  }
}

/// A monitor as one over libraries for metrics and traces is made.
final class SpanMonitor: StoreMonitor {
  @TaskLocal static var path = ""
  private let measurements = Mutex<[StoreMeasurement]>([])
  private let spans = Mutex<[(path: String, operation: StoreOperation)]>([])

  func note(_ measurement: StoreMeasurement) { measurements.withLock { $0.append(measurement) } }

  func span<T>(
    _ operation: StoreOperation, isolation: isolated (any Actor)?, _ body: () async throws -> T
  ) async throws -> T {
    let path = Self.path.isEmpty ? operation.name : Self.path + " > " + operation.name
    defer { spans.withLock { $0.append((path, operation)) } }
    return try await Self.$path.withValue(path, operation: body)
  }

  /// The spans that have ended, since the last call.
  func takeSpans() -> [String] {
    spans.withLock { spans in
      defer { spans = [] }
      return spans.map(\.path)
    }
  }

  var operations: [StoreOperation] { spans.withLock { $0.map(\.operation) } }

  private func all(_ name: StoreMeasurement.Name) -> [StoreMeasurement] {
    measurements.withLock { $0.filter { $0.name == name } }
  }

  func sum(_ name: StoreMeasurement.Name) -> Int {
    all(name).reduce(0) { if case .count(let count) = $1.value { $0 + count } else { $0 } }
  }

  func levels(_ name: StoreMeasurement.Name) -> [Int] {
    all(name).compactMap { if case .level(let level) = $0.value { level } else { nil } }
  }

  /// The labels of operations that have ended, each with a duration.
  func ended(_ kind: StoreOperation.Kind) -> [[String: String]] {
    all(.operation).filter {
      guard case .duration(let duration) = $0.value else { return false }
      return duration > .zero && $0.labels["operation"] == kind.rawValue
    }.map(\.labels)
  }
}

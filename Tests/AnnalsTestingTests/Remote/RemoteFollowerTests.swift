import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsStoreTesting
import AnnalsTesting
import Synchronization
import Testing

/// One worker of a follower of a remote log.
@Suite struct RemoteFollowerTests {
  private let notes = FollowedNotes()
  private let waits: Delays
  private let server: MemoryRemoteServer
  private let store: MemoryRemoteStore

  init() {
    let delays = Delays()
    waits = delays
    server = MemoryRemoteServer(environment: StoreEnvironment(sleep: { delays.add($0) }, report: { _ in }))
    store = MemoryRemoteStore(server)
  }

  private final class Delays: Sendable {
    private let all = Mutex<[Duration]>([])
    func add(_ delay: Duration) { all.withLock { $0.append(delay) } }
    var taken: [Duration] {
      all.withLock { all in
        defer { all = [] }
        return all
      }
    }
  }

  private func follower(
    version: Int = 1, startingAt start: FollowerStart = .beginning,
    retries: FollowerRetries = .none, quarantine: FollowerQuarantine = .none, partitions: Int = 1
  ) throws -> RemoteFollower<FollowedEvent> {
    try RemoteFollower(
      "mailer", version: version, of: FollowedEvent.self, in: store, startingAt: start, retries: retries,
      quarantine: quarantine, partitions: partitions, lease: .unlosable
    ) { [notes] recorded, context in try notes.handle(recorded, context) }
  }

  @Test(arguments: RemoteCheckpointContract.rules)
  func `Checkpoints in memory keep the contract`(rule: RemoteCheckpointContract.Rule) async throws {
    try await rule.check { try #require(MemoryRemoteStore().checkpoints) }
  }

  @Test func `a store that forgets a follower before every call breaks the rule of the first claim`() async throws {
    let rule = try #require(
      RemoteCheckpointContract.rules.first {
        $0.sentence.hasPrefix("the first claim creates the follower's partitions")
      })
    let violation = await #expect(throws: RemoteCheckpointContract.Violation.self) {
      try await rule.check {
        let (store, other) = (store, MemoryRemoteStore(server))
        store.onCalls { _, _ in try await other.checkpoints?.forget(FollowerID("mailer")) }
        return try #require(store.checkpoints)
      }
    }
    #expect(violation?.description.contains("the positions of the leases after a later claim") == true)
  }

  @Test func `A stream's partition is the same for all time`() {
    let names: [StreamName] = ["", "a", "Order-17", "é\u{1F600}"]
    #expect(names.map { $0.partition(of: 1) } == [0, 0, 0, 0])
    #expect(names.map { $0.partition(of: 8) } == [5, 4, 6, 4])
    #expect(names.map { $0.partition(of: 1_000) } == [37, 996, 542, 492])
  }

  @Test func `Each event is handled once and in order, and a restart goes on behind it`() async throws {
    try server.write(("a", "one"), ("b", "two"), ("a", "three"))
    #expect(try await follower().catchUp() == 3)
    #expect(notes.all.map(\.context.isLast) == [false, false, true])
    #expect(notes.taken == ["a:1", "b:1", "a:2"])
    try server.write("four", to: "b")
    _ = try await server.append(Append([NewEvent(type: "Other", payload: nil)], to: "c"))
    let again = try follower()
    #expect(try await again.catchUp() == 5)
    #expect(notes.taken == ["b:2"])
    #expect(try await again.position == 5)
    #expect(try await again.state?.partitions.map(\.worker) == [nil])
  }

  @Test func `Only the events that a query selects are handled`() async throws {
    try server.write(("Order-1", "one"), ("Orders-1", "two"), ("Order-2", "three"), ("Order", "four"))
    let follower = try RemoteFollower(
      "mailer", of: FollowedEvent.self, to: .category("Order"), in: store, startingAt: .beginning, lease: .unlosable
    ) { [notes] recorded, context in try notes.handle(recorded, context) }
    #expect(try await follower.catchUp() == 4)
    #expect(notes.taken == ["Order-1:1", "Order-2:1"])
  }

  @Test func `An event is tried again after delays that grow, and then stops the follower before it`() async throws {
    try server.write(("a", "one"), ("a", "bad"), ("a", "three"))
    notes.poisonous = ["bad"]
    let follower = try follower(retries: .retrying(attempts: 4))
    let error = await #expect(throws: ProjectionError.self) { try await follower.catchUp() }
    #expect(error?.event.position == 2 && error?.underlying is FollowedNotes.Poison)
    #expect(waits.taken == [.seconds(1), .seconds(2), .seconds(4)])
    #expect(try await follower.position == 1)
    #expect(try await follower.quarantine == [])
    notes.poisonous = []
    #expect(try await follower.catchUp() == 3)
    #expect(notes.taken == ["a:1", "a:2", "a:3"])
  }

  @Test func `A stream that cannot be handled is set aside, and the others go on`() async throws {
    try server.write(("a", "one"), ("a", "bad"), ("b", "two"), ("a", "three"), ("b", "four"))
    notes.poisonous = ["bad"]
    let follower = try follower(retries: .retrying(attempts: 2), quarantine: .streams(atMost: 1))
    #expect(try await follower.catchUp() == 5)
    #expect(notes.taken == ["a:1", "b:1", "b:2"])
    let aside = try #require(try await follower.quarantine.first)
    #expect(aside.stream == "a" && aside.position == 2 && aside.after == 1 && aside.attempts == 2)
    #expect(aside.error.contains("Poison") && !aside.isResumed)
    // Tried again it fails again, and what comes waits too.
    #expect(try await follower.retry("a"))
    try server.write(("a", "five"), ("b", "six"))
    #expect(try await follower.catchUp() == 7)
    #expect(notes.taken == ["b:3"])
    #expect(try await follower.quarantine.map(\.position) == [2])
    notes.poisonous = []
    #expect(try await follower.retry("a"))
    try server.write("seven", to: "a")
    #expect(try await follower.catchUp() == 8)
    #expect(notes.taken == ["a:2", "a:3", "a:4", "a:5"])
    #expect(try await follower.quarantine == [])
    #expect(try await !follower.retry("a"))
  }

  @Test func `An event that is set aside can be left out, also while the follower runs`() async throws {
    try server.write(("a", "bad"), ("a", "two"), ("b", "three"))
    _ = try await server.append(Append([NewEvent(type: "FollowedWritten", payload: #"{"no":1}"#)], to: "d"))
    notes.poisonous = ["bad"]
    let follower = try follower(quarantine: .streams(atMost: 2))
    let run = Task { try await follower.run() }
    while try await follower.quarantine.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await follower.quarantine.map(\.attempts) == [1, 0])
    #expect(try await !follower.skip(2))
    for position in [1, 4] as [Position] { #expect(try await follower.skip(position)) }
    while try await !follower.quarantine.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    #expect(notes.taken == ["b:1", "a:2"])
    run.cancel()
    try await run.value
    #expect(try await follower.state?.partitions.map(\.worker) == [nil])
  }

  @Test func `A quarantine that is full stops the follower`() async throws {
    try server.write(("a", "bad"), ("b", "bad"), ("c", "bad"), ("d", "one"))
    notes.poisonous = ["bad"]
    let follower = try follower(quarantine: .streams(atMost: 2))
    let error = await #expect(throws: ProjectionError.self) { try await follower.run() }
    #expect(error?.event.position == 3)
    #expect(try await follower.quarantine.map(\.stream) == ["a", "b"])
    #expect(try await follower.position == 2)
  }

  @Test func `A batch that cannot be handled comes again one by one, and one stream of it is set aside`() async throws {
    for number in 1...7 { try server.write(number == 3 ? "bad" : "\(number)", to: number % 2 == 0 ? "even" : "odd") }
    notes.poisonous = ["bad"]
    let sizes = Mutex<[Int]>([])
    let follower = try RemoteFollower(
      "mailer", of: FollowedEvent.self, in: store, startingAt: .beginning, quarantine: .streams(atMost: 9),
      lease: .unlosable, batchSize: 4
    ) { [notes] batch, context in
      sizes.withLock { $0.append(batch.count) }
      for recorded in batch { try notes.handle(recorded, context) }
    }
    #expect(try await follower.catchUp() == 7)
    #expect(sizes.withLock { $0 } == [4, 1, 1, 1, 1, 1])
    #expect(notes.taken == ["odd:1", "even:1", "odd:1", "even:1", "even:2", "even:3"])
    #expect(try await follower.quarantine.map(\.position) == [3])
  }

  @Test func `What another version has handled is a replay, also with other partitions`() async throws {
    try server.write(("a", "one"), ("a", "bad"), ("b", "two"))
    notes.poisonous = ["bad"]
    try await follower(quarantine: .streams(atMost: 9)).catchUp()
    try server.write(("b", "three"), ("a", "four"))
    notes.poisonous = []
    _ = notes.taken
    try await follower(version: 2, partitions: 3).catchUp()
    let calls = Set(notes.taken)
    #expect(calls == ["a:1 replay", "a:2", "b:1 replay", "b:2", "a:3"])
    try await follower(version: 3, startingAt: .end).catchUp()
    #expect(notes.all.allSatisfy(\.context.isReplay) && notes.taken.count == 5)
    try await store.forgetFollower("mailer", version: 1)
    for version in 2...3 { try await store.forgetFollower("mailer", version: version) }
    #expect(try await follower(startingAt: .end).catchUp() == 5)
    #expect(notes.taken == [])
  }

  @Test func `Workers with another number of partitions, and stores without checkpoints, are refused`() async throws {
    try await follower(partitions: 2).catchUp()
    let error = await #expect(throws: EventStoreError.self) { try await follower(partitions: 3).run() }
    #expect(error?.code == .otherPartitions && error?.message.contains("stored progress has 2") == true)
    let plain = PlainRemote(store)
    let other = #expect(throws: EventStoreError.self) {
      try RemoteFollower("mailer", of: FollowedEvent.self, in: plain, startingAt: .beginning) { _, _ in }
    }
    #expect(other?.code == .unsupported)
  }

  @Test func `A follower's own code may ask how far it is`() async throws {
    try server.write(("a", "one"), ("a", "two"))
    let own = Mutex<RemoteFollower<FollowedEvent>?>(nil)
    let answers = Mutex<[Position]>([])
    let follower = try RemoteFollower("mailer", of: FollowedEvent.self, in: store, startingAt: .beginning) { _, _ in
      guard let me = own.withLock({ $0 }) else { return }
      let position = try await Task { try await me.catchUp() }.value
      answers.withLock { $0.append(position) }
    }
    own.withLock { $0 = follower }
    try await follower.catchUp()
    #expect(answers.withLock { $0 } == [0, 1])
  }
}

/// A remote store without capabilities, as a package with its own store might have.
private final class PlainRemote: RemoteEventStore {
  private let store: MemoryRemoteStore
  let commands = CommandMemory()
  var source: String { store.source }
  var environment: StoreEnvironment { store.environment }

  init(_ store: MemoryRemoteStore) { self.store = store }

  func commit(_ append: Append) async throws -> Receipt { try await store.commit(append) }
  func ask(_ questions: [LogQuery]) async throws -> LogResponse { try await store.ask(questions) }
}

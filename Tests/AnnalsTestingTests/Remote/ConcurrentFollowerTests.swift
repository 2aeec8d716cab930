import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Dispatch
import Synchronization
import Testing

/// A remote log, and followers of it that catch up at the same time as others write.
private final class FollowedOffice: Sendable {
  let store: MemoryRemoteStore
  let notes = FollowedNotes()

  init() {
    let environment = StoreEnvironment(sleep: { _ in await Task.yield() }, report: { _ in })
    store = MemoryRemoteStore(MemoryRemoteServer(environment: environment))
  }

  func write(_ stream: Int) async throws {
    let event = NewEvent(type: "FollowedWritten", payload: #"{"text":"a"}"#)
    try await store.append(Append([event], to: StreamName("s\(stream)")))
  }

  /// Catches up, and answers whether all that was there at the beginning was handled.
  func catchUp() async throws -> Bool {
    let head = try await store.head()
    let follower = try RemoteFollower(
      "mailer", of: FollowedEvent.self, in: store, startingAt: .beginning, partitions: 2, lease: .unlosable
    ) { [notes] recorded, context in
      await Task.yield()
      try notes.handle(recorded, context)
    }
    return try await follower.catchUp() >= head
  }
}

private struct OfficeMachine: AsyncMachine {
  func start() async throws -> (model: Int, system: FollowedOffice) { (0, FollowedOffice()) }

  var commands: [Command<Int, FollowedOffice>] {
    Command("write(_:)", weight: 3) { _ in
      .int(in: 1...3)
    } model: { (count: inout Int, _: Int) in
      count += 1
    } run: { office, stream in
      try await office.write(stream)
    }
    Command("catchUp()") { (_: inout Int) in
      true
    } run: { (office: FollowedOffice) in
      try await office.catchUp()
    }
  }

  var maxSteps: Int { 12 }

  func invariant(_ count: Int, _ office: FollowedOffice) async throws {
    let head = try await office.store.head()
    try ensureEqual(head.rawValue, count)
    let calls = office.notes.all.map { "\($0.stream):\($0.version)" }
    try ensureEqual(Set(calls).count, calls.count)
  }
}

@Suite(.timeLimit(.minutes(60))) struct ConcurrentFollowerTests {
  @Test func `followers that catch up while others write handle each event once`() async throws {
    // On a full machine, a result of the store's own threads can take longer than the default.
    try await MachinePatience.$current.withValue(.seconds(300)) {
      try await check(
        OfficeMachine(), concurrency: 3,
        settings: CheckSettings(examples: 40, seed: 1, environment: .patient))
    }
  }
}

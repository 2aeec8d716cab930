import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Followers that run in several places, of which only one may handle an event.
@Suite final class FollowerClaimTests: Sendable {
  private let waits = Mutex<[Duration]>([])
  private let handled = Mutex<[Position]>([])

  private func follower(
    in store: any EventStore, startingAt start: FollowerStart = .beginning,
    during: @escaping @Sendable (Position) async throws -> Void = { _ in }
  ) throws -> EventFollower<ItemEvent> {
    try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: start) { [self] recorded, _ in
      try await during(recorded.position)
      handled.withLock { $0.append(recorded.position) }
    }
  }

  private func store(_ count: Int) throws -> MemoryEventStore {
    let store = MemoryEventStore(
      environment: StoreEnvironment(sleep: { [self] time in
        waits.withLock { $0.append(time) }
        await Task.yield()
      }))
    if count > 0 { try store.put((0..<count).map { .put(Item("\($0)", nil, 0)) }) }
    return store
  }

  @Test func `runners of one follower take turns, and each event is handled once`() async throws {
    let store = try store(0)
    let runners = try (0..<4).map { _ in try follower(in: store) { _ in await Task.yield() } }
    let tasks = runners.map { runner in Task { try await runner.run() } }
    for number in 0..<100 {
      try store.put(.put(Item("\(number)", nil, 0)))
      await Task.yield()
    }
    while handled.withLock({ $0.count < 100 }) { await Task.yield() }
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
    #expect(handled.withLock { $0 } == (1...100).map { Position($0) })
  }

  @Test func `a second runner waits for a minute, and then gets an error with the follower's name`() async throws {
    let store = try store(2)
    let claim = try #require(store.checkpoints).claim(follower: "mailer")
    let mailer = try follower(in: store)
    let error = await #expect(throws: EventStoreError.self) { try await mailer.catchUp() }
    #expect(error?.code == .followerBusy)
    #expect(error?.message.hasPrefix(#"the follower "mailer" is already running in this process."#) == true)
    #expect(waits.withLock { $0.reduce(.zero, +) } >= .seconds(60))
    #expect(waits.withLock { $0.first == .milliseconds(1) && $0.last == .milliseconds(250) })
    await #expect(throws: EventStoreError.self) { try await mailer.skip(1) }
    #expect(handled.withLock { $0 } == [])
    claim.release()
    #expect(try await mailer.catchUp() == 2)
    #expect(handled.withLock { $0 } == [1, 2])
  }

  @Test func `a synchronous runner waits for another runner's turn`() throws {
    let store = try store(3)
    let claim = try #require(store.checkpoints).claim(follower: "mailer")
    let handled = Mutex<[Position]>([])
    let isWaiting = Mutex(false)
    onThreads(2) { number in
      if number == 0 {
        isWaiting.withLock { $0 = true }
        let mailer = try? EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) { event, _ in
          #expect(!claim.isHeld)
          handled.withLock { $0.append(event.position) }
        }
        _ = try? mailer?.catchUp()
      } else {
        while !isWaiting.withLock({ $0 }) {}
        claim.release()
      }
    }
    #expect(handled.withLock { $0 } == [1, 2, 3])
  }

  @Test func `a runner that waits for another runner's turn can be cancelled`() async throws {
    let store = MemoryEventStore()
    try store.put(.put(Item("a", nil, 0)))
    let claim = try #require(store.checkpoints).claim(follower: "mailer")
    let mailer = try follower(in: store)
    let running = Task { try await mailer.run() }
    let single = Task { _ = try await mailer.catchUp() }
    running.cancel()
    single.cancel()
    try await running.value
    await #expect(throws: CancellationError.self) { try await single.value }
    #expect(claim.isHeld && handled.withLock { $0 } == [])
  }

  @Test func `a position that another program changed during a turn is an error`() async throws {
    let store = try store(5)
    let checkpoints = try #require(store.checkpoints)
    let name = "follower/mailer/version/1"
    let mailer = try follower(in: store) { position in
      if position == 2 { _ = try checkpoints.setCheckpoint(named: name, to: 4, from: 1) }
    }
    let error = await #expect(throws: EventStoreError.self) { try await mailer.catchUp() }
    #expect(error?.code == .followerMoved)
    #expect(error?.message.contains("expected 1, found 4") == true)
    // The next turn starts at the position that the other program saved.
    #expect(try await mailer.catchUp() == 5)
    #expect(handled.withLock { $0 } == [1, 2, 5])
  }

  @Test func `a position that was deleted during a turn is an error, and a running follower reports it`() async throws {
    let reports = Mutex<[String]>([])
    let store = MemoryEventStore(
      environment: StoreEnvironment(report: { report in reports.withLock { $0.append("\(report.error)") } }))
    try store.put((0..<3).map { .put(Item("\($0)", nil, 0)) })
    let isDeleted = Mutex(false)
    let mailer = try follower(in: store) { position in
      guard position == 2, !isDeleted.withLock({ $0 }) else { return }
      isDeleted.withLock { $0 = true }
      try store.forgetFollower("mailer", version: 1)
    }
    let running = Task { try await mailer.run() }
    while handled.withLock({ $0.count < 5 }) { await Task.yield() }
    running.cancel()
    try await running.value
    #expect(handled.withLock { $0 } == [1, 2, 1, 2, 3])
    #expect(reports.withLock { $0.count == 1 && $0[0].contains("expected 1, found none") })
  }

  @Test func `the claim is held until the position of the last event is saved`() async throws {
    for way in [StoreFault.Way.notDone, .answerLost] {
      let store = try store(2)
      let checkpoints = try #require(store.checkpoints)
      let faulty = FaultyStore(store)
      let mailer = try follower(in: faulty) { position in
        if position == 2 { faulty.fail(StoreFault(.checkpoint, number: 1, way: way, lasts: true)) }
      }
      let error = await #expect(throws: EventStoreError.self) { try await mailer.catchUp() }
      #expect(error?.code == .io)
      // Without this claim, another runner would handle the second event, too.
      #expect(throws: EventStoreError.self) { try checkpoints.claim(follower: "mailer") }
      faulty.mend()
      #expect(try await mailer.catchUp() == 2)
      try checkpoints.claim(follower: "mailer").release()
    }
    #expect(handled.withLock { $0 } == [1, 2, 1, 2])
  }

  @Test func `the claim ends with the follower, even if the position of the last event isn't saved`() async throws {
    let store = try store(1)
    let faulty = FaultyStore(store)
    do {
      let mailer = try follower(in: faulty) { _ in
        faulty.fail(StoreFault(.checkpoint, number: 1, way: .notDone, lasts: true))
      }
      await #expect(throws: EventStoreError.self) { try await mailer.catchUp() }
    }
    try #require(store.checkpoints).claim(follower: "mailer").release()
  }

  @Test func `a follower begins after a position, if no version of it ever ran`() async throws {
    let store = try store(5)
    #expect(try await follower(in: store, startingAt: .after(3)).catchUp() == 5)
    #expect(try await follower(in: store, startingAt: .after(1)).catchUp() == 5)
    #expect(handled.withLock { $0 } == [4, 5])
    let error = #expect(throws: EventStoreError.self) {
      try EventFollower("other", of: ItemEvent.self, in: store, startingAt: .after(6)) { _, _ in }
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.hasSuffix("expected a position from 0 to 5, the log's last position") == true)
  }
}

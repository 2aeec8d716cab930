import Annals
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// Followers whose code is asynchronous, tried again, or called with several events.
@Suite struct FollowerAsyncTests {
  private let notes = FollowerNotes()
  private let store: MemoryEventStore

  init() {
    store = MemoryEventStore(
      environment: StoreEnvironment(sleep: { [notes] delay in
        notes.add("wait \(delay.components.seconds)")
        try Task.checkCancellation()
      }))
  }

  /// The follower, for its own code.
  private final class Own: Sendable {
    private let follower = Mutex<EventFollower<ItemEvent>?>(nil)
    var me: EventFollower<ItemEvent>? {
      get { follower.withLock { $0 } }
      set { follower.withLock { $0 = newValue } }
    }
  }

  private func put(_ ids: String...) throws { try store.put(ids.map { .put(Item($0, nil, 0)) }) }

  private static func id(_ recorded: Recorded<ItemEvent>) -> String {
    if case .put(let item) = recorded.event { item.id } else { "?" }
  }

  @Test func `asynchronous code handles each event once and in order`() async throws {
    try put("a", "b", "c")
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) {
      [notes] recorded, context in
      await Task.yield()
      notes.add(Self.id(recorded) + (context.isLast ? "." : ""))
    }
    #expect(try await follower.catchUp() == 3)
    #expect(notes.takeAll == ["a", "b", "c."])
    try put("d")
    #expect(try await follower.catchUp() == 4)
    #expect(notes.takeAll == ["d."])
    #expect(try follower.position == 4)
  }

  @Test func `code that is not asynchronous is awaited too, off the main actor`() async throws {
    try put("a", "b")
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) {
      [notes] recorded, _ in
      notes.add("\(Self.id(recorded)) \(withUnsafeCurrentTask { $0 == nil })")
    }
    let reached = try await follower.catchUp { [notes] progress in notes.add("\(progress.position)") }
    #expect(reached == 2)
    #expect(notes.takeAll == ["a true", "b true", "2"])
  }

  @Test func `asynchronous code is refused where nothing can be awaited`() throws {
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in
      await Task.yield()
    }
    let error = #expect(throws: EventStoreError.self) { try follower.catchUp() }
    #expect(error?.code == .unsupported && error?.message.contains("try await catchUp()") == true)
  }

  @Test func `asynchronous code may call its follower, also from a task that it begins`() async throws {
    try put("a", "b", "c", "d")
    let own = Own()
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) {
      [notes, store] recorded, _ in
      guard let me = own.me else { return }
      let (id, position) = (Self.id(recorded), recorded.position)
      if id == "a" { try store.put(.put(Item("new", nil, 0))) }
      notes.add("\(id) at \(try await me.catchUp()) \(try me.position)")
      if id == "b" {
        let answers = try await Task {
          [try await me.skip(position), try await me.skip(Position(position.rawValue + 1))]
        }.value
        notes.add("\(answers)")
        throw Refusal(reason: "no")
      }
      async let child = me.catchUp()
      notes.add("\(try await child)")
    }
    own.me = follower
    await #expect(throws: ProjectionError.self) { try await follower.catchUp() }
    #expect(notes.takeAll == ["a at 0 0", "0", "b at 1 1", "[true, false]"])
    #expect(try follower.position == 2)
    #expect(try await follower.catchUp() == 5)
    #expect(notes.takeAll == ["c at 2 2", "2", "d at 3 3", "3", "new at 4 4", "4"])
    own.me = nil
  }

  @Test func `a task that outlives the code waits for its turn like any other`() async throws {
    try put("a")
    let own = Own()
    let late = Mutex<Task<Position, any Error>?>(nil)
    let ended = AsyncStream<Void>.makeStream()
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) {
      [notes] recorded, _ in
      notes.add(Self.id(recorded))
      guard Self.id(recorded) == "a", let me = own.me else { return }
      late.withLock {
        $0 = Task {
          for await _ in ended.stream { break }
          return try await me.catchUp()
        }
      }
    }
    own.me = follower
    try await follower.catchUp()
    try put("b")
    ended.continuation.yield()
    // It is not taken for the code's own call, which would do nothing.
    #expect(try await late.withLock { $0 }?.value == 2)
    #expect(notes.takeAll == ["a", "b"])
    own.me = nil
  }

  @Test func `several tasks and threads that catch up at a time handle each event once`() async throws {
    for number in 0..<40 { try put("\(number)") }
    let inside = Mutex(0)
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) {
      [notes] recorded, _ in
      let isAlone = inside.withLock { count in
        count += 1
        return count == 1
      }
      #expect(isAlone)
      await Task.yield()
      notes.add(Self.id(recorded))
      inside.withLock { $0 -= 1 }
    }
    try await withThrowingTaskGroup(of: Position.self) { group in
      for number in 0..<8 {
        group.addTask { number == 7 ? try await follower.skip(99) ? 1 : 40 : try await follower.catchUp() }
      }
      for try await position in group { #expect(position == 40) }
    }
    #expect(notes.takeAll == (0..<40).map { "\($0)" })
  }

  @Test func `code that throws is called again after delays that grow, and the follower stops at the last attempt`()
    async throws
  {
    try put("a", "b", "c")
    let failing = Mutex(["b": 3, "c": 9])
    let retries = FollowerRetries.retrying(attempts: 5, firstDelay: .seconds(2), factor: 3, largestDelay: .seconds(50))
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning, retries: retries)
    {
      [notes] recorded, context in
      let id = Self.id(recorded)
      notes.add("\(id) \(context.attempt)")
      await Task.yield()
      let fails = failing.withLock { failing in
        failing[id, default: 0] -= 1
        return failing[id, default: 0] >= 0
      }
      if fails { throw Refusal(reason: id) }
    }
    let error = await #expect(throws: ProjectionError.self) { try await follower.catchUp() }
    #expect(error?.event.position == 3 && error?.underlying as? Refusal == Refusal(reason: "c"))
    #expect(
      notes.takeAll == [
        "a 1", "b 1", "wait 2", "b 2", "wait 6", "b 3", "wait 18", "b 4",
        "c 1", "wait 2", "c 2", "wait 6", "c 3", "wait 18", "c 4", "wait 50", "c 5",
      ])
    #expect(try follower.position == 2)
    // The next call begins to count again.
    #expect(try await follower.catchUp() == 3)
    #expect(notes.takeAll == ["c 1", "wait 2", "c 2", "wait 6", "c 3", "wait 18", "c 4", "wait 50", "c 5"])
  }

  @Test func `delays grow by their factor to the largest`() {
    for (attempts, first, factor, largest) in [(1, 1, 2.0, 1), (9, 1, 2.0, 60), (9, 0, 4.0, 3), (40, 3, 1.0, 3)] {
      let retries = FollowerRetries.retrying(
        attempts: attempts, firstDelay: .seconds(first), factor: factor, largestDelay: .seconds(largest))
      var expected = Double(first)
      for failures in 1...(attempts + 2) {
        let delay = retries.delay(after: failures)
        #expect(delay == (failures < attempts ? .seconds(min(expected, Double(largest))) : nil))
        expected *= factor
      }
    }
    #expect(FollowerRetries.none.delay(after: 1) == nil)
  }

  @Test func `an event that cannot be decoded is not tried again`() async throws {
    try store.plain(Append([NewEvent(type: "ItemBurnt", payload: nil)], to: "items"))
    let follower = try EventFollower(
      "mailer", of: ItemEvent.self, in: store, startingAt: .beginning, retries: .retrying(attempts: 9)
    ) { _, _ in await Task.yield() }
    await #expect(throws: ProjectionError.self) { try await follower.catchUp() }
    #expect(notes.takeAll == [])
  }

  @Test func `an event can be skipped from outside between two attempts`() async throws {
    try put("a", "b")
    let own = Own()
    let store = MemoryEventStore(
      environment: StoreEnvironment(sleep: { [notes] _ in notes.add("\(try await own.me?.skip(1) ?? false)") }))
    try store.put(.put(Item("a", nil, 0)), .put(Item("b", nil, 0)))
    let follower = try EventFollower(
      "mailer", of: ItemEvent.self, in: store, startingAt: .beginning, retries: .retrying(attempts: 9)
    ) { [notes] recorded, _ in
      notes.add(Self.id(recorded))
      await Task.yield()
      if Self.id(recorded) == "a" { throw Refusal(reason: "no") }
    }
    own.me = follower
    #expect(try await follower.catchUp() == 2)
    #expect(notes.takeAll == ["a", "true", "b"])
    own.me = nil
  }

  @Test func `a batch has the events in order, at most as many as were asked for, and one position is saved for it`()
    async throws
  {
    try put("a", "b", "c", "d", "e")
    try store.plain(Append([NewEvent(type: "Other", payload: nil)], to: "others"))
    let own = Own()
    let follower = try EventFollower("index", of: ItemEvent.self, in: store, startingAt: .beginning, batchSize: 2) {
      [notes] batch, context in
      notes.add(batch.map(Self.id).joined() + (context.isLast ? "." : "") + " at \(try own.me?.position ?? 0)")
    }
    own.me = follower
    #expect(try await follower.catchUp() == 6)
    #expect(notes.takeAll == ["ab at 0", "cd at 2", "e at 4"])
    #expect(try follower.position == 6)
    own.me = nil
  }

  @Test func `a batch whose code throws comes again as a whole, without what was skipped`() async throws {
    try put("a", "b", "c", "d")
    let own = Own()
    let follower = try EventFollower(
      "index", of: ItemEvent.self, in: store, startingAt: .beginning, retries: .retrying(attempts: 2), batchSize: 3
    ) { [notes] batch, context in
      notes.add("\(batch.map(Self.id).joined()) \(context.attempt)")
      guard let bad = batch.first(where: { Self.id($0) == "b" }) else { return }
      notes.add("\(try await own.me?.skip(bad.position) ?? false) \(try await own.me?.skip(4) ?? true)")
      throw Refusal(reason: "b")
    }
    own.me = follower
    #expect(try await follower.catchUp() == 4)
    #expect(notes.takeAll == ["abc 1", "true false", "wait 1", "acd 2"])
    own.me = nil
  }

  @Test func `a batch ends where a replay ends, and before an event that cannot be decoded`() async throws {
    try put("a", "b", "c")
    try await EventFollower("index", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in await Task.yield()
    }.catchUp()
    try put("d", "e")
    try store.plain(Append([NewEvent(type: "ItemBurnt", payload: nil)], to: "items"))
    let follower = try EventFollower(
      "index", version: 2, of: ItemEvent.self, in: store, startingAt: .beginning, batchSize: 10
    ) {
      [notes] batch, context in
      notes.add("\(batch.map(Self.id).joined()) \(context.isReplay)")
    }
    let error = await #expect(throws: ProjectionError.self) { try await follower.catchUp() }
    #expect(error?.event.position == 6)
    #expect(notes.takeAll == ["abc true", "de false"])
    #expect(try follower.position == 5)
    #expect(try await follower.skip(6))
    #expect(try await follower.catchUp() == 6)
  }

  @Test func `batches and retries hand over every event, in order, whatever fails`() async throws {
    let events = Generator<[Int]>.array(of: .int(in: 0...5), count: 0...40)
    try await check(events, .int(in: 1...7), settings: CheckSettings(examples: 60)) { failures, size in
      let store = MemoryEventStore(environment: StoreEnvironment(sleep: { _ in }))
      for (number, kind) in failures.enumerated() {
        // Others' events stand in between.
        if kind == 5 { try store.plain(Append([NewEvent(type: "Other", payload: nil)], to: "o")) }
        try store.put(.put(Item("\(number)", nil, 0)))
      }
      let left = Mutex(failures.map { max(0, $0 - 2) })
      let seen = Mutex<[String]>([])
      let follower = try EventFollower(
        "index", of: ItemEvent.self, in: store, startingAt: .beginning, retries: .retrying(attempts: 200),
        batchSize: size
      ) { batch, _ in
        #expect(batch.count <= size && !batch.isEmpty)
        for event in batch {
          let number = Int(Self.id(event)) ?? 0
          let fails = left.withLock { left in
            left[number] -= 1
            return left[number] >= 0
          }
          if fails { throw Refusal(reason: "\(number)") }
        }
        seen.withLock { $0 += batch.map(Self.id) }
      }
      #expect(try await follower.catchUp() == store.head())
      #expect(seen.withLock { $0 } == failures.indices.map { "\($0)" })
    }
  }

  @Test func `a follower that is cancelled at any moment handles no event again whose code returned`() async throws {
    for steps in 0..<60 {
      let store = MemoryEventStore()
      for number in 0..<6 { try store.put(.put(Item("\(number)", nil, 0))) }
      let isBatching = steps % 3 == 2
      let follower =
        if isBatching {
          try EventFollower("m", of: ItemEvent.self, in: store, startingAt: .beginning, batchSize: 2) {
            [notes] batch, _ in
            for _ in 0..<3 { await Task.yield() }
            for event in batch { notes.add(Self.id(event)) }
          }
        } else {
          try EventFollower("m", of: ItemEvent.self, in: store, startingAt: .beginning) { [notes] recorded, _ in
            for _ in 0..<3 { await Task.yield() }
            notes.add(Self.id(recorded))
          }
        }
      let task = Task { try await follower.run() }
      for _ in 0..<steps { await Task.yield() }
      task.cancel()
      // A run that is cancelled ends without an error.
      try await task.value
      try await follower.catchUp()
      #expect(notes.takeAll == (0..<6).map { "\($0)" })
    }
  }

  @Test func `code that ends because its task was cancelled is called again, and is no error of the event`()
    async throws
  {
    try put("a")
    let began = AsyncStream<Void>.makeStream()
    let isSlow = Mutex(true)
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) {
      [notes] recorded, _ in
      if isSlow.withLock({ $0 }) {
        began.continuation.yield()
        try await Task.sleep(for: .seconds(60))
      }
      notes.add(Self.id(recorded))
    }
    let task = Task { try await follower.catchUp() }
    for await _ in began.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    isSlow.withLock { $0 = false }
    try await follower.catchUp()
    #expect(notes.takeAll == ["a"])
  }

  @Test func `a task that waits for another's turn can be cancelled`() async throws {
    try put("a")
    let (began, goesOn) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    let follower = try EventFollower("mailer", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in
      began.continuation.yield()
      for await _ in goesOn.stream { break }
    }
    let first = Task { try await follower.catchUp() }
    for await _ in began.stream { break }
    let waiting = [Task { try await follower.catchUp() }, Task { try await follower.skip(1) ? 1 : 0 }]
    await Task.yield()
    for task in waiting {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    goesOn.continuation.yield()
    #expect(try await first.value == 1)
  }
}

extension EventStore {
  /// Appends where nothing is awaited.
  fileprivate func plain(_ append: Append) throws { try self.append(append) }
}

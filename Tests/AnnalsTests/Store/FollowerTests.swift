import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Code that is called for each event, and remembers its progress.
@Suite struct FollowerTests {
  private let store = MemoryEventStore(environment: .quiet)
  private let seen = Seen()

  /// The calls of a follower's handler.
  private final class Seen: Sendable {
    private let all = Mutex<[String]>([])
    private let failing = Mutex<Set<String>>([])

    var takeAll: [String] {
      all.withLock { all in
        defer { all = [] }; return all
      }
    }

    func fail(at ids: Set<String>) { failing.withLock { $0 = ids } }

    func note(_ recorded: Recorded<ItemEvent>, _ context: EventFollower<ItemEvent>.Context) throws {
      guard case .put(let item) = recorded.event else { return }
      if failing.withLock({ $0.contains(item.id) }) { throw Refusal(reason: "no \(item.id)") }
      all.withLock { $0.append((context.isReplay ? "again " : "") + item.id + (context.isLast ? "." : "")) }
    }
  }

  private func follower(
    version: Int = 1, startingAt start: FollowerStart = .beginning, policy: UnknownEventPolicy = .stop
  ) throws -> EventFollower<ItemEvent> {
    try EventFollower(
      "mailer", version: version, of: ItemEvent.self, in: store, startingAt: start, unknownEvents: policy
    ) {
      [seen] in try seen.note($0, $1)
    }
  }

  private func put(_ ids: String...) throws { try store.put(ids.map { .put(Item($0, nil, 0)) }) }

  @Test func `each event is handled once, in order, and the next follower goes on where the one before was`() throws {
    try put("a", "b")
    #expect(try follower().catchUp() == 2)
    #expect(seen.takeAll == ["a", "b."])
    let next = try follower()
    #expect(try next.catchUp() == 2)
    #expect(seen.takeAll == [])
    try put("c")
    try put("d")
    #expect(try next.catchUp() == 4)
    #expect(seen.takeAll == ["c", "d."])
    #expect(try next.position == 4)
  }

  @Test func `a follower of another version handles all events again, and knows what is a replay`() throws {
    try put("a", "b")
    try follower().catchUp()
    try put("c")
    _ = seen.takeAll
    try follower(version: 2).catchUp()
    #expect(seen.takeAll == ["again a", "again b", "c."])
    // The first version knows that the second has handled it.
    try follower().catchUp()
    #expect(seen.takeAll == ["again c."])
  }

  @Test func `a follower that begins at the end leaves out what was there, and its next version replays it`() throws {
    try put("a", "b")
    let mailer = try follower(startingAt: .end)
    try put("c")
    try mailer.catchUp()
    #expect(seen.takeAll == ["c."])
    try follower(version: 2, startingAt: .end).catchUp()
    #expect(seen.takeAll == ["again a", "again b", "again c."])
  }

  @Test func `an event that cannot be handled stops the follower before it, and is tried again`() throws {
    try put("a", "b")
    try store.append(Append([NewEvent(type: "Other", payload: nil)], to: "others"))
    try put("bad", "c")
    seen.fail(at: ["bad"])
    let mailer = try follower()
    for _ in 0..<2 {
      let error = #expect(throws: ProjectionError.self) { try mailer.catchUp() }
      #expect(error?.code == .refused && error?.event.position == 4 && error?.underlying as? Refusal != nil)
      #expect(error?.message.hasPrefix("The follower \"mailer\" stopped before event 4 (ItemPut") == true)
      #expect(try mailer.position == 3)
    }
    #expect(seen.takeAll == ["a", "b"])
    seen.fail(at: [])
    try follower().catchUp()
    #expect(seen.takeAll == ["bad", "c."])
  }

  @Test func `an event that a follower stands before can be passed, and no other`() throws {
    try put("bad", "c")
    seen.fail(at: ["bad"])
    let mailer = try follower()
    #expect(throws: ProjectionError.self) { try mailer.catchUp() }
    #expect(try !mailer.skip(2))
    #expect(try mailer.skip(1))
    #expect(try !mailer.skip(1))
    try mailer.catchUp()
    #expect(seen.takeAll == ["c."])
    #expect(try !mailer.skip(3))
  }

  @Test func `an event that is unreadable or unknown stops a follower by name`() throws {
    try put("a")
    try store.append(Append([NewEvent(type: "ItemPut", payload: "7")], to: "items"))
    let error = #expect(throws: ProjectionError.self) { try follower().catchUp() }
    #expect(error?.code == .undecodable && error?.event.position == 2)
    try follower().skip(2)
    try store.append(Append([NewEvent(type: "ItemBurnt", payload: nil)], to: "items"))
    let unknown = #expect(throws: ProjectionError.self) { try follower().catchUp() }
    #expect(unknown?.code == .unknownEvent && unknown?.event.position == 3)
    #expect(try follower(policy: .skip).catchUp() == 3)
  }

  @Test func `what progress throws ends the work, and what was handled stays handled`() throws {
    for round in 0..<3 { try store.put((0..<200).map { .put(Item("\(round) \($0)", nil, 0)) }) }
    struct Enough: Error {}
    let mailer = try follower()
    var reports: [Position] = []
    #expect(throws: Enough.self) {
      try mailer.catchUp { progress in
        reports.append(progress.position)
        #expect(progress.end == 600)
        throw Enough()
      }
    }
    let done = try mailer.position
    #expect(reports == [done] && done > 0 && done < 600 && seen.takeAll.count == done.rawValue)
    try mailer.catchUp()
    #expect(seen.takeAll.count == 600 - done.rawValue)
  }

  @Test func `a checkpoint never goes back, even if another process runs the follower too`() throws {
    try store.put((0..<300).map { .put(Item("\($0)", nil, 0)) })
    let followers = try (0..<4).map { _ in try follower() }
    let failures = Mutex<[String]>([])
    onThreads(4) { lane in
      var last: Position = 0
      for _ in 0..<50 {
        do {
          try followers[lane].catchUp()
          let now = try followers[lane].position
          if now < last { failures.withLock { $0.append("from \(last) to \(now)") } }
          last = now
          try store.put(.put(Item("\(lane)", nil, 0)))
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    try followers[0].catchUp()
    #expect(failures.withLock { $0 } == [])
    #expect(try followers[0].position == store.head())
    // Each event is handled once, although four followers run.
    let seen = seen.takeAll.map { $0.replacing(".", with: "") }
    #expect(seen.count == 500)
    #expect(Set(seen).isSuperset(of: (0..<300).map { "\($0)" }))
  }

  @Test(.timeLimit(.minutes(60))) func `a follower that runs handles what comes, until it is cancelled`() async throws {
    try put("a")
    let mailer = try follower()
    let running = Task { try await mailer.run() }
    var got: [String] = []
    for name in ["b", "c"] {
      try put(name)
      while !got.contains(name + ".") {
        got += seen.takeAll
        await Task.yield()
      }
    }
    running.cancel()
    try await running.value
    try put("d")
    #expect(got.map { $0.replacing(".", with: "") } == ["a", "b", "c"])
    #expect(seen.takeAll == [])
    #expect(try mailer.position == 3)
  }

  @Test func `a store without checkpoints says so`() throws {
    let error = #expect(throws: EventStoreError.self) {
      _ = try EventFollower("mailer", of: ItemEvent.self, in: FailingStore(), startingAt: .beginning) { _, _ in }
    }
    #expect(error?.code == .unsupported && error?.capability == "checkpoints")
    let store = FailingStore()
    #expect(throws: EventStoreError.self) { try store.forgetFollower("mailer", version: 1) }
  }
}

import Annals
import AnnalsLog
import AnnalsTesting
import Testing

/// The largest and smallest integers in commands, lists and followers; the stores' contract tests the stores' own
/// calls.
@Suite struct EndTests {
  private let store = MemoryEventStore()
  private static let far = [Position(.max), Position(.max - 1), Position(.max / 2)]

  @Test(arguments: [Int.max, .max - 1, -1, .min])
  func `a command that expects a version at the ends of the integers is refused, and leaves nothing`(version: Int)
    throws
  {
    try store.execute("a", on: Counting["x"])
    let before = try everything()
    for id in ["x", "new"] {
      let error = #expect(throws: EventStoreError.self) {
        try store.execute("b", on: Counting[id, expecting: .exact(version)])
      }
      #expect(error?.isConflict == true || (error?.code == .tooManyConflicts && error?.attempts == 16))
      #expect(throws: EventStoreError.self) {
        try store.execute("b", on: Counting[id, expecting: .exact(version)], commandID: "one")
      }
      #expect(throws: EventStoreError.self) {
        try store.transaction { transaction in
          try transaction.execute("c", on: Counting["y"])
          try transaction.execute("b", on: Counting[id, expecting: .exact(version)])
        }
      }
    }
    #expect(try everything() == before && store.version(of: "Counting-y") == 0)
    #expect(store.receipt(ofCommand: "one") == nil)
    #expect(try store.execute("b", on: Counting["x"], commandID: "one").position == 2)
  }

  @Test func `a list goes to no position at the ends of the integers, and is cut by any limit`() throws {
    for number in 0..<5 { try store.put(.put(Item("\(number)", nil, number))) }
    let list = try controller(store)
    for position in Self.far {
      let error = #expect(throws: SeekError.self) { try list.seek(to: position) }
      #expect(error?.end == 5)
    }
    #expect(list.position == 5 && !list.isSeeking)
    let numbers = [0, 1, 3, 5, 6, .max - 1, .max]
    for offset in numbers {
      for limit in numbers.map(Optional.some) + [nil] {
        let rows = list.fetchedObjects.map(\.id).dropFirst(offset).prefix(limit ?? .max)
        let cut = ListRequest<Item>(sort: [.ascending(\.rank)], limit: limit, offset: offset)
        #expect(
          try controller(store, cut).fetchedObjects.map(\.id) == Array(rows), "\(offset) \(String(describing: limit))")
      }
    }
  }

  @Test func `a follower whose checkpoint is at the end of the integers says that the log is another`() throws {
    try store.put(.put(Item("a", nil, 0)))
    for (number, position) in Self.far.enumerated() {
      let name = "far \(number)"
      let follower = try EventFollower(name, of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in }
      #expect(
        try store.checkpoints?.setCheckpoint(named: "follower/\(name)/version/1", to: position, from: nil) == true)
      #expect(try follower.position == position)
      let error = #expect(throws: EventStoreError.self) { try follower.catchUp() }
      #expect(error?.code == .replaced)
      for other in Self.far + [0, 1, 2] { #expect(try !follower.skip(other)) }
    }
    let follower = try EventFollower("near", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in }
    for position in Self.far { #expect(try !follower.skip(position)) }
  }

  @Test func `a subscription after the ends of the integers ends with an error`() async throws {
    try store.put(.put(Item("a", nil, 0)))
    for position in Self.far {
      var pages = store.subscription(after: position, batchSize: .max).makeAsyncIterator()
      let error = await #expect(throws: EventStoreError.self) { _ = try await pages.next() }
      #expect(error?.code == .replaced)
    }
    var pages = store.subscription(after: 0, batchSize: .max).makeAsyncIterator()
    #expect(try await pages.next()?.position == 1)
  }

  @Test func `a kept state of a version that no stream has is not gone on from`() throws {
    for _ in 0..<12 { try store.execute("a", on: Counting["x"]) }
    let name = "AnnalsTests.Counting"
    let kept = try #require(try store.snapshots?.snapshot(of: "Counting-x", decider: name))
    for (version, position) in [
      (Int.max, Position(.max)), (.max, 3), (3, Position(.max)), (.max - 1, Position(.max - 1)),
    ] {
      try store.snapshots?.save(
        DeciderSnapshot(fingerprint: kept.fingerprint, version: version, position: position, state: #"{"count":99}"#),
        of: "Counting-x", decider: name, revision: .original)
      #expect(try store.state(of: Counting["x"]).count == 12)
      #expect(throws: Never.self) { try store.execute("b", on: Counting["y"]) }
    }
  }

  @Test func `a store that reads backwards by reading all does so with any limit`() throws {
    let store = CountingStore()
    for number in 0..<5 { try store.put(.put(Item("\(number)", nil, number))) }
    for limit in [1, 2, 3, 4, 5, 6, .max / 2, .max / 2 + 1, .max] {
      let found = try store.eventsBackwards(.all, after: 1, through: nil, limit: limit)
      #expect(found.map(\.position.rawValue) == Array([5, 4, 3, 2].prefix(limit)))
    }
  }

  private func everything() throws -> [StoredEvent] { store.events(.all, after: 0, through: nil, limit: .max) }
}

private enum CountEvent: Event {
  case counted(String)
}

private struct Counting: SnapshotDecider {
  static let snapshotInterval = 4
  var count = 0

  func decide(_ command: String) -> [CountEvent] { [.counted(command)] }
  mutating func evolve(_ event: CountEvent) { count += 1 }
}

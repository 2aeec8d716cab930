import Annals
import AnnalsLog
import AnnalsTesting
import Testing

/// The causes of what a follower's code commits.
@Suite struct FollowerCauseTests {
  private let store = MemoryEventStore()

  private func started(correlation: String?) throws -> StoredEvent {
    var metadata: Metadata = [:]
    metadata.correlation = correlation
    try store.append([ItemEvent.put(Item("a", nil, 0))], to: "items", metadata: metadata)
    return try #require(store.eventsBackwards(.all, after: 0, through: nil, limit: 1).first)
  }

  private func metadata(of stream: StreamName) throws -> [Metadata] {
    store.events(.stream(stream), after: 0, through: nil, limit: 100).map(\.metadata)
  }

  @Test(arguments: [nil, "trace"])
  func `a typed event gives the same cause as its stored form`(correlation: String?) throws {
    let event = try started(correlation: correlation)
    let recorded = try #require(try store.events(of: ItemEvent.self).first)
    #expect(Metadata.caused(by: recorded) == .caused(by: event))
    #expect(Metadata.caused(by: recorded).correlation == correlation ?? event.id.id)
  }

  @Test(arguments: [nil, "trace"])
  func `commands and appends of a follower have the handled event as their cause`(correlation: String?) async throws {
    let event = try started(correlation: correlation)
    let store = store
    let synchronous = try EventFollower("one", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in
      try store.execute("a", on: Tally["one"])
      try store.execute("b", on: Tally["one"], commandID: "own")
      try store.transaction { try $0.execute("c", on: Tally["one"]) }
      try store.append([TallyEvent.counted], to: "notes")
    }
    func catchUp() throws { try synchronous.catchUp() }
    try catchUp()
    let asynchronous = try EventFollower("two", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in
      try await store.execute("a", on: Tally["two"])
      _ = try await Task { try await store.execute("b", on: Tally["two"]) }.value
      try await store.transaction { try $0.execute("c", on: Tally["two"]) }
      try await store.append([TallyEvent.counted], to: "notes")
    }
    try await asynchronous.catchUp()
    let cause = Metadata.caused(by: event)
    #expect(try metadata(of: "Tally-one") == [cause, cause, cause])
    #expect(try metadata(of: "Tally-two") == [cause, cause, cause])
    #expect(try metadata(of: "notes") == [cause, cause])
  }

  @Test func `a command that names its cause keeps it, and other members stay`() async throws {
    let event = try started(correlation: nil)
    let store = store
    let follower = try EventFollower("one", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in
      try await store.execute("a", on: Tally["x"], metadata: ["causationid": "other", "actor": "ann"])
      try await store.execute("b", on: Tally["x"], metadata: ["correlationid": "mine", "actor": "bob"])
    }
    try await follower.catchUp()
    #expect(
      try metadata(of: "Tally-x") == [
        ["causationid": "other", "actor": "ann"],
        ["causationid": event.id.id, "correlationid": "mine", "actor": "bob"],
      ])
  }

  @Test func `each event is the cause of its own commands, and none of later ones`() async throws {
    for index in 0..<3 { try await store.append([ItemEvent.put(Item("\(index)", nil, 0))], to: "items") }
    let store = store
    let follower = try EventFollower("one", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in
      try await store.execute("a", on: Tally["x"])
    }
    try await follower.catchUp()
    try await store.execute("a", on: Tally["x"])
    try await store.execute("a", on: Tally["x"])
    let causes = store.events(.stream("items"), after: 0, through: nil, limit: 9).map { Metadata.caused(by: $0) }
    #expect(try metadata(of: "Tally-x") == causes + [[:], [:]])
  }

  @Test(arguments: [1, 2]) func `a batch of several events has no single cause`(size: Int) async throws {
    let event = try started(correlation: nil)
    if size == 2 { _ = try started(correlation: nil) }
    let store = store
    let follower = try EventFollower(
      "one", of: ItemEvent.self, in: store, startingAt: .beginning, batchSize: 10
    ) { _, _ in try await store.execute("a", on: Tally["x"]) }
    try await follower.catchUp()
    #expect(try metadata(of: "Tally-x") == [size == 1 ? .caused(by: event) : [:]])
  }

  @Test func `a follower inside another one gives its own event as the cause`() async throws {
    let first = try started(correlation: nil)
    let store = store
    let inner = try EventFollower("inner", of: ItemEvent.self, in: store, startingAt: .beginning) { _, _ in
      try await store.execute("inner", on: Tally["x"])
    }
    try await inner.catchUp()
    let second = try started(correlation: nil)
    let outer = try EventFollower("outer", of: ItemEvent.self, in: store, startingAt: .beginning) { recorded, _ in
      try await inner.catchUp()
      if recorded.position == first.position { try await store.execute("outer", on: Tally["x"]) }
    }
    try await outer.catchUp()
    let (one, two) = (Metadata.caused(by: first), Metadata.caused(by: second))
    #expect(try metadata(of: "Tally-x") == [one, two, one])
  }
}

private enum TallyEvent: Event {
  case counted
}

private struct Tally: Decider {
  func decide(_ command: String) -> [TallyEvent] { [.counted] }
  mutating func evolve(_ event: TallyEvent) {}
}

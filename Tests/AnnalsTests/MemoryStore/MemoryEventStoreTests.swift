import Annals
import AnnalsLog
import Foundation
import Synchronization
import Testing

@Suite struct MemoryEventStoreTests {
  private func store() -> MemoryEventStore {
    let counter = Mutex(0)
    let environment = StoreEnvironment(
      now: { Date(timeIntervalSince1970: 1_700_000_000) },
      makeID: {
        counter.withLock { count in
          count += 1
          return "id-\(count)"
        }
      })
    return MemoryEventStore(source: "test", environment: environment)
  }

  private func event(_ type: String = "Happened", tags: Set<EventTag> = [], id: EventID? = nil) -> NewEvent {
    NewEvent(type: type, payload: "{}", tags: tags, id: id)
  }

  @Test func `positions, versions and transactions count from one without holes`() throws {
    let store = store()
    #expect(store.head() == 0)
    try store.append(Append([event(), event()], to: "a"))
    let streams: [StreamName] = ["b", "a", "b"]
    let receipt = try store.append(Append(streams.map { .init(stream: $0, event: event()) }))
    #expect(receipt == Receipt(position: 5, count: 3, transaction: 2, versions: ["a": 3, "b": 2]))
    let events = store.events(.all, after: 0, through: nil, limit: 10)
    #expect(events.map(\.position) == [1, 2, 3, 4, 5])
    #expect(events.map(\.transaction) == [1, 1, 2, 2, 2])
    #expect(events.map(\.version) == [1, 2, 1, 3, 2])
    #expect(events.map(\.id.id) == ["id-1", "id-2", "id-3", "id-4", "id-5"])
    #expect(events.allSatisfy { $0.id.source == "test" && $0.time == Date(timeIntervalSince1970: 1_700_000_000) })
  }

  @Test(arguments: [
    (ExpectedVersion.any, 0, true), (.any, 2, true), (.exact(2), 2, true), (.exact(1), 2, false), (.exact(0), 0, true),
    (.exists, 2, true), (.exists, 0, false), (.doesNotExist, 0, true), (.doesNotExist, 1, false),
  ])
  func `an append holds to what it expects of a stream`(expected: ExpectedVersion, version: Int, succeeds: Bool) throws
  {
    let store = store()
    if version > 0 { try store.append(Append(Array(repeating: event(), count: version), to: "s")) }
    let append = Append([event()], to: "s", expecting: expected)
    if succeeds {
      #expect(try store.append(append).versions["s"] == version + 1)
    } else {
      let conflict = #expect(throws: EventStoreError.self) { try store.append(append) }
      #expect(conflict == .versionConflict(stream: "s", expected: expected, found: version))
      #expect(conflict?.isConflict == true)
      #expect(store.head() == Position(version))
    }
  }

  @Test func `an append over several streams is all or nothing`() throws {
    let store = store()
    try store.append(Append([event()], to: "a"))
    let append = Append(
      [.init(stream: "b", event: event()), .init(stream: "a", event: event())],
      expectations: ["b": .any, "a": .exact(0)])
    #expect(throws: EventStoreError.self) { try store.append(append) }
    #expect(store.head() == 1)
    #expect(store.version(of: "b") == 0)
  }

  @Test func `a condition stops an append that did not see an event`() throws {
    let store = store()
    try store.append(Append([event("Taken", tags: ["seat:1"]), event("Taken", tags: ["seat:2"])], to: "a"))
    let query = EventQuery([.init(types: ["Taken"], tags: ["seat:1"])])
    let stale = Append(
      [.init(stream: "b", event: event())], conditions: [Append.Condition(noneMatching: query, after: 0)])
    let conflict = #expect(throws: EventStoreError.self) { try store.append(stale) }
    #expect(conflict == .conditionConflict(after: 0, found: 1))
    var fresh = stale
    fresh.conditions = [Append.Condition(noneMatching: query, after: 1)]
    #expect(try store.append(fresh).position == 3)
  }

  @Test func `an identity may be used once, in the log and in one append`() throws {
    let store = store()
    let id = EventID(source: "elsewhere", id: "7")
    try store.append(Append([event(id: id)], to: "a"))
    let error = #expect(throws: EventStoreError.self) { try store.append(Append([event(), event(id: id)], to: "a")) }
    #expect(error == .duplicateEvent(id, at: 1))
    let other = EventID(source: "elsewhere", id: "8")
    #expect(throws: EventStoreError.self) { try store.append(Append([event(id: other), event(id: other)], to: "a")) }
    #expect(store.head() == 1)
    #expect(store.position(of: id) == 1)
    #expect(store.position(of: other) == nil)
  }

  @Test func `stream names that are canonically equal are two streams`() throws {
    let store = store()
    try store.append(Append([event()], to: "caf\u{e9}"))
    #expect(store.version(of: "cafe\u{301}") == 0)
  }

  @Test func `what a log cannot give back as it came is refused`() {
    let store = store()
    let bad: [NewEvent] = [
      NewEvent(type: "", payload: "{}"), NewEvent(type: "A", schema: 0, payload: "{}"),
      NewEvent(type: "A", payload: "{"), NewEvent(type: "A\u{0}", payload: nil),
      NewEvent(type: "A", payload: nil, tags: [""]),
      NewEvent(type: "A", payload: nil, id: EventID(source: "", id: "1")),
    ]
    for event in bad {
      let error = #expect(throws: EventStoreError.self) { try store.append(Append([event], to: "a")) }
      #expect(error?.code == .invalidAppend)
    }
    #expect(throws: EventStoreError.self) { try store.append(Append([event()], to: "")) }
    #expect(store.head() == 0)
  }

  @Test func `reading answers pages by query, in order, between two positions`() throws {
    let store = store()
    for number in 0..<100 {
      let event = event(number.isMultiple(of: 2) ? "Even" : "Odd", tags: number.isMultiple(of: 10) ? ["ten"] : [])
      try store.append(Append([event], to: number < 50 ? "low" : "high"))
    }
    var read: [Int] = []
    let query: EventQuery = .types("Odd") || .tagged("ten")
    try store.forEachEvent(query, after: 10, through: 31, batchSize: 3) { read.append($0.position.rawValue) }
    #expect(read == [11, 12, 14, 16, 18, 20, 21, 22, 24, 26, 28, 30, 31])
    var low = 0
    try store.forEachEvent(.stream("low"), batchSize: 7) { _ in low += 1 }
    #expect(low == 50)
    #expect(store.events(EventQuery([]), after: 0, through: nil, limit: 5).isEmpty)
    #expect(store.events(.all, after: 1_000, through: nil, limit: 5).isEmpty)
  }

  @Test func `appends from many threads lose nothing`() async throws {
    let store = MemoryEventStore()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<8 {
        group.addTask {
          let append = Append([NewEvent(type: "E", payload: nil)], to: StreamName("s\(lane % 3)"))
          for _ in 0..<50 { try store.append(append) }
        }
      }
      try await group.waitForAll()
    }
    let events = store.events(.all, after: 0, through: nil, limit: 1_000)
    #expect(events.map(\.position.rawValue) == Array(1...400))
    for stream in Set(events.map(\.stream)) {
      let versions = events.filter { $0.stream == stream }.map(\.version)
      #expect(versions == Array(1...versions.count))
    }
  }

  @Test func `a watcher hears of every commit until it cancels`() throws {
    let store = store()
    let heard = Mutex(0)
    let token = store.runtime.watch { _ in heard.withLock { $0 += 1 } }
    try store.append(Append([event()], to: "a"))
    try store.append(Append())
    #expect(throws: EventStoreError.self) {
      try store.append(Append([event()], to: "a", expecting: .exact(0)))
    }
    #expect(heard.withLock { $0 } == 1)
    token.cancel()
    try store.append(Append([event()], to: "a"))
    #expect(heard.withLock { $0 } == 1)
  }
}

@testable import Annals
@testable import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// States that a store keeps in memory, compared with states that are folded from all events.
@Suite struct KeptStateTests {
  @Test func `a command reads only what came since the last one, however long the stream is`() throws {
    let store = ReadCountingStore()
    try store.append(
      Append((0..<5_000).map { _ in NewEvent(type: "ShelfAdded", payload: #"{"name":"x"}"#) }, to: Shelf.stream("a")))
    try store.execute(.add("one"), on: Shelf["a"])
    #expect(store.taken() == 5_000)
    for number in 0..<20 { try store.execute(.add("\(number)"), on: Shelf["a"]) }
    #expect(store.taken() == 0)
    // Another writer's event is read once, and no other.
    try store.append(Append([NewEvent(type: "ShelfAdded", payload: #"{"name":"y"}"#)], to: Shelf.stream("a")))
    #expect(try store.state(of: Shelf["a"]).names.count == 5_022)
    #expect(try store.state(of: Shelf["a"]).names.last == "y")
    #expect(store.taken() == 1)
  }

  @Test func `a boundary that is the same query is the same state, however it is written`() throws {
    let store = ReadCountingStore()
    for _ in 0..<200 { try store.execute(.add("x", ["t:1", "u:1"]), on: .boundary(Tagged.self)) }
    _ = store.taken()
    for _ in 0..<10 { try store.execute(.add("y", ["u:1", "t:1"]), on: .boundary(Tagged.self)) }
    #expect(store.taken() == 0)
    try store.execute(.add("z", ["t:1"]), on: .boundary(Tagged.self))
    #expect(store.taken() == 210, "another query is another state")
  }

  @Test func `many events outside of a boundary cost a warm command only those that are inside`() throws {
    let store = ReadCountingStore()
    for _ in 0..<50 { try store.execute(.add("x", ["t:1"]), on: .boundary(Tagged.self)) }
    try store.append(
      Append((0..<300).map { _ in NewEvent(type: "Other", payload: nil) }, to: "others"))
    try store.append(
      Append([NewEvent(type: "TagAdded", payload: #"{"name":"x","tags":["t:1"]}"#, tags: ["t:1"])], to: "elsewhere"))
    _ = store.taken()
    try store.execute(.add("y", ["t:1"]), on: .boundary(Tagged.self))
    // Some of the log's end are looked at before the rest is asked for by the query.
    #expect(store.taken() <= 65)
    let count = #expect(throws: Tagged.Answer.self) { try store.execute(.ask(["t:1"]), on: .boundary(Tagged.self)) }
    #expect(count?.count == 52)
    #expect(store.taken() == 0)
  }

  @Test func `each event that a transaction decides is folded once for the commands after it`() throws {
    let store = MemoryEventStore()
    Tagged.folds.withLock { $0[#function] = 0 }
    try store.transaction { transaction in
      for number in 0..<500 {
        try transaction.execute(.count(#function, number), on: .boundary(Tagged.self))
      }
    }
    #expect(Tagged.folds.withLock { $0[#function] } == 500)
    // The state that is kept has them all.
    try store.transaction { transaction in try transaction.execute(.count(#function, 500), on: .boundary(Tagged.self)) }
    #expect(Tagged.folds.withLock { $0[#function] } == 501)
  }

  @Test func `the state beyond the budget that is dropped is the one unused for longest`() throws {
    let store = ReadCountingStore(budget: 3)
    for id in ["a", "b", "c"] { try store.execute(.add("1"), on: Shelf[id]) }
    _ = try store.state(of: Shelf["a"])
    try store.execute(.add("1"), on: Shelf["d"])
    _ = store.taken()
    for id in ["a", "c", "d"] { #expect(try store.state(of: Shelf[id]).names == ["1"]) }
    #expect(store.taken() == 0)
    #expect(try store.state(of: Shelf["b"]).names == ["1"])
    #expect(store.taken() == 1)
    // That dropped "a", which is the one unused for longest by now.
    for (id, read) in [("c", 0), ("d", 0), ("a", 1)] {
      _ = try store.state(of: Shelf[id])
      #expect(store.taken() == read, "\(id)")
    }
  }

  @Test func `a budget of 0 keeps no state, and another one is kept to`() throws {
    for budget in [0, 1, 5, 100] {
      let store = ReadCountingStore(budget: budget)
      for round in 0..<3 {
        for id in 0..<20 { try store.execute(.add("\(round)"), on: Shelf["\(id)"]) }
        if budget > 0 {
          #expect(store.runtime.states.count <= budget)
        } else {
          #expect(store.runtime.states.count == 0)
        }
      }
      for id in 0..<20 { #expect(try store.state(of: Shelf["\(id)"]).names == ["0", "1", "2"]) }
      _ = store.taken()
      for _ in 0..<5 { _ = try store.state(of: Shelf["19"]) }
      #expect(store.taken() == (budget == 0 ? 15 : 0))
    }
  }

  @Test func `a state that is an object, or holds one, is not kept`() throws {
    let store = ReadCountingStore()
    for _ in 0..<10 {
      try store.execute(.add("x"), on: ObjectShelf["a"])
      try store.execute(.add("x"), on: SharingShelf["a"])
      try store.execute(.add("x"), on: LateShelf["a"])
      // What is given up leaves nothing behind.
      #expect(throws: GivenUp.self) {
        try store.transaction { transaction in
          for _ in 0..<2 {
            try transaction.execute(.add("x"), on: ObjectShelf["a"])
            try transaction.execute(.add("x"), on: SharingShelf["a"])
            try transaction.execute(.add("x"), on: LateShelf["a"])
          }
          throw GivenUp()
        }
      }
    }
    #expect(try store.state(of: ObjectShelf["a"]).count == 10)
    #expect(try store.state(of: SharingShelf["a"]).box.count.withLock { $0 } == 10)
    #expect(try store.state(of: LateShelf["a"]).box?.count.withLock { $0 } == 10)
    #expect(StateValues.object(in: SharingShelf()) == ".box")
    #expect(StateValues.object(in: LateShelf()) == ".box")
    #expect(StateValues.object(in: [[String: [Box]]]()) == "" && StateValues.object(in: [Int: [String?]]()) == nil)
    #expect(StateValues.object(in: ["a": [Shelf()]]) == nil)
    #expect(StateValues.object(in: [Date()]) == nil && StateValues.object(in: UUID()) == nil)
    #expect(StateValues.object(in: Data([1, 2])) == nil && StateValues.object(in: Decimal(1)) == nil)
    #expect(StateValues.object(in: (1, { 2 })) == ".1")
    #expect(StateValues.object(in: [Optional(SharingShelf())]) != nil)
    // What was looked at without an object is looked at again.
    let closure: @Sendable () -> Int = { 1 }
    for _ in 0..<2 {
      #expect(StateValues.object(in: Sometimes.empty) == nil)
      #expect(StateValues.object(in: Sometimes.full(Box())) == ".full")
      #expect(StateValues.object(in: [SharingShelf]()) == nil)
      #expect(StateValues.object(in: [SharingShelf()]) == ".0.box")
      #expect(StateValues.object(in: Whatever(value: 1)) == nil)
      #expect(StateValues.object(in: Whatever(value: "x")) == nil)
      #expect(StateValues.object(in: Whatever(value: Box())) == ".value")
      #expect(StateValues.object(in: Whatever(value: closure)) == ".value")
    }
  }

  @Test func `a state that was being folded when something was erased is not kept`() throws {
    let store = MemoryEventStore()
    try store.execute(.add("x"), on: Shelf["a"])
    let before = store.revision()
    try store.append(
      Append([NewEvent(type: "Said", payload: #"{"who":{"$personal":"ann","value":"Ann"}}"#)], to: "said"))
    let key = StateKey(store, Shelf.self, .stream("Shelf-b"))
    let place = StateVersion(version: 1, position: 1, revision: before)
    try store.erase(subject: "ann")
    store.runtime.states.put(Shelf(), key, at: place, unsaved: 0, of: store, budget: 8)
    // The state of "a" is of an event before those that were erased.
    #expect(store.runtime.states.count == 1 && store.runtime.states.find(key, of: store) == nil)
    try store.execute(.add("y"), on: Shelf["a"])
    #expect(store.runtime.states.count == 1)
  }

  @Test func `a state of earlier events than those that an erasure changed is not folded again`() throws {
    let (store, test) = (MemoryEventStore(), #function)
    func add() throws { try store.execute(.count(test, 0), on: .boundary(Tagged.self)) }
    func erase(_ subject: String) throws {
      try store.append(
        Append([NewEvent(type: "Said", payload: #"{"who":{"$personal":"\#(subject)","value":"x"}}"#)], to: "said"))
      try store.erase(subject: subject)
    }
    for _ in 0..<20 { try add() }
    Tagged.folds.withLock { $0[test] = 0 }
    // Erased behind the state, twice, and before a command that adds to it.
    for round in 1...3 {
      try erase("ann")
      if round == 2 { try erase("ben") }
      try add()
      #expect(Tagged.folds.withLock { $0[test] } == round)
    }
    // An event of before is erased: the state is folded again.
    try store.append(
      Append([NewEvent(type: "Said", payload: #"{"who":{"$personal":"cy","value":"x"}}"#)], to: "said"))
    try add()
    try store.erase(subject: "cy")
    #expect(store.runtime.states.count == 0)
    try add()
    #expect(Tagged.folds.withLock { $0[test] } == 4 + 25)
  }

  @Test func `a decider that executes commands while it folds waits for no one but itself`() throws {
    let store = MemoryEventStore()
    try store.execute(.add("x"), on: Shelf["a"])
    Nosy.store.withLock { $0 = store }
    defer { Nosy.store.withLock { $0 = nil } }
    for _ in 0..<3 { try store.execute(.add("x"), on: Nosy["a"]) }
    #expect(try store.state(of: Nosy["a"]).count == 3)
    #expect(Nosy.found.withLock { $0 } == [1])
  }

  @Test func `commands of many threads on one stream and one boundary are decided on states that have every event`()
    async throws
  {
    let store = ReadCountingStore()
    let failures = Failures()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<6 {
        group.addTask {
          for number in 0..<60 {
            do {
              if number % 2 == 0 {
                try store.execute(.add("\(lane)-\(number)"), on: Shelf["a"])
              } else {
                try store.execute(.add("\(lane)-\(number)", ["t:1"]), on: .boundary(Tagged.self))
              }
              let names = try store.state(of: Shelf["a"]).names
              let all = store.memory.events(.stream(Shelf.stream("a")), after: 0, through: nil, limit: 9_999)
              if names.count > all.count || Set(names).count != names.count {
                failures.list.withLock { $0.append("\(names.count) names of \(all.count) events") }
              }
            } catch let error as EventStoreError where error.code == .tooManyConflicts {}
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(failures.list.withLock { $0 } == [])
    let fresh = try folded(Shelf.self, store.memory, "a")
    #expect(try await store.state(of: Shelf["a"]).names == fresh.names)
  }

  @Test func `a command that was committed by another process under its id changes no state by what it decided`()
    throws
  {
    let box = StoreBox()
    let store = MemoryEventStore(
      environment: StoreEnvironment(hook: { moment in
        guard moment == .willAppend(attempt: 1), let store = box.store.withLock({ $0 }) else { return }
        box.store.withLock { $0 = nil }
        try store.append(
          Append([NewEvent(type: "ShelfAdded", payload: #"{"name":"theirs"}"#)], to: Shelf.stream("a")))
        try store.execute(.add("mine"), on: Shelf["a"], commandID: "k")
        try store.append(
          Append([NewEvent(type: "ShelfAdded", payload: #"{"name":"later"}"#)], to: Shelf.stream("a")))
      }))
    try store.execute(.add("x"), on: Shelf["a"])
    box.store.withLock { $0 = store }
    try store.execute(.add("mine"), on: Shelf["a"], commandID: "k")
    #expect(try store.state(of: Shelf["a"]).names == ["x", "theirs", "mine", "later"])
  }

  @Test func `an append that fails, or that meets a conflict, leaves no state behind`() throws {
    let store = ReadCountingStore()
    try store.execute(.add("x"), on: Shelf["a"])
    store.beforeCommit.withLock { $0 = { throw EventStoreError(.io, "the disk is full") } }
    #expect(throws: EventStoreError.self) { try store.execute(.add("lost"), on: Shelf["a"]) }
    store.beforeCommit.withLock { $0 = { throw EventStoreError(.io, "the disk is full") } }
    #expect(throws: EventStoreError.self) {
      try store.transaction { transaction in
        try transaction.execute(.add("lost"), on: Shelf["a"])
        try transaction.execute(.add("lost too"), on: Shelf["a"])
      }
    }
    store.beforeCommit.withLock { before in
      before = {
        try store.memory.append(
          Append([NewEvent(type: "ShelfAdded", payload: #"{"name":"theirs"}"#)], to: Shelf.stream("a")))
      }
    }
    try store.execute(.add("mine"), on: Shelf["a"])
    #expect(try store.state(of: Shelf["a"]).names == ["x", "theirs", "mine"])
  }

  @Test func `a wrapper that reads events in another form has states of its own`() throws {
    let inner = MemoryEventStore()
    let wrapper = RenamingStore(memory: inner)
    try inner.execute(.add("x"), on: Shelf["a"])
    #expect(try wrapper.state(of: Shelf["a"]).names == ["X"])
    #expect(try inner.state(of: Shelf["a"]).names == ["x"])
    try wrapper.execute(.add("y"), on: Shelf["a"])
    #expect(try inner.state(of: Shelf["a"]).names == ["x", "y"])
    // Also if another wrapper was at the same address before.
    for _ in 0..<20 {
      let loud = RenamingStore(memory: inner)
      #expect(try loud.state(of: Shelf["a"]).names.first == "X")
      let plain = ReadCountingStore(memory: inner)
      #expect(try plain.state(of: Shelf["a"]).names.first == "x")
    }
  }
}

/// A state that is folded from nothing.
func folded<D: Decider>(_ decider: D.Type, _ store: any EventStore, _ id: String) throws -> D {
  var fold = try DeciderFold<D>()
  try store.forEachEvent(.stream(D.stream(id))) { try fold.fold($0) }
  return fold.state
}

private struct GivenUp: Error {}

private final class StoreBox: Sendable {
  let store = Mutex<MemoryEventStore?>(nil)
}

private final class Failures: Sendable {
  let list = Mutex<[String]>([])
}

private enum ShelfEvent: Event {
  case added(name: String)
}

private enum ShelfCommand: Sendable {
  case add(String)
}

private struct Shelf: Decider {
  var names: [String] = []

  func decide(_ command: ShelfCommand) -> [ShelfEvent] {
    switch command {
    case .add(let name): [.added(name: name)]
    }
  }
  mutating func evolve(_ event: ShelfEvent) {
    switch event {
    case .added(let name): names.append(name)
    }
  }
}

private final class Box: Sendable {
  let count = Mutex(0)
}

private final class ObjectShelf: Decider {
  static var category: String { "Object" }
  let value = Mutex(0)
  var count: Int { value.withLock { $0 } }

  func decide(_ command: ShelfCommand) -> [ShelfEvent] { [.added(name: "x")] }
  func evolve(_ event: ShelfEvent) { value.withLock { $0 += 1 } }
}

private struct SharingShelf: Decider {
  let box = Box()

  func decide(_ command: ShelfCommand) -> [ShelfEvent] { [.added(name: "x")] }
  mutating func evolve(_ event: ShelfEvent) { box.count.withLock { $0 += 1 } }
}

/// Has an object in one of its cases.
private enum Sometimes {
  case empty
  case full(Box)
}

private struct Whatever {
  var value: any Sendable
}

/// Has an object from its first event on.
private struct LateShelf: Decider {
  var box: Box?

  func decide(_ command: ShelfCommand) -> [ShelfEvent] { [.added(name: "x")] }
  mutating func evolve(_ event: ShelfEvent) {
    box = box ?? Box()
    box?.count.withLock { $0 += 1 }
  }
}

private struct Nosy: Decider {
  static let store = Mutex<MemoryEventStore?>(nil)
  /// What it found of itself when its second event was folded for the first time.
  static let found = Mutex<[Int]>([])
  var count = 0

  func decide(_ command: ShelfCommand) -> [ShelfEvent] { [.added(name: "x")] }
  mutating func evolve(_ event: ShelfEvent) {
    count += 1
    _ = try? Self.store.withLock { $0 }?.state(of: Shelf["a"])
    guard count == 2, Self.found.withLock({ $0.isEmpty }) else { return }
    Self.found.withLock { $0 = [0] }
    let own = try? Self.store.withLock { $0 }?.state(of: Nosy["a"])
    // The event is committed by now, and is folded into a state of its own.
    Self.found.withLock { $0 = [own?.count == 2 ? 1 : -1] }
  }
}

private enum TagEvent: Event {
  case added(name: String, tags: [String])

  var tags: Set<EventTag> {
    switch self {
    case .added(_, let tags): Set(tags.map { EventTag($0) })
    }
  }
}

private struct Tagged: BoundaryDecider {
  enum Command: Sendable {
    case add(String, [EventTag])
    case count(String, Int)
    case ask([EventTag])
  }

  struct Answer: Error { let count: Int }

  static let folds = Mutex<[String: Int]>([:])
  var names: [String] = []

  static func boundary(for command: Command) -> EventQuery {
    switch command {
    case .add(_, let tags), .ask(let tags): tags.map { .tagged($0) }.reduce(EventQuery([])) { $0 || $1 }
    case .count(let test, _): .tagged(EventTag(test))
    }
  }

  func decide(_ command: Command) throws -> [TagEvent] {
    switch command {
    case .ask: throw Answer(count: names.count)
    case .add(let name, let tags): return [.added(name: name, tags: tags.map(\.text))]
    case .count(let test, let number): return [.added(name: "\(number)", tags: [test])]
    }
  }

  mutating func evolve(_ event: TagEvent) {
    switch event {
    case .added(let name, let tags):
      names.append(name)
      for tag in tags { Self.folds.withLock { if let count = $0[tag] { $0[tag] = count + 1 } } }
    }
  }
}

/// A store in memory that counts the events that are read of it, and whose commits can be disturbed once.
private final class ReadCountingStore: StoreAroundMemory {
  let memory: MemoryEventStore
  let beforeCommit = Mutex<(@Sendable () throws -> Void)?>(nil)
  private let read = Mutex(0)

  init(budget: Int = 1_000) {
    memory = MemoryEventStore(environment: StoreEnvironment(stateBudget: budget))
  }

  init(memory: MemoryEventStore) { self.memory = memory }

  /// How many events were read since it was asked last.
  func taken() -> Int {
    read.withLock { count in
      defer { count = 0 }
      return count
    }
  }

  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    let found = try log.events(query, after: after, through: through, limit: limit)
    read.withLock { $0 += found.count }
    return found
  }

  func commit(_ append: Append) throws -> Receipt {
    let disturb = beforeCommit.withLock { before in
      defer { before = nil }
      return before
    }
    try disturb?()
    return try memory.commit(append)
  }
}

/// A store that reads names in capitals.
private final class RenamingStore: StoreAroundMemory {
  let memory: MemoryEventStore

  init(memory: MemoryEventStore) { self.memory = memory }

  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try log.events(query, after: after, through: through, limit: limit).map { event in
      StoredEvent(
        position: event.position, transaction: event.transaction, stream: event.stream, version: event.version,
        id: event.id, type: event.type, schema: event.schema, time: event.time, tags: event.tags,
        payload: event.payload?.replacingOccurrences(of: "\"x\"", with: "\"X\""), metadata: event.metadata)
    }
  }
}

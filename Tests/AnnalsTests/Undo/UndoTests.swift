import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// An actor takes back and repeats steps, and the log alone knows of them.
@Suite struct UndoTests {
  private let store: any EventStore = MemoryEventStore()

  private func history(_ actor: String = "ann", _ store: (any EventStore)? = nil, levels: Int = 100) -> UndoHistory {
    UndoHistory(store ?? self.store, of: actor, deciders: [Drawer.self], levels: levels)
  }

  private func drawer() throws -> Drawer { try store.state(of: Drawer["1"]) }

  @discardableResult
  private func put(_ slot: Int, _ label: String, by history: UndoHistory, _ title: String? = nil) throws -> Receipt {
    try history.execute(.put(slot, label), on: Drawer["1"], named: title)
  }

  @Test func `a step is undone and redone by ordinary events that say what they take back`() throws {
    let ann = history()
    try put(1, "pen", by: ann, "Put Pen")
    try ann.execute(.relabel(1, "ink"), on: Drawer["1"], named: "Relabel")
    #expect(try ann.stacks().undo.map(\.title) == ["Put Pen", "Relabel"])
    try ann.undo()
    #expect(try drawer().slots == [1: "pen"])
    #expect(try ann.stacks().undo.map(\.title) == ["Put Pen"] && ann.stacks().redo.map(\.title) == ["Relabel"])
    try ann.undo()
    #expect(try drawer() == Drawer())
    try ann.redo()
    try ann.redo()
    #expect(try drawer().slots == [1: "ink"])
    #expect(try ann.stacks().undo.map(\.title) == ["Put Pen", "Relabel"] && ann.stacks().redo.isEmpty)
    let events = try store.events(.all, after: 0, through: nil, limit: 9)
    #expect(
      events.map(\.type) == [
        "DrawerPut", "DrawerRelabelled", "DrawerRelabelled", "DrawerTaken", "DrawerPut", "DrawerRelabelled",
      ])
    let steps = events.map { $0.metadata["undostep"] }
    #expect(Set(steps).count == 6 && !steps.contains(nil))
    #expect(events.map { $0.metadata["undoes"] } == [nil, nil, steps[1], steps[0], nil, nil])
    #expect(events.map { $0.metadata["redoes"] } == [nil, nil, nil, nil, steps[3], steps[2]])
    #expect(events.allSatisfy { $0.metadata.author == "ann" && $0.tags == ["undo:ann"] })
  }

  @Test func `each actor takes back its own steps alone`() throws {
    let (ann, bob) = (history("ann"), history("bob"))
    try put(1, "pen", by: ann)
    try put(2, "cup", by: bob)
    try ann.undo()
    #expect(try drawer().slots == [2: "cup"])
    #expect(#expect(throws: UndoError.self) { try ann.undo() }?.code == .nothingToUndo)
    #expect(#expect(throws: UndoError.self) { try bob.redo() }?.code == .nothingToRedo)
    #expect(try ann.stacks().redo.count == 1 && bob.stacks().undo.count == 1)
  }

  @Test func `a command that the store executes itself is no one's step, and clears nothing`() throws {
    let ann = history()
    try put(1, "pen", by: ann)
    try ann.undo()
    try store.execute(.put(1, "cup"), on: Drawer["1"])
    try store.execute(.take(1), on: Drawer["1"], metadata: ["actor": "ann"])
    try ann.redo()
    #expect(try drawer().slots == [1: "pen"])
  }

  @Test func `a new step clears what could be repeated, and one that leads to nothing does not`() throws {
    let ann = history()
    try put(1, "pen", by: ann)
    try put(2, "cup", by: ann)
    try ann.undo()
    try ann.execute(.relabel(1, "pen"), on: Drawer["1"])
    #expect(throws: Drawer.Refusal.occupied(1)) { try put(1, "ink", by: ann) }
    #expect(try ann.stacks().redo.count == 1)
    let cleared = try #require(try ann.stacks().redo.last)
    try put(3, "key", by: ann)
    #expect(try ann.stacks().redo.isEmpty)
    #expect(#expect(throws: UndoError.self) { try ann.redo() }?.code == .nothingToRedo)
    #expect(#expect(throws: UndoError.self) { try ann.redo(cleared) }?.code == .notFound)
  }

  @Test func `a reversal that is refused changes nothing, stays on the stack, and can be done later`() throws {
    let (ann, bob) = (history("ann"), history("bob"))
    try ann.execute(.put(1, "pen"), on: Drawer["1"], named: "Put Pen")
    try bob.execute(.take(1), on: Drawer["1"])
    let before = (try store.head(), try ann.stacks())
    let error = #expect(throws: UndoError.self) { try ann.undo() }
    #expect(error?.code == .refused && error?.underlying as? Drawer.Refusal == .empty(1))
    #expect(error?.step == before.1.undo.last)
    #expect(
      "\(try #require(error))"
        == "\"Put Pen\" cannot be undone now, because its reversal [take(1)] was refused: empty(1). The log "
        + "is unchanged, so you can retry later")
    #expect(try store.head() == before.0 && ann.stacks() == before.1)
    try bob.undo()
    try ann.undo()
    #expect(try drawer() == Drawer())
  }

  @Test func `a step that is not the last can be taken back alone`() throws {
    let ann = history()
    for slot in 1...3 { try put(slot, "\(slot)", by: ann) }
    let second = try ann.stacks().undo[1]
    try ann.undo(second)
    #expect(try drawer().slots == [1: "1", 3: "3"])
    #expect(try ann.stacks().undo.count == 2 && ann.stacks().redo.count == 1)
    let error = #expect(throws: UndoError.self) { try ann.undo(second) }
    #expect(error?.code == .alreadyReversed && error?.step == second)
    try ann.redo()
    #expect(try drawer().slots.count == 3)
  }

  @Test func `several commands of one transaction are one step`() throws {
    let ann = history()
    try put(1, "pen", by: ann)
    try ann.transaction(named: "Tidy") { transaction in
      try transaction.execute(.put(2, "cup"), on: Drawer["1"])
      try transaction.execute(.swap(1, 2), on: Drawer["1"])
      try transaction.execute(.take(1), on: Drawer["1"])
      try transaction.execute(.count(5), on: Drawer["2"])
    }
    #expect(try ann.stacks().undo.map(\.count) == [1, 4])
    try ann.undo()
    #expect(try drawer().slots == [1: "pen"])
    #expect(try store.state(of: Drawer["2"]).total == 0)
    try ann.redo()
    #expect(try drawer().slots == [2: "pen"])
    #expect(try store.state(of: Drawer["2"]).total == 5)
    #expect(try ann.stacks().undo.last?.title == "Tidy")
  }

  @Test func `several commits of one group are one step`() throws {
    let ann = history()
    try put(1, "", by: ann)
    for text in ["D", "De", "Dear"] {
      try ann.execute(.relabel(1, text), on: Drawer["1"], named: "Typing", in: "label")
      try store.execute(.count(1), on: Drawer["1"])
    }
    #expect(try ann.stacks().undo.map(\.title) == [nil, "Typing"] && ann.stacks().undo.last?.count == 3)
    try ann.undo()
    #expect(try drawer().slots == [1: ""] && drawer().total == 3)
    try history().redo()
    #expect(try drawer().slots == [1: "Dear"])
    // A group that continues after its undo is a new step.
    try history().undo()
    try ann.execute(.relabel(1, "Hi"), on: Drawer["1"], in: "label")
    #expect(try ann.stacks().undo.count == 2 && ann.stacks().redo.isEmpty)
    try history().undo()
    #expect(try drawer().slots == [1: ""])
  }

  @Test func `a command that nothing takes back is no step`() throws {
    let ann = history()
    try put(1, "pen", by: ann)
    try ann.execute(.shred(1), on: Drawer["1"])
    #expect(try ann.stacks().undo.count == 1)
    let last = try #require(try store.events(.all, after: 1, through: nil, limit: 1).first)
    #expect(last.metadata == [:] && last.tags == [])
    #expect(#expect(throws: UndoError.self) { try ann.undo() }?.code == .refused)
  }

  @Test func `a reversal that leads to no events is an error, and nothing is noted`() throws {
    let ann = history()
    try put(1, "pen", by: ann)
    try ann.execute(.relabel(1, "ink"), on: Drawer["1"])
    try store.execute(.relabel(1, "pen"), on: Drawer["1"])
    #expect(#expect(throws: UndoError.self) { try ann.undo() }?.code == .withoutEffect)
    #expect(try ann.stacks().undo.count == 2 && store.head() == 3)
  }

  @Test func `a history that is made later undoes in the states in which the steps were decided`() throws {
    let ann = history()
    try put(1, "pen", by: ann)
    try ann.execute(.relabel(1, "ink"), on: Drawer["1"])
    try ann.execute(.relabel(1, "cup"), on: Drawer["1"])
    try store.execute(.relabel(1, "bag"), on: Drawer["1"])
    let later = history()
    let steps = try later.stacks().undo
    // It says "pen", as it was, and not what it is now.
    try later.undo(steps[1])
    #expect(try drawer().slots == [1: "pen"])
    try history().undo(steps[2])
    #expect(try drawer().slots == [1: "ink"])
    try history().redo()
    #expect(try drawer().slots == [1: "pen"])
  }

  @Test func `two histories of one actor are one`() throws {
    let (window, other) = (history(), history())
    try put(1, "pen", by: window)
    try put(2, "cup", by: other)
    #expect(try window.stacks() == other.stacks())
    let last = try #require(try window.stacks().undo.last)
    try other.undo()
    #expect(#expect(throws: UndoError.self) { try window.undo(last) }?.code == .alreadyReversed)
    try window.redo()
    #expect(try other.stacks().undo.count == 2 && drawer().slots.count == 2)
  }

  @Test func `a step is taken back once, also when two do it at the same moment`() throws {
    let racer = Mutex<UndoHistory?>(nil)
    let hook: @Sendable (CommandStep) throws -> Void = { moment in
      guard case .willAppend = moment, let other = racer.withLock({ $0.take() }) else { return }
      try other.undo()
    }
    let store: any EventStore = MemoryEventStore(environment: StoreEnvironment(hook: hook))
    let ann = history("ann", store)
    for amount in [3, 5, 7] { try ann.execute(.count(amount), on: Drawer["1"]) }
    racer.withLock { $0 = history("ann", store) }
    // The other one takes 7 back before this one commits.
    #expect(#expect(throws: UndoError.self) { try ann.undo() }?.code == .alreadyReversed)
    #expect(try store.state(of: Drawer["1"]).total == 8)
    racer.withLock { $0 = history("bob", store) }
    #expect(#expect(throws: UndoError.self) { try ann.undo() }?.code == .nothingToUndo)
    try ann.undo()
    #expect(try store.state(of: Drawer["1"]).total == 3)
  }

  @Test func `a step is taken back once, also when another does it while a history goes on from what it knows`() throws
  {
    let racer = Mutex<UndoHistory?>(nil)
    let hook: @Sendable (CommandStep) throws -> Void = { moment in
      guard case .willAppend = moment, let other = racer.withLock({ $0.take() }) else { return }
      try other.undo()
    }
    let store: any EventStore = MemoryEventStore(environment: StoreEnvironment(hook: hook))
    let ann = history("ann", store)
    for amount in [1, 3, 5, 7] { try ann.execute(.count(amount), on: Drawer["1"]) }
    try ann.undo()
    racer.withLock { $0 = history("ann", store) }
    #expect(#expect(throws: UndoError.self) { try ann.undo() }?.code == .alreadyReversed)
    #expect(try store.state(of: Drawer["1"]).total == 4)
  }

  @Test func `after each undo, another window's step is the last one`() throws {
    let (ann, other) = (history(), history())
    for slot in 1...3 { try put(slot, "pen", by: ann, "\(slot)") }
    try ann.undo()
    try put(4, "cup", by: other, "4")
    try ann.undo()
    #expect(try drawer().slots.keys.sorted() == [1, 2])
    try store.execute(.put(5, "hat"), on: Drawer["1"])
    try put(6, "cup", by: ann, "6")
    try ann.undo()
    try ann.undo()
    #expect(try drawer().slots.keys.sorted() == [1, 5])
    #expect(try ann.stacks() == other.stacks() && ann.stacks() == history().stacks())
  }

  @Test func `a redo is refused that a new step clears at the same moment, on whatever stream`() throws {
    let racer = Mutex<UndoHistory?>(nil)
    let hook: @Sendable (CommandStep) throws -> Void = { moment in
      guard case .willAppend = moment, let other = racer.withLock({ $0.take() }) else { return }
      try other.execute(.count(1), on: Drawer["2"])
    }
    let store: any EventStore = MemoryEventStore(environment: StoreEnvironment(hook: hook))
    let ann = history("ann", store)
    try ann.execute(.count(5), on: Drawer["1"])
    try ann.undo()
    racer.withLock { $0 = history("ann", store) }
    #expect(#expect(throws: UndoError.self) { try ann.redo() }?.code == .notFound)
    #expect(try store.state(of: Drawer["1"]).total == 0)
  }

  @Test func `more steps than the levels are found as newer ones are undone`() throws {
    let ann = history(levels: 3)
    for number in 1...60 { try ann.execute(.count(number % 2 == 0 ? 1 : -1), on: Drawer["\(number)"]) }
    for number in (1...60).reversed() {
      let stacks = try ann.stacks()
      #expect(stacks.undo.count == min(3, number))
      try (number % 7 == 0 ? history(levels: 3) : ann).undo()
    }
    #expect(try ann.stacks().undo.isEmpty)
    for number in 1...60 { #expect(try store.state(of: Drawer["\(number)"]) == Drawer()) }
  }

  @Test func `an id of a command adds a step once`() throws {
    let ann = history()
    for _ in 0..<2 {
      try ann.execute(.count(5), on: Drawer["1"], commandID: "five")
    }
    #expect(try ann.stacks().undo.count == 1 && drawer().total == 5)
    try ann.undo()
    #expect(try drawer().total == 0)
  }

  @Test func `a history without the decider says which one is missing`() throws {
    try put(1, "pen", by: history())
    let other = UndoHistory(store, of: "ann", deciders: [])
    let error = #expect(throws: UndoError.self) { try other.undo() }
    #expect(error?.code == .unknownDecider && error?.message.contains("\"Drawer\"") == true)
    #expect(try store.head() == 1)
  }

  @Test func `awaited calls do the same`() async throws {
    let store = MemoryEventStore()
    let ann = UndoHistory(store, of: "ann", deciders: [Drawer.self])
    try await ann.execute(.put(1, "pen"), on: Drawer["1"], named: "Put")
    try await ann.transaction(named: "Two") { transaction in
      try transaction.execute(.count(5), on: Drawer["1"])
      try transaction.execute(.relabel(1, "ink"), on: Drawer["1"])
    }
    try await ann.undo()
    #expect(try await store.state(of: Drawer["1"]) == Drawer(slots: [1: "pen"], total: 0))
    try await ann.redo()
    #expect(try await store.state(of: Drawer["1"]) == Drawer(slots: [1: "ink"], total: 5))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await ann.undo()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try ann.stacks().undo.count == 2)
  }
}

import Annals
import AnnalsTesting
import Testing

/// The events that a decider gets for a reversal, and the errors if it returns no commands for them.
@Suite struct UndoReversalTests {
  private let store: any EventStore = MemoryEventStore()

  private func history() -> UndoHistory {
    UndoHistory(store, of: "ann", deciders: [Stage.self, Ledger.self, Scratch.self])
  }

  @Test func `a redo passes the events of all commands of an undo to one call`() throws {
    let ann = history()
    for command in [StageCommand.open, .add(5), .add(7)] { try ann.execute(command, on: Stage["1"]) }
    try ann.execute(.close, on: Stage["1"], named: "Close")
    for window in [ann, history()] {
      try window.undo()
      #expect(try store.state(of: Stage["1"]).slots == [5, 7] && ann.stacks().redo.map(\.count) == [1])
      try window.redo()
      #expect(try store.state(of: Stage["1"]) == Stage())
    }
    #expect(try ann.stacks().undo.map(\.count) == [1, 1, 1, 1])
  }

  @Test func `a stage is undone and redone by the law`() throws {
    let commands = Generator<StageCommand> { draw in
      switch try draw(.int(in: 0...5)) {
      case 0: .open
      case 1: .close
      default: .add(try draw(.int(in: 1...3)))
      }
    }
    try check(.array(of: commands, count: 0...12), settings: CheckSettings(examples: 200)) {
      try Stage.ensureUndoes([.open] + $0 + [.close])
    }
  }

  @Test func `an error names the events and the decider whose reversal is missing`() throws {
    let ann = history()
    try ann.execute(.note(5), on: Scratch["1"], named: "Note")
    // An undo is executed even if its own events are irreversible.
    try ann.undo()
    for window in [ann, history()] {
      let error = #expect(throws: UndoError.self) { try window.redo() }
      #expect(error?.code == .irreversible && error?.step?.title == "Note")
      #expect(
        error?.message
          == "\"Note\" cannot be redone, because Scratch.undoing([scratched(number: 5)]) returned nil. The "
          + "undo of the step appended these events. Return commands that reverse the events")
    }
    let unmet = #expect(throws: Unmet.self) { try Scratch.ensureUndoes([.note(5)]) }
    #expect(unmet?.description.contains("the redo of command 1 (.note(5)) fails: ") == true)
    #expect(unmet?.description.contains("Scratch.undoing([scratched(number: 5)]) returned nil") == true)
  }

  @Test func `a refused reversal is named with its commands`() throws {
    let ann = history()
    try ann.execute(.open, on: Stage["1"])
    try ann.execute(.add(5), on: Stage["1"], named: "Add")
    try store.execute(.remove(5), on: Stage["1"])
    let error = #expect(throws: UndoError.self) { try ann.undo() }
    #expect(error?.code == .refused && error?.message.contains("its reversal [remove(5)] was refused: missing") == true)
  }

  @Test func `every event is reversed on the state before it, in reverse order`() throws {
    let ledger = Ledger(amounts: ["a": 1])
    #expect(
      ledger.undoing([.set(name: "a", amount: 2), .set(name: "a", amount: 3), .set(name: "b", amount: 4)])
        == [.set("b", nil), .set("a", 2), .set("a", 1)])
    #expect(ledger.undoing([.set(name: "a", amount: 2), .sealed, .set(name: "a", amount: 3)]) == nil)
    #expect(ledger.undoing([]) == [])
    try check(
      .array(of: .array(of: LedgerCommand.generator, count: 1...4), count: 0...8),
      settings: CheckSettings(examples: 200)
    ) { batches in
      try Ledger.ensureUndoes(batches.map { .all($0) })
    }
  }

  @Test func `a command with an irreversible event isn't a step`() throws {
    let ann = history()
    try ann.execute(.all([.set("a", 1), .seal]), on: Ledger["1"])
    #expect(try ann.stacks().undo.isEmpty && store.head() == 2)
    try ann.execute(.set("a", 2), on: Ledger["1"])
    try ann.undo()
    #expect(try store.state(of: Ledger["1"]).amounts == ["a": 1])
  }
}

private enum StageEvent: Event {
  case opened
  case added(slot: Int)
  case removed(slot: Int)
  case closed
}

private enum StageCommand: Sendable { case open, close, add(Int), remove(Int) }

/// A stage whose slots return with it, so its reopening is reversed only as a whole.
private struct Stage: UndoableDecider, Equatable {
  enum Refusal: Error { case open, closed, missing, present }

  var isOpen = false
  var slots: Set<Int> = []

  func decide(_ command: StageCommand) throws(Refusal) -> [StageEvent] {
    switch command {
    case .open:
      if isOpen { throw .open }
      return [.opened]
    case .close:
      if !isOpen { throw .closed }
      return [.closed]
    case .add(let slot):
      if !isOpen { throw .closed }
      if slots.contains(slot) { throw .present }
      return [.added(slot: slot)]
    case .remove(let slot):
      if !slots.contains(slot) { throw .missing }
      return [.removed(slot: slot)]
    }
  }

  mutating func evolve(_ event: StageEvent) {
    switch event {
    case .opened: isOpen = true
    case .added(let slot): slots.insert(slot)
    case .removed(let slot): slots.remove(slot)
    case .closed: self = Stage()
    }
  }

  func undoing(_ events: [StageEvent]) -> [StageCommand]? {
    switch events.first {
    case .opened: [.close]
    case .added(let slot) where events.count == 1: [.remove(slot)]
    // Slots are added in addition only when a closed stage was reopened.
    case .added, nil: nil
    case .removed(let slot): [.add(slot)]
    case .closed: [.open] + slots.sorted().map { .add($0) }
    }
  }
}

private enum ScratchEvent: Event {
  case noted(number: Int)
  case scratched(number: Int)
}

private enum ScratchCommand: Sendable { case note(Int), scratch(Int) }

/// Notes that are scratched for good, so that their undo can't be redone.
private struct Scratch: EventwiseUndoableDecider, Equatable {
  var numbers: [Int] = []

  func decide(_ command: ScratchCommand) -> [ScratchEvent] {
    switch command {
    case .note(let number): [.noted(number: number)]
    case .scratch(let number): [.scratched(number: number)]
    }
  }

  mutating func evolve(_ event: ScratchEvent) {
    switch event {
    case .noted(let number): numbers.append(number)
    case .scratched(let number): numbers.removeAll { $0 == number }
    }
  }

  func undoing(_ event: ScratchEvent) -> ScratchCommand? {
    switch event {
    case .noted(let number): .scratch(number)
    case .scratched: nil
    }
  }
}

private enum LedgerEvent: Event {
  case set(name: String, amount: Int?)
  case sealed

  static var typePrefix: String { "Ledger" }
}

private enum LedgerCommand: Hashable, Sendable {
  case set(String, Int?)
  case seal
  case all([LedgerCommand])

  static var generator: Generator<LedgerCommand> {
    Generator { draw in
      let name = try draw(.element(of: ["a", "b"]))
      return .set(name, try draw(.element(of: [nil, 1, 2, 3])))
    }
  }
}

private struct Ledger: EventwiseUndoableDecider, Equatable {
  var amounts: [String: Int] = [:]

  func decide(_ command: LedgerCommand) -> [LedgerEvent] {
    switch command {
    case .set(let name, let amount): return [.set(name: name, amount: amount)]
    case .seal: return [.sealed]
    case .all(let commands): return commands.flatMap { decide($0) }
    }
  }

  mutating func evolve(_ event: LedgerEvent) {
    if case .set(let name, let amount) = event { amounts[name] = amount }
  }

  func undoing(_ event: LedgerEvent) -> LedgerCommand? {
    switch event {
    case .set(let name, _): .set(name, amounts[name])
    case .sealed: nil
    }
  }
}

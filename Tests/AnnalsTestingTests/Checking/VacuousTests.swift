import Annals
import AnnalsTesting
import Testing

private enum DoorEvent: Event, Equatable {
  case opened(by: String)
  case closed
  case painted
}

private struct Door: Decider, Equatable, Codable {
  enum Command {
    case open(by: String)
    case close
    case paint
  }

  enum Rejection: Error { case isOpen, isClosed, isNew }

  var isOpen = false

  func decide(_ command: Command) throws(Rejection) -> [DoorEvent] {
    switch (command, isOpen) {
    case (.open(let name), false): return [.opened(by: name)]
    case (.open, true): throw .isOpen
    case (.close, true): return [.closed]
    case (.close, false): throw .isClosed
    case (.paint, _): return []
    }
  }

  mutating func evolve(_ event: DoorEvent) {
    switch event {
    case .opened: isOpen = true
    case .closed: isOpen = false
    case .painted: break
    }
  }
}

private struct DoorRow: Row {
  let id: String
}

private struct Doors: Projection {
  func project(_ event: DoorEvent, into rows: inout Rows<DoorRow>) { rows.insert(DoorRow(id: "door")) }
}

/// A machine whose system keeps a door.
private struct DoorMachine: Machine {
  final class System {
    var door = Door()

    func close() throws {
      for event in try door.decide(.close) { door.evolve(event) }
    }

    func open() throws {
      for event in try door.decide(.open(by: "ann")) { door.evolve(event) }
    }
  }

  enum Kind { case closesOnly, neverMay, opensToo, forgetsToOpen }

  let kind: Kind

  func start() -> (model: Bool, system: System) { (false, System()) }

  var commands: [Command<Bool, System>] {
    Command("close()", when: { _ in kind != .neverMay }) { (isOpen: inout Bool) in
      // The model with the mistake thinks that a door is open at first.
      guard isOpen || kind == .forgetsToOpen else { throw Door.Rejection.isClosed }
      isOpen = false
    } run: { (system: System) in
      try system.close()
    }
    kind == .opensToo ? [opening] : []
  }

  private var opening: Command<Bool, System> {
    Command("open()") { (isOpen: inout Bool) in
      guard !isOpen else { throw Door.Rejection.isOpen }
      isOpen = true
    } run: { (system: System) in
      try system.open()
    }
  }
}

/// A decider whose refusals describe themselves.
private struct Gate: Decider {
  enum Rejection: Error, CustomStringConvertible {
    case locked, rusty

    var description: String { "the gate is in the way" }
  }

  func decide(_ command: Int) throws(Rejection) -> [DoorEvent] {
    guard command > 0 else { throw .locked }
    return [.painted]
  }

  mutating func evolve(_ event: DoorEvent) {}
}

@Suite struct VacuousTests {
  private let settings = CheckSettings(examples: 50, seed: 1, environment: [:])
  private let closing = Generator<Door.Command>.constant(.close)

  private func vacuous(_ body: () throws -> Void) throws -> String {
    let failure = try #require(#expect(throws: PropertyFailure.self) { try body() })
    #expect(failure.kind == .vacuous)
    return failure.description
  }

  @Test func `a law of a decider that refuses every command fails and says what was refused`() throws {
    let text = try vacuous {
      try check(closing, settings: settings) { try Door.ensureDecidesEqually($0, after: []) }
    }
    #expect(text.contains("holds, and shows nothing in 50 examples:\n  Door was asked 50 times and made no event: "))
    #expect(text.contains("50 refused (isClosed 50), 0 answered with nothing; draw commands that can be done"))
    #expect(text.contains("CheckSettings(allowsVacuous: true)"))
    for line in text.split(separator: "\n")[1...2] { #expect(try testingGuide().contains("\n\(line)\n"), "\(line)") }
    let states = try vacuous {
      try check(.array(of: closing, count: 1...3), settings: settings) { try Door.ensureStatesHold($0) }
    }
    #expect(states.contains("Door was asked "))
  }

  @Test func `a law of a decider that never makes an event fails`() throws {
    let text = try vacuous {
      try check(.constant(Door.Command.paint), settings: settings) { try Door.ensureDecidesEqually($0, after: []) }
    }
    #expect(text.contains("0 refused, 50 answered with nothing"))
  }

  @Test func `a law that only met empty histories fails`() throws {
    let none = Generator<[DoorEvent]>.constant([])
    for law in [
      { try Doors().ensureReplaysEqually($0) }, { try Doors().ensureBatchesSplit($0) },
      { try Doors().ensureTableFollows($0) }, { try Door.ensureSnapshotsHold($0) },
      { try DoorEvent.ensureReads([DoorEvent](), as: $0) },
    ] as [([DoorEvent]) throws -> Void] {
      let text = try vacuous { try check(none, settings: settings, law) }
      #expect(text.contains("each history of DoorEvent was empty; draw events"))
    }
  }

  @Test func `a machine that does no command fails, and says whether they were refused or never drawn`() throws {
    let refused = try vacuous { try check(DoorMachine(kind: .closesOnly), settings: settings) }
    #expect(refused.contains("\n  DoorMachine: each of the "), "\(refused)")
    #expect(refused.contains(" commands that ran was refused (isClosed "), "\(refused)")
    let never = try vacuous { try check(DoorMachine(kind: .neverMay), settings: settings) }
    #expect(never.contains("  DoorMachine: no command was ever drawn; let its `when` be true"))
  }

  @Test func `what you mean to be refused may be, and so may a few examples`() throws {
    var all = settings
    all.allowsVacuous = true
    let report = try check(closing, settings: all) { try Door.ensureDecidesEqually($0, after: []) }
    #expect(report.refusals == ["Door: isClosed": 50])
    // A scenario names the expected answer, so it shows something.
    try check(closing, settings: settings) { try Door.given().when($0).thenRefused(Door.Rejection.isClosed) }
    try check(closing, settings: CheckSettings(examples: 9, seed: 1, environment: [:])) {
      try Door.ensureDecidesEqually($0, after: [])
    }
  }

  @Test func `a check of no example is refused`() {
    let error = #expect(throws: CheckError.self) {
      try check(.bool, settings: CheckSettings(examples: 0, environment: [:])) { _ in }
    }
    #expect(error?.description == "a check needs an example or more, found 0: it would pass without a look")
    #expect(throws: CheckError.self) {
      try check(.bool, settings: CheckSettings(environment: ["ANNALS_EXAMPLES": "0"])) { _ in }
    }
  }

  @Test func `a report says which events, commands and refusals no example reached`() throws {
    let history = Generator<[DoorEvent]>.array(of: .element(of: [.opened(by: "ann"), .closed]))
    let report = try check(history, .element(of: [Door.Command.open(by: "bea"), .close]), settings: settings) {
      try Door.ensureReplaysEqually($0)
      try Door.ensureDecidesEqually($1, after: $0)
    }
    #expect(
      report.unreached == [
        "the event painted of DoorEvent", "the command paint of Door", "the refusal isNew of Door",
      ])
    #expect(report.refusals.keys.sorted() == ["Door: isClosed", "Door: isOpen"])
    #expect(report.description.contains("\nrefused as expected: Door: is"))
    #expect(
      report.description.hasSuffix(
        "\nno example reached: the event painted of DoorEvent; the command paint of Door; the refusal isNew of Door"))
    #expect(try testingGuide().contains("\n\(report)\n"), "\(report)")
    let closed = try check(.element(of: [Door.Command.open(by: "bea"), .close, .paint]), settings: settings) {
      try Door.ensureDecidesEqually($0, after: [.closed])
    }
    #expect(closed.unreached.contains { $0.hasPrefix("the command close of Door done: each of ") })
    let machine = try check(DoorMachine(kind: .opensToo), settings: settings)
    #expect(machine.unreached == ["the refusal isNew of DoorMachine"])
    #expect(machine.refusals["DoorMachine: isOpen"] ?? 0 > 0)
  }

  @Test func `of an enum that describes its cases in its own words none is named`() throws {
    let report = try check(.int(in: 0...3), settings: settings) { try Gate.ensureDecidesEqually($0, after: []) }
    #expect(report.unreached == ["the event opened of DoorEvent", "the event closed of DoorEvent"])
    #expect(report.refusals.keys.sorted() == ["Gate: the gate is in the way"])
  }

  @Test func `a refusal that the model does not know is no wrong answer, and a note says so`() throws {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(DoorMachine(kind: .forgetsToOpen), settings: settings)
    }
    #expect(failure?.input.dropFirst() == ["try system.close()"])
    #expect(failure?.error as? Door.Rejection == .isClosed)
    #expect(failure?.notes == ["the system refused close() with isClosed, and its model did it"])
  }
}

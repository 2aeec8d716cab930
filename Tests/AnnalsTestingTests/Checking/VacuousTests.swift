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

private enum Shop {
  enum DayEvent: Event {
    static var typePrefix: String { "ShopDay" }
    case opened, closed
  }

  struct Rows: Projection {
    func project(_ event: DayEvent, into rows: inout Annals.Rows<DoorRow>) { rows.insert(DoorRow(id: "shop")) }
  }
}

private enum Farm {
  enum DayEvent: Event {
    static var typePrefix: String { "FarmDay" }
    case opened, closed
  }

  struct Rows: Projection {
    func project(_ event: DayEvent, into rows: inout Annals.Rows<DoorRow>) { rows.insert(DoorRow(id: "farm")) }
  }
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
  private let settings = CheckSettings(examples: 50, seed: 1, environment: .patient)
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
    #expect(text.contains("holds, but its 450 examples tested nothing:\n  Door returned no event for 450 commands: "))
    #expect(
      text.contains("450 refused (isClosed 450), 0 accepted without an event. Generate other commands or"))
    #expect(text.contains("CheckSettings(allowsVacuous: true)"))
    for line in text.split(separator: "\n")[1...2] { #expect(try testingGuide().contains("\n\(line)\n"), "\(line)") }
    let states = try vacuous {
      try check(.array(of: closing, count: 1...3), settings: settings) { try Door.ensureStatesHold($0) }
    }
    #expect(states.contains("Door returned no event for "))
  }

  @Test func `a law of a decider that never makes an event fails`() throws {
    let text = try vacuous {
      try check(.constant(Door.Command.paint), settings: settings) { try Door.ensureDecidesEqually($0, after: []) }
    }
    #expect(text.contains("0 refused, 450 accepted without an event"))
  }

  @Test func `a law that only met empty histories fails`() throws {
    let none = Generator<[DoorEvent]>.constant([])
    for law in [
      { try Doors().ensureReplaysEqually($0) }, { try Doors().ensureBatchesSplit($0) },
      { try Doors().ensureTableFollows($0) }, { try Door.ensureSnapshotsHold($0) },
      { try DoorEvent.ensureReads([DoorEvent](), as: $0) },
    ] as [([DoorEvent]) throws -> Void] {
      let text = try vacuous { try check(none, settings: settings, law) }
      #expect(text.contains("all generated histories of DoorEvent were empty. Generate histories"))
    }
  }

  @Test func `a machine that does no command fails, and says whether they were refused or never drawn`() throws {
    let refused = try vacuous { try check(DoorMachine(kind: .closesOnly), settings: settings) }
    #expect(refused.contains("\n  DoorMachine: all "), "\(refused)")
    #expect(refused.contains(" commands were refused (isClosed "), "\(refused)")
    let never = try vacuous { try check(DoorMachine(kind: .neverMay), settings: settings) }
    #expect(never.contains("  DoorMachine: no command was ever chosen. Check that the commands' `when`"))
  }

  @Test func `what you mean to be refused may be, and so may a few examples`() throws {
    var all = settings
    all.allowsVacuous = true
    let report = try check(closing, settings: all) { try Door.ensureDecidesEqually($0, after: []) }
    #expect(report.refusals == ["Door: isClosed": 50])
    // A scenario names the expected answer, so it shows something.
    try check(closing, settings: settings) { try Door.given().when($0).thenRefused(Door.Rejection.isClosed) }
    try check(closing, settings: CheckSettings(examples: 9, seed: 1, environment: .patient)) {
      try Door.ensureDecidesEqually($0, after: [])
    }
  }

  @Test func `what is rarely done is looked for longer, before a check is said to show nothing`() throws {
    // Done once in 40 times: ten examples have none in three of four checks.
    let rare = Generator.int(in: 0...39).map { $0 == 39 ? Door.Command.open(by: "ann") : .close }
    var longest = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      let settings = CheckSettings(examples: 10, seed: seed, allowsUnreached: ["close"], environment: .patient)
      let report = try check(rare, settings: settings) {
        try Door.ensureDecidesEqually($0, after: [])
      }
      #expect(report.examples < 410)
      longest = max(longest, report.examples)
    }
    #expect(longest > 10)
  }

  @Test func `if the environment asks for fewer examples than the code, nothing has to be reached`() throws {
    let quick = CheckSettings(examples: 50, seed: 1, environment: ["ANNALS_EXAMPLES": "12"])
    let report = try check(closing, settings: quick) { command in
      try Door.ensureDecidesEqually(command, after: [])
      sometimes(false, "a miracle")
    }
    #expect(report.examples == 12)
    #expect(report.unreached.contains("a miracle"))
    for environment in [[:], ["ANNALS_EXAMPLES": "60"]] as [[String: String]] {
      #expect(throws: PropertyFailure.self) {
        try check(.bool, settings: CheckSettings(examples: 50, environment: environment)) { _ in
          sometimes(false, "a miracle")
        }
      }
    }
  }

  @Test func `two types of one name are two`() throws {
    let report = try check(.bool, settings: settings) { isShop in
      if isShop {
        try Shop.Rows().ensureReplaysEqually([.opened])
      } else {
        try Farm.Rows().ensureReplaysEqually([.closed])
      }
    }
    #expect(
      Set(report.unreached.map { $0.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "") }) == [
        "the event opened of AnnalsTestingTests.Farm.DayEvent", "the event closed of AnnalsTestingTests.Shop.DayEvent",
      ])
  }

  @Test func `a check of no example is refused`() {
    let error = #expect(throws: CheckError.self) {
      try check(.bool, settings: CheckSettings(examples: 0, environment: .patient)) { _ in }
    }
    #expect(error?.description == "`examples` must be at least 1 (was 0)")
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
      report.description.contains(
        "\nno example reached: the event painted of DoorEvent; the command paint of Door; the refusal isNew of Door\n"))
    #expect(try testingGuide().contains("\n\(report)\n"), "\(report)")
    var allowing = settings
    allowing.allowsUnreached = ["close"]
    let closed = try check(.element(of: [Door.Command.open(by: "bea"), .close, .paint]), settings: allowing) {
      try Door.ensureDecidesEqually($0, after: [.closed])
    }
    #expect(closed.unreached.contains { $0.hasPrefix("an accepted command close of Door (") })
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
    #expect(failure?.notes == ["the system refused close() with isClosed, but its model accepted the command"])
  }
}

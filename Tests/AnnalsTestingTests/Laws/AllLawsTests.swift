import Annals
import AnnalsTesting
import Synchronization
import Testing

/// One call that checks a decider and its lists, and the mistakes that it finds.
@Suite(.serialized) struct AllLawsTests {
  private let settings = CheckSettings(examples: 60, seed: 1, environment: .patient)

  private func desk(
    _ mistake: Desk.Mistake, purity: Purity.Launch? = nil, function: String = #function
  ) throws -> CheckReport {
    Desk.mistake.withLock { $0 = mistake }
    defer { Desk.mistake.withLock { $0 = .none } }
    return try Desk.checkAllLaws(
      after: [.open("a")], lists: [.init(Drawers(), in: ListRequest(sort: [.ascending(\.count)]))], purity: purity,
      settings: settings, function: function
    ) { desk in
      .oneOf(
        Generator.element(of: ["a", "b", "c"]).map { .open($0) },
        zip(.element(of: desk.counts.keys.sorted()), .int(in: 1...3)).map { .put($0, $1) })
    }
  }

  private func failure(_ mistake: Desk.Mistake) throws -> PropertyFailure {
    try #require(#expect(throws: PropertyFailure.self, "\(mistake)") { try desk(mistake) })
  }

  @Test func `the report of a correct domain has the laws that ran`() throws {
    let report = try desk(.none)
    #expect(report.examples == 60)
    #expect(
      Set(report.laws.keys) == [
        "Desk: ensureDecidesEqually", "Desk: ensureReplaysEqually", "Desk: ensureResumesAnywhere",
        "Desk: ensureSnapshotsHold", "Desk: ensureStatesHold", "Desk: ensureUndoes", "Drawers: ensureReplaysEqually",
        "Drawers: ensureResumesAnywhere", "Drawers: ensureSnapshotsHold", "Drawers: ensureBatchesSplit",
        "Drawers: ensureChangesHold", "Drawers: ensureTableFollows",
      ])
    #expect(report.laws["Desk: ensureUndoes"] == 60)
    #expect(
      report.unreached == [
        "the event taken of DeskEvent", "the command take of Desk", "the command close of Desk",
        "the refusal isClosed of Desk", "the refusal notEnough of Desk",
      ])
    #expect(report.refusals.keys.sorted() == ["Desk: isOpen"])
    #expect(report.description.contains("laws: Desk: ensureDecidesEqually "))
  }

  @Test func `each mistake is found by its law with the shortest commands`() throws {
    let undo = try failure(.takesBackTooMuch)
    #expect("\(undo)".contains("after the undo of command 2"))
    #expect(undo.input == ["[.open(\"a\"), .put(\"a\", 1)]"])
    #expect(undo.notes == ["the events are [.opened(\"a\"), .put(drawer: \"a\", count: 1)]"])
    #expect("\(try failure(.decidesOtherwise))".contains("the first decision is"))
    let snapshot = try failure(.snapshotForgets)
    #expect("\(snapshot)".contains("can't be saved: the state changes when it is decoded"))
    #expect(snapshot.input == ["[.open(\"a\"), .put(\"a\", 2)]"])
    let list = try failure(.rowsAreRandom)
    #expect("\(list)".contains("the first replay results in"))
    // Every history begins with the first command.
    #expect(list.input == ["[.open(\"a\")]"])
  }

  @Test func `a token repeats the case`() throws {
    var replaying = settings
    replaying.replay = try failure(.takesBackTooMuch).token
    let report = try Desk.checkAllLaws(after: [.open("a")], settings: replaying) { _ in .constant(.open("b")) }
    #expect(report.examples == 1)
  }

  @Test func `other processes find a result that depends on the hash seed`() throws {
    #expect(try desk(.usesHashes).examples == 60)
    let failure = try #require(
      #expect(throws: PropertyFailure.self) { try desk(.usesHashes, purity: .thisTest) })
    #expect(failure.description.contains("with another hash seed, the result is"), "\(failure)")
    #expect(failure.input == ["[.open(\"a\")]"])
  }

  @Test func `correct lists are the same in other processes`() throws {
    let report = try desk(.none, purity: .thisTest)
    #expect(report.laws["Desk: checkPurity"] == 50)
  }

  @Test func `a boundary without the required tags is found, unless the law is excepted`() throws {
    func check(except: Set<String> = [], isTagged: Bool = false) throws -> CheckReport {
      Seats.isTagged.withLock { $0 = isTagged }
      return try Seats.checkAllLaws(except: except, settings: settings) { _ in
        .oneOf(
          zip(.int(in: 1...2), .element(of: ["ann", "bob"])).map { .take($0, $1) },
          Generator.int(in: 1...2).map { .leave($0) })
      }
    }
    let failure = try #require(#expect(throws: PropertyFailure.self) { try check(except: ["ensureUndoes"]) })
    #expect(failure.input == ["[.take(1, \"ann\"), .leave(1), .take(2, \"ann\")]"], "\(failure)")
    #expect(failure.description.contains("only the 1 events inside the boundary"))
    let report = try check(except: ["ensureBoundaryHolds", "ensureUndoes"])
    #expect(report.laws["Seats: ensureBoundaryHolds"] == nil && report.laws["Seats: ensureStatesHold"] == 60)
    #expect(try check(isTagged: true).laws["Seats: ensureUndoes"] == 60)
    let error = #expect(throws: CheckError.self) { try check(except: ["ensureUndo"]) }
    #expect(error?.description.contains("only names of laws of Seats") == true)
  }

  @Test func `a decider that is not equatable is reported with the laws that it misses`() throws {
    let report = try Bell.checkAllLaws(settings: settings) { _ in .int(in: 0...9) }
    #expect(
      report.unreached == [
        "the law ensureReplaysEqually of Bell, because Bell isn't Equatable",
        "the law ensureResumesAnywhere of Bell, because Bell isn't Equatable",
      ])
  }

  @Test func `generated histories have only events that the decider returned`() throws {
    let history = Desk.histories(after: [.open("a")], count: 3...8) { desk in
      .oneOf(
        Generator.element(of: desk.counts.keys.sorted().filter { desk.counts[$0, default: 0] > 0 }).map {
          .take($0, 1)
        },
        zip(.element(of: ["a", "b"]), .int(in: 1...2)).map { .put($0, $1) })
    }
    let report = try check(history, settings: settings) { history in
      #expect(history.first == .opened("a"))
      var counts: [String: Int] = [:]
      for event in history {
        if case .put(let name, let count) = event { counts[name, default: 0] += count }
        if case .taken(let name, let count) = event { counts[name, default: 0] -= count }
      }
      sometimes(counts.values.contains(0), "all is taken")
      return counts.values.allSatisfy { $0 >= 0 } && counts["b"] == nil
    }
    #expect(report.refusals.keys.sorted() == ["Desk: isClosed"])
  }

  @Test func `a command that is refused in more than 95 percent of its calls gets advice`() throws {
    func advice(_ numbers: ClosedRange<Int>, allowing: Set<String> = []) throws -> [String] {
      var settings = settings
      settings.allowsUnreached = allowing
      var cases = 0
      let report = try check(.array(of: .int(in: numbers), count: 10), settings: settings) { numbers in
        cases += 1
        // One call in sixty is accepted.
        let take = cases == 1 ? Desk.Command.take("a", 1) : .take("b", 1)
        for _ in numbers { try Desk.ensureDecidesEqually(take, after: [.opened("a"), .put(drawer: "a", count: 2)]) }
      }
      return report.advice
    }
    let advised = try advice(0...9)
    #expect(advised.count == 1)
    #expect(
      advised.first?.contains(
        /the command take of Desk was refused in \d+ of 600 calls\. Draw its arguments from the state/)
        == true)
    #expect(try advice(0...9, allowing: ["take"]) == [])
  }

  @Test func `the undo law reads each event a limited number of times`() throws {
    func evolved(_ count: Int) throws -> Int {
      Tally.evolved.store(0, ordering: .relaxed)
      try Tally.ensureUndoes(Array(repeating: 1, count: count), in: Counts())
      return Tally.evolved.load(ordering: .relaxed)
    }
    // The number of events that are applied grows with the square of the number of commands, or more slowly.
    #expect(Double(try evolved(48)) / Double(try evolved(24)) < 4.5)
  }
}

private enum DeskEvent: Event, Equatable {
  case opened(String)
  case put(drawer: String, count: Int)
  case taken(drawer: String, count: Int)
}

/// A desk with drawers, and the mistakes that it can have.
private struct Desk: UndoableDecider, SnapshotDecider, Equatable {
  enum Mistake { case none, takesBackTooMuch, snapshotForgets, decidesOtherwise, rowsAreRandom, usesHashes }
  enum Refusal: Error { case isOpen, isClosed, notEnough }
  enum Command { case open(String), put(String, Int), take(String, Int), close(String) }

  static let mistake = Mutex(Mistake.none)
  static let asked = Atomic<Int>(0)
  static var stateVersion: Int { 1 }

  private(set) var counts: [String: Int] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    counts = try decoder.singleValueContainer().decode([String: Int].self)
    if Self.mistake.withLock({ $0 }) == .snapshotForgets, counts.values.contains(where: { $0 > 1 }) { counts = [:] }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(counts)
  }

  func decide(_ command: Command) throws(Refusal) -> [DeskEvent] {
    switch command {
    case .open(let name):
      if counts[name] != nil { throw .isOpen }
      return [.opened(name)]
    case .put(let name, let count):
      guard counts[name] != nil else { throw .isClosed }
      if Self.mistake.withLock({ $0 }) == .decidesOtherwise {
        return [.put(drawer: name, count: Self.asked.wrappingAdd(1, ordering: .relaxed).newValue)]
      }
      return [.put(drawer: name, count: count)]
    case .take(let name, let count):
      guard let known = counts[name] else { throw .isClosed }
      guard known >= count else { throw .notEnough }
      return [.taken(drawer: name, count: count)]
    case .close(let name):
      guard counts[name] != nil else { throw .isClosed }
      return []
    }
  }

  mutating func evolve(_ event: DeskEvent) {
    switch event {
    case .opened(let name): counts[name] = 0
    case .put(let name, let count): counts[name, default: 0] += count
    case .taken(let name, let count): counts[name, default: 0] -= count
    }
  }

  func undoing(_ events: [DeskEvent]) -> [Command]? {
    let extra = Self.mistake.withLock { $0 } == .takesBackTooMuch ? 1 : 0
    var commands: [Command] = []
    for event in events.reversed() {
      switch event {
      case .opened: return nil
      case .put(let name, let count): commands.append(extra > 0 ? .put(name, extra) : .take(name, count))
      case .taken(let name, let count): commands.append(.put(name, count))
      }
    }
    return commands
  }
}

private struct Drawer: Row {
  let id: String
  var count = 0
}

private struct Drawers: Projection {
  func project(_ event: DeskEvent, into rows: inout Rows<Drawer>) {
    switch event {
    case .opened(let name):
      let mistake = Desk.mistake.withLock { $0 }
      let count =
        switch mistake {
        case .rowsAreRandom: Desk.asked.wrappingAdd(1, ordering: .relaxed).newValue
        case .usesHashes: name.hashValue
        default: 0
        }
      rows.insert(Drawer(id: name, count: count))
    case .put(let name, let count): rows.update(name) { $0.count &+= count }
    case .taken(let name, let count): rows.update(name) { $0.count &-= count }
    }
  }
}

private enum ChairEvent: Event, Equatable {
  case taken(chair: Int, name: String)
  case left(chair: Int, name: String)

  var tags: Set<EventTag> {
    switch self {
    case .taken(let seat, let name): ["seat:\(seat)", "name:\(name)"]
    // The mistake: without the name, the boundary of a person misses the event.
    case .left(let seat, let name):
      Seats.isTagged.withLock { $0 } ? ["seat:\(seat)", "name:\(name)"] : ["seat:\(seat)"]
    }
  }
}

/// A person has one seat.
private struct Seats: BoundaryDecider, UndoableDecider, Equatable {
  enum Command { case take(Int, String), leave(Int) }
  enum Refusal: Error { case isTaken, isFree, hasOne }

  static let isTagged = Mutex(false)

  var names: [Int: String] = [:]

  static func boundary(for command: Command) -> EventQuery {
    switch command {
    case .take(let seat, let name): .tagged("seat:\(seat)") || .tagged("name:\(name)")
    case .leave(let seat): .tagged("seat:\(seat)")
    }
  }

  func decide(_ command: Command) throws(Refusal) -> [ChairEvent] {
    switch command {
    case .take(let seat, let name):
      if names[seat] != nil { throw .isTaken }
      if names.values.contains(name) { throw .hasOne }
      return [.taken(chair: seat, name: name)]
    case .leave(let seat):
      guard let name = names[seat] else { throw .isFree }
      return [.left(chair: seat, name: name)]
    }
  }

  mutating func evolve(_ event: ChairEvent) {
    switch event {
    case .taken(let seat, let name): names[seat] = name
    case .left(let seat, _): names[seat] = nil
    }
  }

  func undoing(_ events: [ChairEvent]) -> [Command]? {
    events.reversed().map { event in
      switch event {
      case .taken(let seat, _): .leave(seat)
      case .left(let seat, let name): .take(seat, name)
      }
    }
  }
}

private enum BellEvent: Event { case rung(Int) }

private struct Bell: Decider {
  func decide(_ command: Int) -> [BellEvent] { [.rung(command)] }
  mutating func evolve(_ event: BellEvent) {}
}

/// A sum that counts the events that are applied to it.
private struct Tally: UndoableDecider, Equatable {
  static let evolved = Atomic<Int>(0)

  var sum = 0

  func decide(_ command: Int) -> [TallyEvent] { [.added(command)] }

  mutating func evolve(_ event: TallyEvent) {
    Self.evolved.wrappingAdd(1, ordering: .relaxed)
    if case .added(let number) = event { sum += number }
  }

  func undoing(_ events: [TallyEvent]) -> [Int]? {
    events.reversed().map { event in if case .added(let number) = event { -number } else { 0 } }
  }
}

private enum TallyEvent: Event { case added(Int) }

private struct Count: Row {
  let id: String
  var sum = 0
}

private struct Counts: Projection {
  func project(_ event: TallyEvent, into rows: inout Rows<Count>) {
    Tally.evolved.wrappingAdd(1, ordering: .relaxed)
    guard case .added(let number) = event else { return }
    if rows["sum"] == nil { rows.insert(Count(id: "sum")) }
    rows.update("sum") { $0.sum += number }
    if rows["sum"]?.sum == 0 { rows["sum"] = nil }
  }
}

import Annals
import AnnalsTesting
import Testing

/// A jar with a bug that occurs without concurrent commands.
private final class FaultyJar {
  enum Bug {
    /// The jar reports no error if it is too full.
    case hidesRefusals
    /// The jar loses a unit if its content becomes greater than 4.
    case losesUnit
  }

  let store = InterleavingStore(MemoryEventStore())
  let bug: Bug

  init(_ bug: Bug) { self.bug = bug }

  func add(_ amount: Int) throws {
    do { try store.execute(.add(amount), on: Jar["jar"]) } catch  where bug == .hidesRefusals {}
  }

  func content() throws -> Int {
    let content = try store.state(of: Jar["jar"]).content
    return bug == .losesUnit && content > 4 ? content - 1 : content
  }
}

private struct FaultyJarMachine: Machine {
  let bug: FaultyJar.Bug

  func start() -> (model: Int, system: FaultyJar) { (0, FaultyJar(bug)) }

  var commands: [Command<Int, FaultyJar>] {
    Command("add(_:)") { _ in
      .int(in: 1...4)
    } model: { content, amount in
      guard content + amount <= 9 else { throw Jar.Rejection.tooFull }
      content += amount
    } run: { jar, amount in
      try jar.add(amount)
    }
  }

  func invariant(_ content: Int, _ jar: FaultyJar) throws { try ensureEqual(try jar.content(), content, "content") }

  func store(of system: FaultyJar) -> (any EventStore)? { system.store }
}

/// A place with a number of free spots for every level.
private struct Level: Equatable {
  var name: String
  var spots: Int
  var isOpen: Bool
}

@Suite struct SequentialTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a bug without concurrency has one sequential form, although commands run at the same time`(
    seed: UInt64
  ) throws {
    let settings = CheckSettings(examples: 300, seed: seed, environment: .patient)
    let refusal = #expect(throws: PropertyFailure.self) {
      try check(FaultyJarMachine(bug: .hidesRefusals), settings: settings)
    }
    let first = "let system = try FaultyJarMachine().start().system"
    #expect(refusal?.input == [first] + [2, 4, 4].map { "try system.add(\($0))" })
    let loss = #expect(throws: PropertyFailure.self) {
      try check(FaultyJarMachine(bug: .losesUnit), settings: settings)
    }
    #expect(loss?.input == [first] + [1, 4].map { "try system.add(\($0))" })
    #expect(loss?.notes == ["the invariant failed after add(4)"])
    #expect(loss.map { "\($0)".contains("content: expected 5, found 4") } == true)
    for failure in [refusal, loss] { #expect(failure.map { "\($0)".contains("This is a race") } == false) }
  }

  @Test func `the report of a race contains a sentence about it`() throws {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(JarMachine(way: .readsFirst), settings: CheckSettings(examples: 300, seed: 1, environment: .patient))
    }
    let text = failure.map { "\($0)" } ?? ""
    #expect(text.contains("\nThis is a race: the same commands pass if they run one after the other.\n"), "\(text)")
  }

  @Test func `a report contains the location of the failed condition`() throws {
    let settings = CheckSettings(examples: 200, seed: 1, environment: .patient)
    // Inside `#expect`, all lines are the line of the macro.
    let line = #line + 1 as UInt
    func isSmall(_ number: Int) throws { try ensure(number < 5) }
    let elsewhere = #expect(throws: PropertyFailure.self) { try check(.int(), settings: settings) { try isSmall($0) } }
    let text = elsewhere.map { "\($0)" } ?? ""
    #expect(text.contains("\n  The condition is at \(#fileID):\(line).\n"), "\(text)")
    let here = #expect(throws: PropertyFailure.self) {
      try check(.int(), settings: settings) { try ensure($0 < 5) }
    }
    #expect(here.map { "\($0)".contains("The condition is at") } == false)
  }

  @Test func `structs are compared by member`() throws {
    func text(_ found: Level, _ expected: Level) -> String {
      let error = #expect(throws: Unmet.self) { try ensureEqual(found, expected, "p1") }
      return error?.description ?? ""
    }
    let level = Level(name: "p1", spots: 2, isOpen: true)
    #expect(
      text(Level(name: "p1", spots: 1, isOpen: true), level).hasSuffix(
        "; the difference is in spots: expected 2, found 1"))
    #expect(
      text(Level(name: "p1", spots: 1, isOpen: false), level)
        .hasSuffix("; the difference is in spots: expected 2, found 1, and in isOpen: expected true, found false"))
    #expect(!text(Level(name: "p2", spots: 1, isOpen: false), level).contains("the difference"))
    #expect(text(level, Level(name: "p2", spots: 1, isOpen: false)).hasPrefix("p1: expected Level("))
  }

  @Test func `a command can have three arguments without type annotations`() throws {
    struct Notes: Machine {
      final class System {
        var texts: [String] = []
        func enter(_ plate: String, _ level: String, at minute: Int) { texts.append("\(plate) \(level) \(minute)") }
      }

      func start() -> (model: [String], system: System) { ([], System()) }

      var commands: [Command<[String], System>] {
        Command("enter(_:_:at:)") { _ in
          zip(.element(of: ["a", "b"]), .element(of: ["p1"]), .int(in: 0...9))
        } model: { texts, it in
          texts.append("\(it.0) \(it.1) \(it.2)")
        } run: { system, it in
          system.enter(it.0, it.1, at: it.2)
        }
      }

      func invariant(_ model: [String], _ system: System) throws {
        try ensureEqual(system.texts, model)
        try ensure(model.count < 2)
      }
    }
    let failure = #expect(throws: PropertyFailure.self) {
      try check(Notes(), settings: CheckSettings(examples: 200, seed: 1, environment: .patient))
    }
    #expect(failure?.input.last == "try system.enter(\"a\", \"p1\", at: 0)")
  }
}

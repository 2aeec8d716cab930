import Annals
import AnnalsStoreTesting
import AnnalsTesting
import Testing

enum JarEvent: Event {
  case filled(to: Int)
}

struct Jar: Decider {
  enum Rejection: Error { case tooFull }

  enum Command {
    case fill(to: Int)
    case add(Int)
  }

  var content = 0

  func decide(_ command: Command) throws(Rejection) -> [JarEvent] {
    let next =
      switch command {
      case .fill(let to): to
      case .add(let amount): content + amount
      }
    guard next <= 9 else { throw .tooFull }
    return [.filled(to: next)]
  }

  mutating func evolve(_ event: JarEvent) {
    if case .filled(let to) = event { content = to }
  }
}

/// A system that adds to a jar, rightly or with a lost update.
final class JarSystem {
  enum Way { case decider, readsFirst, carelessStore }

  let store: InterleavingStore
  let way: Way

  init(_ way: Way) {
    self.way = way
    store = InterleavingStore(CarelessStore(bug: way == .carelessStore ? .acceptsStale : .none))
  }

  func add(_ amount: Int) throws {
    guard way == .readsFirst else {
      try store.execute(.add(amount), on: Jar["jar"])
      return
    }
    // What the command says was read before: when it is tried again, it says the same.
    let content = try content()
    guard content + amount <= 9 else { throw Jar.Rejection.tooFull }
    try store.execute(.fill(to: content + amount), on: Jar["jar"])
  }

  func content() throws -> Int { try store.state(of: Jar["jar"]).content }
}

struct JarMachine: Machine {
  let way: JarSystem.Way

  func start() -> (model: Int, system: JarSystem) { (0, JarSystem(way)) }

  var commands: [Command<Int, JarSystem>] {
    Command("add(_:)") { (_: Int) in
      .int(in: 1...4)
    } model: { (content: inout Int, amount: Int) in
      guard content + amount <= 9 else { throw Jar.Rejection.tooFull }
      content += amount
    } run: { jar, amount in
      try jar.add(amount)
    }
    Command("content()") { (content: inout Int) in
      content
    } run: { jar in
      try jar.content()
    }
  }

  func invariant(_ content: Int, _ jar: JarSystem) throws { try ensureEqual(try jar.content(), content) }

  func store(of system: JarSystem) -> (any EventStore)? { system.store }
}

/// A machine whose commands come in turns only: of two that come at once the model judges one order at most.
private struct TurnMachine: Machine {
  let way: JarSystem.Way

  func start() -> (model: Int, system: JarSystem) { (0, JarSystem(way)) }

  var commands: [Command<Int, JarSystem>] {
    Command("one(_:)", when: { $0 % 2 == 0 && $0 < 8 }) { _ in
      .constant(1)
    } model: { (content: inout Int, amount: Int) in
      content += amount
    } run: { jar, amount in
      try jar.add(amount)
    }
    Command("three(_:)", when: { $0 % 2 == 1 && $0 < 6 }) { _ in
      .constant(3)
    } model: { (content: inout Int, amount: Int) in
      content += amount
    } run: { jar, amount in
      try jar.add(amount)
    }
    Command("two(_:)", when: { $0 < 7 }) { _ in
      .constant(2)
    } model: { (content: inout Int, amount: Int) in
      content += amount
    } run: { jar, amount in
      try jar.add(amount)
    }
  }

  func invariant(_ content: Int, _ jar: JarSystem) throws { try ensureEqual(try jar.content(), content) }

  func store(of system: JarSystem) -> (any EventStore)? { system.store }
}

@Suite struct InterleavingTests {
  @Test func `an order that the model cannot judge ends a run, and discards nothing`() throws {
    let settings = CheckSettings(examples: 300, seed: 1, environment: .patient)
    let report = try check(TurnMachine(way: .decider), settings: settings)
    #expect(report.discarded == 0 && report.occurrences["three(_:)"] ?? 0 > 20, "\(report)")
    #expect(throws: PropertyFailure.self) { try check(TurnMachine(way: .readsFirst), settings: settings) }
  }

  @Test func `a system whose commands are decided again passes, whatever comes in between`() throws {
    let report = try check(
      JarMachine(way: .decider), settings: CheckSettings(examples: 300, seed: 1, environment: .patient))
    #expect(report.occurrences["add(_:)"] ?? 0 > 100)
    #expect(report.refusals["JarMachine: tooFull"] ?? 0 > 100)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `a lost update under a retry is found without a line written for it`(seed: UInt64) throws {
    let failure = try #require(
      #expect(throws: PropertyFailure.self) {
        try check(
          JarMachine(way: .readsFirst), settings: CheckSettings(examples: 300, seed: seed, environment: .patient))
      })
    #expect(
      failure.input == [
        "let system = try JarMachine().start().system",
        "try system.add(1)  // after read 2: try system.add(1)",
      ])
    let what = """
      no order of two concurrent commands explains their results: if the interleaved command was first: \
      expected 2, found 1; if the interleaved command was second: expected 2, found 1
      """
    #expect("\(failure.error.map { "\($0)" } ?? "")" == what)
    let guide = try testingGuide()
    for line in failure.input + [what] { #expect(guide.contains("\(line)\n"), "\(line)") }
  }

  @Test func `a store that takes an append of before is found the same way`() throws {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(
        JarMachine(way: .carelessStore), settings: CheckSettings(examples: 300, seed: 1, environment: .patient))
    }
    #expect(failure?.input.count == 2)
    #expect(failure?.input.last?.hasPrefix("try system.add(1)  // ") == true, "\(failure?.input ?? [])")
    let token = try #require(failure?.token)
    let again = #expect(throws: PropertyFailure.self) {
      try check(JarMachine(way: .carelessStore), settings: CheckSettings(replay: token, environment: .patient))
    }
    #expect(again?.input == failure?.input)
    try check(JarMachine(way: .decider), settings: CheckSettings(replay: token, environment: .patient))
  }

  @Test(arguments: StoreContract.rules)
  func `a store with moments keeps the contract of the store behind it`(rule: StoreContract.Rule) throws {
    try rule.check { InterleavingStore(MemoryEventStore(source: "memory", environment: $0)) }
  }
}

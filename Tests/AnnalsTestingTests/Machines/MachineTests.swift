import AnnalsTesting
import Foundation
import Testing

@Suite struct MachineTests {
  private func failure(_ mistake: ItemList.Mistake, seed: UInt64) -> PropertyFailure? {
    let settings = CheckSettings(examples: 20_000, seed: seed, environment: .patient)
    return #expect(throws: PropertyFailure.self) { try check(ItemListMachine(mistake: mistake), settings: settings) }
  }

  @Test func `a system that does what its model says passes, refusals included`() throws {
    let report = try check(ItemListMachine(), settings: CheckSettings(examples: 300, seed: 4, environment: .patient))
    for name in ["add(title:)", "rename(_:to:)", "delete(_:)", "moveToEnd(_:)", "count()"] {
      #expect(report.occurrences[name] ?? 0 > 50, "\(name)")
    }
    #expect(report.occurrences["add(title:) refused"] ?? 0 > 10)
    #expect(report.occurrences["delete(_:) refused"] ?? 0 > 10)
  }

  @Test func `a mistake shrinks to one shortest program`() {
    for seed in 0..<6 as Range<UInt64> {
      #expect(
        failure(.renameDeletes, seed: seed)?.input == [
          "let system = ItemList(.renameDeletes)",
          "let item1 = try system.add(title: \"\")",
          "try system.rename(item1, to: \"b\")",
        ])
      #expect(
        failure(.moveLoses, seed: seed)?.input == [
          "let system = ItemList(.moveLoses)",
          "let item1 = try system.add(title: \"\")",
          "let item2 = try system.add(title: \"\")",
          "let item3 = try system.add(title: \"\")",
          "try system.moveToEnd(item1)",
        ])
    }
  }

  @Test func `a refusal that does not come is a failure`() {
    let failure = failure(.deletesTwice, seed: 1)
    #expect(
      failure?.input == [
        "let system = ItemList(.deletesTwice)",
        "let item1 = try system.add(title: \"\")",
        "try system.delete(item1)",
        "try system.delete(item1)",
      ])
    #expect("\(failure.map { "\($0)" } ?? "")".contains("no such item"))
  }

  /// The programs that the tests above expect, as code: it compiles and shows the mistakes.
  @Test func `a printed program compiles and shows the mistake`() throws {
    try program1()
    try program2()
  }

  private func program1() throws {
    let system = ItemList(.renameDeletes)
    let item1 = try system.add(title: "")
    try system.rename(item1, to: "b")
    #expect(system.items.isEmpty)
    let own = try String(contentsOfFile: #filePath, encoding: .utf8)
    let lines = failure(.renameDeletes, seed: 9)?.input.map { "    " + $0 } ?? []
    #expect(own.contains(lines.joined(separator: "\n") + "\n"))
  }

  private func program2() throws {
    let system = ItemList(.moveLoses)
    let item1 = try system.add(title: "")
    let item2 = try system.add(title: "")
    let item3 = try system.add(title: "")
    try system.moveToEnd(item1)
    #expect(system.items.map(\.id) == [item2, item3])
  }

  @Test func `a token runs the program again`() throws {
    let first = failure(.moveLoses, seed: 2)
    let settings = CheckSettings(replay: first?.token, environment: .patient)
    let again = #expect(throws: PropertyFailure.self) {
      try check(ItemListMachine(mistake: .moveLoses), settings: settings)
    }
    #expect(again?.input == first?.input)
    try check(ItemListMachine(), settings: settings)
  }

  private final class Door {
    var isOpen = false
    var knocks = 0
  }

  private struct DoorMachine: Machine {
    var limit = Int.max

    func start() -> (model: Bool, system: Door) { (false, Door()) }

    var commands: [Command<Bool, Door>] {
      Command("open()") {
        !$0
      } model: {
        $0 = true
      } run: { door in
        try ensure(!door.isOpen, "opened twice")
        door.isOpen = true
      }
      Command("close()", weight: 1) {
        $0
      } model: {
        $0 = false
      } run: { door in
        try ensure(door.isOpen, "closed twice")
        door.isOpen = false
      }
      Command("knock()", weight: 20, model: { _ in }, run: { $0.knocks += 1 })
    }

    func invariant(_ model: Bool, _ system: Door) throws {
      try ensureEqual(system.isOpen, model)
      tally("steps \(system.knocks > 30 ? "many" : "few")")
      try ensure(system.knocks < limit, "too many knocks")
    }
  }

  @Test func `a command comes only when it may, and heavier ones more often`() throws {
    let report = try check(DoorMachine(), settings: CheckSettings(examples: 500, seed: 3, environment: .patient))
    #expect(report.occurrences["open()"] ?? 0 > 100 && report.occurrences["close()"] ?? 0 > 100)
    #expect(report.occurrences["steps many"] ?? 0 > 50)
  }

  @Test func `an invariant that breaks is a failure, and unneeded steps go`() {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(DoorMachine(limit: 3), settings: CheckSettings(examples: 200, seed: 8, environment: .patient))
    }
    #expect(failure?.input.dropFirst() == Array(repeating: "try system.knock()", count: 3)[...])
  }

  /// Only a run without `clear` reaches thirty, and with three commands of equal weight that rarely happens by chance.
  private struct StackMachine: Machine {
    final class Stack { var depth = 0 }

    func start() -> (model: Int, system: Stack) { (0, Stack()) }

    var commands: [Command<Int, Stack>] {
      Command("push()", model: { $0 += 1 }, run: { $0.depth += 1 })
      Command("clear()", model: { $0 = 0 }, run: { $0.depth = 0 })
      Command("clearAll()", model: { $0 = 0 }, run: { $0.depth = 0 })
    }

    func invariant(_ model: Int, _ system: Stack) throws {
      try ensure(system.depth < 30, "deep")
    }
  }

  @Test func `leaving out commands gets to where chance alone does not`() {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(StackMachine(), settings: CheckSettings(examples: 300, seed: 1, environment: .patient))
    }
    #expect(failure?.input.count == 31)
  }

  @Test func `a system that does not begin as its model says fails before any step`() {
    struct Crooked: Machine {
      func start() -> (model: Bool, system: Door) { (true, Door()) }
      var commands: [Command<Bool, Door>] { Command("knock()", model: { _ in }, run: { $0.knocks += 1 }) }
      func invariant(_ model: Bool, _ system: Door) throws { try ensureEqual(system.isOpen, model) }
    }
    let failure = #expect(throws: PropertyFailure.self) {
      try check(Crooked(), settings: CheckSettings(examples: 200, seed: 1, environment: .patient))
    }
    #expect(failure?.input == ["let system = try Crooked().start().system"])
  }

  @Test func `an error that only reads like the expected one is another error`() {
    struct Expected: Error, CustomStringConvertible { var description: String { "closed" } }
    struct Found: Error, CustomStringConvertible { var description: String { "closed" } }
    struct LookAlike: Machine {
      func start() -> (model: Bool, system: Door) { (false, Door()) }
      var commands: [Command<Bool, Door>] {
        Command("knock()", model: { (_: inout Bool) in throw Expected() }, run: { (_: Door) in throw Found() })
      }
    }
    let failure = #expect(throws: PropertyFailure.self) {
      try check(LookAlike(), settings: CheckSettings(examples: 200, seed: 1, environment: .patient))
    }
    #expect(failure?.input.count == 2)
  }

  @Test func `a run has as many steps as it may have, and a refused one goes on in the program`() throws {
    struct Short: Machine {
      struct Locked: Error {}
      final class Lock { var attempts = 0 }
      var breaksAfter = Int.max

      func start() -> (model: Int, system: Lock) { (0, Lock()) }
      var maxSteps: Int { 4 }
      var commands: [Command<Int, Lock>] {
        Command(
          "open()", model: { (_: inout Int) in throw Locked() },
          run: { (lock: Lock) in
            lock.attempts += 1
            throw Locked()
          })
      }
      func invariant(_ model: Int, _ system: Lock) throws {
        tally("\(system.attempts) steps")
        try ensure(system.attempts < breaksAfter, "worn out")
      }
    }
    let settings = CheckSettings(examples: 200, seed: 1, allowsVacuous: true, environment: .patient)
    let report = try check(Short(), settings: settings)
    #expect(report.occurrences["4 steps"] ?? 0 > 100 && report.occurrences["5 steps"] == nil)
    let failure = #expect(throws: PropertyFailure.self) { try check(Short(breaksAfter: 2), settings: settings) }
    #expect(
      failure?.input.dropFirst() == Array(repeating: "_ = try? system.open()  // refused: Locked()", count: 2)[...])
  }

  /// Two additions of five make ten, and so does one command without arguments.
  private struct SumMachine: Machine {
    final class Sum { var sum = 0 }

    func start() -> (model: Int, system: Sum) { (0, Sum()) }

    var commands: [Command<Int, Sum>] {
      Command("add(_:)", weight: 5) { (_: Int) in
        .int(in: 1...5)
      } model: { (model: inout Int, number: Int) in
        model += number
      } run: { sum, number in
        sum.sum += number
      }
      Command("addTen()", model: { $0 += 10 }, run: { $0.sum += 10 })
    }

    func invariant(_ model: Int, _ system: Sum) throws { try ensure(system.sum < 10, "ten or more") }
  }

  @Test func `one command takes the place of several that do the same`() {
    for seed in 0..<12 as Range<UInt64> {
      let failure = #expect(throws: PropertyFailure.self) {
        try check(SumMachine(), settings: CheckSettings(examples: 300, seed: seed, environment: .patient))
      }
      #expect(failure?.input.dropFirst() == ["try system.addTen()"])
    }
  }

  /// Counts to five, with the requested mistake.
  private struct CounterMachine: Machine {
    enum Mistake: String { case none, answer, refusal, throwing, leavesNoRefusal }
    struct Full: Error { var limit: Int }

    final class Counter {
      var count = 0
      let mistake: Mistake

      init(_ mistake: Mistake) { self.mistake = mistake }

      func next() throws -> Int {
        if count == 5, mistake == .leavesNoRefusal { return 5 }
        guard count < 5 else { throw Full(limit: mistake == .refusal ? 6 : 5) }
        if count == 3, mistake == .throwing { throw Full(limit: 3) }
        count += 1
        return count == 4 && mistake == .answer ? 40 : count
      }
    }

    var mistake = Mistake.none

    func start() -> (model: Int, system: Counter) { (0, Counter(mistake)) }

    var commands: [Command<Int, Counter>] {
      Command("next()") { count in
        // Changed before it throws. The model must not keep the change.
        count += 1
        guard count <= 5 else { throw Full(limit: 5) }
        return count
      } run: { counter in
        try counter.next()
      }
    }

    func invariant(_ model: Int, _ system: Counter) throws { try ensureEqual(system.count, model) }
  }

  @Test(arguments: [("answer", 4), ("refusal", 6), ("throwing", 4), ("leavesNoRefusal", 6)])
  func `an answer, a refusal or an error that the model does not expect is a failure`(name: String, steps: Int) {
    let mistake = CounterMachine.Mistake(rawValue: name) ?? .none
    let failure = #expect(throws: PropertyFailure.self) {
      try check(
        CounterMachine(mistake: mistake), settings: CheckSettings(examples: 200, seed: 1, environment: .patient))
    }
    #expect(failure?.input.count == steps + 1, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test func `an unused answer is discarded in the program`() {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(
        CounterMachine(mistake: .answer), settings: CheckSettings(examples: 200, seed: 1, environment: .patient))
    }
    #expect(failure?.input.dropFirst() == Array(repeating: "_ = try system.next()", count: 4)[...])
  }

  @Test func `a model that throws is as it was before`() throws {
    let report = try check(CounterMachine(), settings: CheckSettings(examples: 200, seed: 1, environment: .patient))
    #expect(report.occurrences["next() refused"] ?? 0 > 100)
  }
}

import AnnalsTesting
import Foundation
import Testing

/// A purse that several tasks can use at the same time.
private actor Purse {
  struct Empty: Error {}

  private let mistake: Bool
  private(set) var money = 0
  private var notes: [Int: Int] = [:]
  private var last = 100

  init(_ mistake: Bool = false) {
    self.mistake = mistake
  }

  func put(_ amount: Int) throws {
    guard amount > 0 else { throw Empty() }
    money += amount
  }

  func take(_ amount: Int) async throws -> Int {
    guard amount <= money else { throw Empty() }
    // Another task can run here, so that the purse is shared.
    await Task.yield()
    money -= amount
    if mistake, amount == 7 { money += 1 }
    return amount
  }

  func owe(_ amount: Int) -> Int {
    last += 1
    notes[last] = amount
    return last
  }

  func pay(_ note: Int) throws -> Int {
    guard let amount = notes.removeValue(forKey: note) else { throw Empty() }
    return amount
  }
}

private struct PurseMachine: AsyncMachine {
  struct Model {
    var money = 0
    var notes: [(note: Reference<Int>, amount: Int)] = []
  }

  var mistake = false

  func start() async throws -> (model: Model, system: Purse) { (Model(), Purse(mistake)) }

  var commands: [Command<Model, Purse>] {
    Command("put(_:)") { _ in
      .int(in: 1...9)
    } model: { (model: inout Model, amount: Int) in
      model.money += amount
    } run: { purse, amount in
      try await purse.put(amount)
    }
    Command("take(_:)") { _ in
      .int(in: 1...20)
    } model: { (model: inout Model, amount: Int) in
      guard amount <= model.money else { throw Purse.Empty() }
      model.money -= amount
      return amount
    } run: { purse, amount in
      try await purse.take(amount)
    }
    Command("owe(_:)", makes: "note") { _ in
      .int(in: 1...9)
    } model: { (model: inout Model, amount: Int, note: Reference<Int>) in
      model.notes.append((note, amount))
    } run: { purse, amount in
      await purse.owe(amount)
    }
    Command("pay(_:)") { (model: Model) in
      .element(of: model.notes.map(\.note))
    } model: { (model: inout Model, note: Reference<Int>) in
      guard let place = model.notes.firstIndex(where: { $0.note == note }) else { throw Purse.Empty() }
      return model.notes.remove(at: place).amount
    } run: { purse, note in
      try await purse.pay(note.value)
    }
    Command("money()") { (model: inout Model) in
      model.money
    } run: { (purse: Purse) in
      await purse.money
    }
  }

  func invariant(_ model: Model, _ system: Purse) async throws {
    let money = await system.money
    try ensureEqual(money, model.money)
  }
}

/// A counter on the main actor, with one asynchronous command.
@MainActor private final class Clicks {
  var count = 0
  func click() { count += 1 }
  func reset() async { count = 0 }
}

@MainActor private struct ClicksMachine: @MainActor AsyncMachine {
  var limit = Int.max

  func start() async throws -> (model: Int, system: Clicks) { (0, Clicks()) }

  var commands: [Command<Int, Clicks>] {
    Command("click()", weight: 3) { (model: inout Int) in
      model += 1
    } run: { @MainActor (clicks: Clicks) in
      clicks.click()
    }
    Command("reset()") { (model: inout Int) in
      model = 0
    } run: { (clicks: Clicks) in
      await clicks.reset()
    }
  }

  @MainActor func invariant(_ model: Int, _ system: Clicks) async throws {
    MainActor.assertIsolated()
    try ensureEqual(system.count, model)
    try ensure(system.count < limit, "too many clicks")
  }
}

@Suite struct AsyncMachineTests {
  private let settings = CheckSettings(examples: 2_000, seed: 5, environment: .patient)

  @Test func `an actor that does what its model says passes, refusals included`() async throws {
    let report = try await check(PurseMachine(), settings: CheckSettings(examples: 100, seed: 5, environment: .patient))
    for name in ["put(_:)", "take(_:)", "take(_:) refused", "owe(_:)", "pay(_:)", "money()"] {
      #expect(report.occurrences[name] ?? 0 > 10, "\(name)")
    }
  }

  @Test func `an actor's mistake shrinks to the shortest program, which waits where it must`() async throws {
    let failure = await #expect(throws: PropertyFailure.self) {
      try await check(PurseMachine(mistake: true), settings: settings)
    }
    #expect(
      failure?.input == [
        "let system = try await PurseMachine().start().system", "try await system.put(7)",
        "_ = try await system.take(7)",
      ])
    let again = CheckSettings(replay: failure?.token, environment: .patient)
    let replayed = await #expect(throws: PropertyFailure.self) {
      try await check(PurseMachine(mistake: true), settings: again)
    }
    #expect(replayed?.input == failure?.input)
  }

  /// The program above, as printed.
  @Test func `a printed program that waits compiles`() async throws {
    let system = try await PurseMachine().start().system
    try await system.put(7)
    _ = try await system.take(7)
    #expect(await system.money == 0)
  }

  @MainActor @Test func `the steps run in the caller's isolation`() async throws {
    try await check(ClicksMachine(), settings: CheckSettings(examples: 50, seed: 1, environment: .patient))
    let failure = await #expect(throws: PropertyFailure.self) {
      try await check(ClicksMachine(limit: 3), settings: settings)
    }
    #expect(failure?.input.dropFirst() == Array(repeating: "try system.click()", count: 3)[...])
  }

  @Test func `a machine that need not wait says so when a command waits`() {
    struct Impatient: Machine {
      final class Nothing {}
      func start() -> (model: Int, system: Nothing) { (0, Nothing()) }
      var commands: [Command<Int, Nothing>] {
        Command("wait()", model: { (_: inout Int) in }, run: { (_: Nothing) async in await Task.yield() })
      }
    }
    let failure = #expect(throws: PropertyFailure.self) {
      try check(Impatient(), settings: CheckSettings(examples: 5, seed: 1, environment: .patient))
    }
    #expect(
      (failure?.error as? CheckError)?.description
        == "the command wait() is asynchronous; make the machine an `AsyncMachine`")
  }
}

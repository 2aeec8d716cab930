import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// A number that several tasks can use, with a choice of mistakes.
private actor Register {
  enum Mistake { case none, writesLate, staleWhileThree, failsAtThree }

  private let mistake: Mistake
  private var value = 0
  /// The value before one that was added while a task waited.
  private var old: Int?
  private var slow = 0

  init(_ mistake: Mistake) { self.mistake = mistake }

  func add(_ amount: Int) async {
    let sum = value + amount
    if mistake == .writesLate { await Task.yield() }
    if slow > 0 { old = value }
    value = sum
  }

  func wait() async {
    slow += 1
    for _ in 0..<3 { await Task.yield() }
    if mistake == .failsAtThree, slow == 3 { value = -1 }
    slow -= 1
    if slow == 0 { old = nil }
  }

  /// The value; an old one while a task waits, if that is the mistake.
  func read() -> Int { mistake == .staleWhileThree ? old ?? value : value }
}

private struct RegisterMachine: AsyncMachine {
  let mistake: Register.Mistake

  func start() async throws -> (model: Int, system: Register) { (0, Register(mistake)) }

  var commands: [Command<Int, Register>] {
    Command("wait()") { (_: inout Int) in
    } run: { (register: Register) in
      await register.wait()
    }
    Command("read()") { (value: inout Int) in
      value
    } run: { (register: Register) in
      await register.read()
    }
    Command("add(_:)") { _ in
      .int(in: 1...9)
    } model: { (value: inout Int, amount: Int) in
      value += amount
    } run: { register, amount in
      await register.add(amount)
    }
  }

  func invariant(_ value: Int, _ register: Register) async throws {
    let found = await register.read()
    try ensureEqual(found, value)
  }
}

/// Two locks, which one command takes in one order, and the other in the other.
private actor Locks {
  private var isTaken = [false, false]
  private var waiting: [[CheckedContinuation<Void, Never>]] = [[], []]

  func both(_ first: Int) async {
    await take(first)
    await Task.yield()
    await take(1 - first)
    for lock in 0...1 { leave(lock) }
  }

  private func take(_ lock: Int) async {
    if isTaken[lock] { await withCheckedContinuation { waiting[lock].append($0) } }
    isTaken[lock] = true
  }

  private func leave(_ lock: Int) {
    if waiting[lock].isEmpty { isTaken[lock] = false } else { waiting[lock].removeFirst().resume() }
  }
}

private struct LockMachine: AsyncMachine {
  func start() async throws -> (model: Int, system: Locks) { (0, Locks()) }

  var commands: [Command<Int, Locks>] {
    Command("both(_:)") { _ in
      .int(in: 0...1)
    } model: { (_: inout Int, _: Int) in
    } run: { locks, first in
      await locks.both(first)
    }
  }
}

/// A hall of a remote store, whose seats are taken by commands, or by what was read before.
private final class FarHallSystem: Sendable {
  private let store = MemoryRemoteStore()
  private let readsFirst: Bool

  init(readsFirst: Bool) { self.readsFirst = readsFirst }

  func take(_ seat: Int) async throws {
    let hall = FarHall.stream("a")
    guard readsFirst else {
      try await store.execute(.take(seat: seat, by: "ann"), on: FarHall["a"])
      return
    }
    let events = try await store.events(.stream(hall), after: 0, limit: 9)
    guard events.count < 2, !events.contains(where: { $0.tags == ["seat:\(seat)"] }) else { throw FarHall.Refused() }
    try await store.append(Append([NewEvent(FarSeatEvent.taken(seat: seat, by: "ann"))], to: hall))
  }

  func taken() async throws -> Int { try await store.head().rawValue }
}

@Suite struct ConcurrencyTests {
  private func settings(_ seed: UInt64 = 1, examples: Int = 300) -> CheckSettings {
    CheckSettings(examples: examples, seed: seed, environment: .patient)
  }

  @Test(arguments: 2...4)
  func `an actor that is right at every wait passes`(concurrency: Int) async throws {
    let report = try await check(
      RegisterMachine(mistake: .none), concurrency: concurrency, settings: settings(examples: 100))
    for name in ["wait()", "read()", "add(_:)"] { #expect(report.occurrences[name] ?? 0 > 50, "\(name)") }
  }

  @Test func `an update that is lost in a wait shrinks to two commands and the fewest turns`() async throws {
    var forms: Set<[String]> = []
    for seed in 0..<6 as Range<UInt64> {
      let failure = try #require(
        await #expect(throws: PropertyFailure.self) {
          try await check(RegisterMachine(mistake: .writesLate), concurrency: 2, settings: settings(seed))
        })
      forms.insert(failure.input)
      let again = await #expect(throws: PropertyFailure.self) {
        try await check(
          RegisterMachine(mistake: .writesLate), concurrency: 2,
          settings: CheckSettings(replay: failure.token, environment: .patient))
      }
      #expect(again?.input == failure.input)
    }
    #expect(forms.count == 1, "\(forms)")
    let step = try #require(forms.first?.last)
    #expect(forms.first?.count == 2, "\(forms)")
    #expect(
      step.hasPrefix("try await system.add(1)  // at the same time: try await system.add(1); turns 1×"), "\(step)")
    #expect(step.components(separatedBy: "; turns ").last?.split(separator: " ").count ?? 9 <= 4, "\(step)")
    try await check(RegisterMachine(mistake: .writesLate), settings: settings())
  }

  @Test func `what takes three at once is found with three, and not with two`() async throws {
    let failure = await #expect(throws: PropertyFailure.self) {
      try await check(RegisterMachine(mistake: .failsAtThree), concurrency: 3, settings: settings(examples: 2_000))
    }
    #expect(failure?.input.count == 2)
    #expect(failure?.input.last?.components(separatedBy: "system.wait()").count == 4, "\(failure?.input ?? [])")
    try await check(RegisterMachine(mistake: .failsAtThree), concurrency: 2, settings: settings())
  }

  @Test func `a command that ended before another began comes before it in each order`() async throws {
    let failure = try #require(
      await #expect(throws: PropertyFailure.self) {
        try await check(RegisterMachine(mistake: .staleWhileThree), concurrency: 3, settings: settings(examples: 2_000))
      })
    let step = try #require(failure.input.last)
    for call in ["wait()", "read()", "add(1)"] { #expect(step.contains("system.\(call)"), "\(step)") }
    // In the time of `wait`, `add` ends before `read` begins: with any order of the three, it would be right.
    #expect(failure.error.map { "\($0)" }?.components(separatedBy: "the order is").count == 4, "\(failure)")
  }

  @Test func `commands that wait for each other are reported`() async throws {
    let failure = try await MachinePatience.$current.withValue(.milliseconds(100)) {
      try #require(
        await #expect(throws: PropertyFailure.self) {
          try await check(LockMachine(), concurrency: 2, settings: settings())
        })
    }
    #expect(
      failure.error.map { "\($0)" }
        == "the concurrent commands are stuck: every unfinished command is waiting, and none has made progress for "
        + "several seconds. Find commands that wait for each other, or code that the check can't control")
    #expect(failure.input.count == 2 && failure.input[1].contains("both(1)"), "\(failure.input)")
    try await check(LockMachine(), settings: settings())
  }

  @Test func `awaited commands of a remote store pass, and an append of what was read does not`() async throws {
    func machine(readsFirst: Bool) -> FarHallMachine { FarHallMachine(readsFirst: readsFirst) }
    try await check(machine(readsFirst: false), concurrency: 3, settings: settings(examples: 100))
    let failure = await #expect(throws: PropertyFailure.self) {
      try await check(machine(readsFirst: true), concurrency: 2, settings: settings())
    }
    #expect(failure?.input.last?.contains("at the same time: try await system.take") == true)
    try await check(machine(readsFirst: true), settings: settings())
  }

  @Test func `one command at a time, and five, are no number of commands at the same time`() async {
    for concurrency in [-1, 0, 1, 5] {
      let error = await #expect(throws: CheckError.self) {
        try await check(
          RegisterMachine(mistake: .none), concurrency: concurrency, settings: CheckSettings(examples: 200))
      }
      #expect(error?.description.contains("(was \(concurrency));") == true)
    }
  }

  @Test func `a check that is cancelled cancels its commands`() async throws {
    let began = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await check(SleepMachine(began: began.continuation), concurrency: 2, settings: settings())
    }
    for await _ in began.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

private struct FarHallMachine: AsyncMachine {
  let readsFirst: Bool

  func start() async throws -> (model: Set<Int>, system: FarHallSystem) { ([], FarHallSystem(readsFirst: readsFirst)) }

  var commands: [Command<Set<Int>, FarHallSystem>] {
    Command("take(_:)") { _ in
      .int(in: 1...3)
    } model: { (taken: inout Set<Int>, seat: Int) in
      var hall = FarHall()
      for seat in taken { for event in try hall.decide(.take(seat: seat, by: "ann")) { hall.evolve(event) } }
      _ = try hall.decide(.take(seat: seat, by: "ann"))
      taken.insert(seat)
    } run: { system, seat in
      try await system.take(seat)
    }
  }

  func invariant(_ taken: Set<Int>, _ system: FarHallSystem) async throws {
    let count = try await system.taken()
    try ensureEqual(count, taken.count)
  }
}

/// A system whose commands sleep for an hour.
private struct SleepMachine: AsyncMachine {
  let began: AsyncStream<Void>.Continuation

  func start() async throws -> (model: Int, system: AsyncStream<Void>.Continuation) { (0, began) }

  var commands: [Command<Int, AsyncStream<Void>.Continuation>] {
    Command("sleep()") { (_: inout Int) in
    } run: { (began: AsyncStream<Void>.Continuation) in
      began.yield()
      try await Task.sleep(for: .seconds(3_600))
    }
  }
}

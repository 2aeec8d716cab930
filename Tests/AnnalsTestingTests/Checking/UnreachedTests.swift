import Annals
import AnnalsTesting
import Testing

private enum SafeEvent: Event, Equatable {
  case filled(Int)
  case emptied
}

/// A decider that never accepts one of its commands.
private struct Safe: Decider, Equatable {
  enum Command {
    case fill(Int)
    case empty
  }

  enum Refusal: Error { case locked, tooMuch }

  var content = 0

  func decide(_ command: Command) throws(Refusal) -> [SafeEvent] {
    switch command {
    case .fill(let amount) where amount > 9: throw .tooMuch
    case .fill(let amount): return [.filled(amount)]
    case .empty: throw .locked
    }
  }

  mutating func evolve(_ event: SafeEvent) {
    switch event {
    case .filled(let amount): content += amount
    case .emptied: content = 0
    }
  }
}

/// A machine with a command that its model and its system always refuse.
private struct SafeMachine: Machine {
  final class System { var content = 0 }

  func start() -> (model: Int, system: System) { (0, System()) }

  var commands: [Command<Int, System>] {
    Command("fill()") { (content: inout Int) in
      content += 1
    } run: { (system: System) in
      system.content += 1
    }
    Command("take()") { (_: inout Int) in
      throw Safe.Refusal.locked
    } run: { (_: System) in
      throw Safe.Refusal.locked
    }
  }
}

/// Checks that look green, but never test the effect of a command.
@Suite struct UnreachedTests {
  private let settings = CheckSettings(examples: 50, seed: 1, environment: .patient)

  private func always(_ body: () throws -> Void) throws -> String {
    let failure = try #require(#expect(throws: PropertyFailure.self) { try body() })
    #expect(failure.kind == .alwaysRefused)
    return failure.description
  }

  /// Checks a law with a number of commands that are refused, among many that are accepted.
  private func check(refused count: Int, _ settings: CheckSettings) throws -> CheckReport {
    var drawn = 0
    return try AnnalsTesting.check(.int(in: 0...9), settings: settings) { amount in
      drawn += 1
      try Safe.ensureDecidesEqually(drawn <= count ? .empty : .fill(amount), after: [])
    }
  }

  @Test func `a command that is drawn ten times and always refused fails a law, and nine times are too few`() throws {
    let report = try check(refused: 9, settings)
    #expect(report.unreached.contains("an accepted command empty of Safe (number of refusals: 9)"))
    let text = try always { _ = try check(refused: 10, settings) }
    #expect(
      text.contains(
        "holds, but its 450 examples never tested the effect of a command:\n  the command empty of Safe was refused "
          + "10 of 10 times (locked 10). Generate other arguments, or other earlier commands or events, so that the "
          + "command succeeds. If every call must be refused, use CheckSettings(allowsUnreached: [\"empty\"])\n"))
    for line in text.split(separator: "\n")[0...1] {
      let line = line.split(separator: " holds, ").last ?? ""
      #expect(try testingGuide().contains("\(line)\n"), "\(line)")
    }
  }

  @Test func `a command that may be refused is allowed by its name, and the environment can ask for less`() throws {
    var allowing = settings
    allowing.allowsUnreached = ["empty"]
    let report = try check(refused: 40, allowing)
    #expect(report.examples == 50)
    #expect(report.unreached.contains("an accepted command empty of Safe (number of refusals: 40)"))
    allowing.allowsUnreached = ["fill", "locked"]
    _ = try always { _ = try check(refused: 40, allowing) }
    let quick = CheckSettings(examples: 50, seed: 1, environment: ["ANNALS_EXAMPLES": "20"])
    #expect(try check(refused: 15, quick).examples == 20)
    var vacuous = settings
    vacuous.allowsVacuous = true
    #expect(try check(refused: 40, vacuous).examples == 50)
  }

  @Test func `the failure names the three most frequent refusals`() throws {
    let text = try always {
      try AnnalsTesting.check(.int(in: 0...9), settings: settings) { number in
        for command in [Picky.Command.fine] + (0...number).map({ .pick($0) }) {
          try Picky.ensureDecidesEqually(command, after: [])
        }
      }
    }
    #expect(text.contains(/the command pick of Picky was refused \d+ of \d+ times \(a \d+, b \d+, c \d+\)\. Generate/))
  }

  @Test func `a machine's command that is always refused fails the check, unless its name is allowed`() throws {
    let text = try always { try AnnalsTesting.check(SafeMachine(), settings: settings) }
    #expect(text.contains("  the command take() of SafeMachine was refused "))
    #expect(text.contains("use CheckSettings(allowsUnreached: [\"take()\"])"))
    for name in ["take()", "take"] {
      var allowing = settings
      allowing.allowsUnreached = [name]
      #expect(try AnnalsTesting.check(SafeMachine(), settings: allowing).examples == 50)
    }
  }

  @Test func `a command that is rarely accepted is drawn more often before the check fails`() throws {
    let rare = Generator.int(in: 0...39).map { $0 == 39 ? 100 : 1 }
    for seed in 1...40 as ClosedRange<UInt64> {
      try AnnalsTesting.check(rare, settings: CheckSettings(examples: 20, seed: seed, environment: .patient)) {
        number in
        for command in [Picky.Command.fine, .pick(number)] { try Picky.ensureDecidesEqually(command, after: []) }
      }
    }
  }

  @Test func `a refusal that a scenario expects is no gap`() throws {
    let report = try AnnalsTesting.check(.int(in: 0...9), settings: settings) { amount in
      try Safe.given(.filled(1)).when(.empty).thenRefused(Safe.Refusal.locked)
      try Safe.ensureDecidesEqually(.fill(amount), after: [])
    }
    #expect(report.examples == 50)
    #expect(!report.unreached.contains { $0.contains("accepted command") })
  }

  #if os(macOS) || os(Linux)
    private static func printed(by result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func `a check that passes prints the cases that no example reached`() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        try AnnalsTesting.check(
          .int(in: 0...9), settings: CheckSettings(examples: 50, seed: 1, environment: .patient), function: "safes()",
          line: 7
        ) {
          try Safe.ensureDecidesEqually(.fill($0), after: [])
        }
      }
      let text = Self.printed(by: result)
      let block = """
        safes() at AnnalsTestingTests/UnreachedTests.swift:7: no example reached:
          the event emptied of SafeEvent
          the command empty of Safe
          the refusal locked of Safe
          the refusal tooMuch of Safe

        """
      #expect(text.contains(block), "\(text)")
      #expect(try testingGuide().contains(block.split(separator: "\n").dropFirst().joined(separator: "\n")))
    }

    @Test func `a check prints no block if every case is reached, allowed or only in a scenario`() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        var settings = CheckSettings(examples: 50, seed: 1, environment: .patient)
        try AnnalsTesting.check(.int(in: 0...9), settings: settings) {
          try Safe.given(.filled($0)).when(.empty).thenRefused()
        }
        settings.allowsUnreached = ["emptied", "empty", "locked", "tooMuch"]
        try AnnalsTesting.check(.int(in: 0...9), settings: settings) {
          try Safe.ensureDecidesEqually(.fill($0), after: [])
        }
        settings.allowsUnreached = ["empty", "emptied"]
        try AnnalsTesting.check(.int(in: 0...19), settings: settings) {
          try Safe.ensureDecidesEqually($0 > 14 ? .empty : .fill($0), after: [])
        }
        settings.allowsUnreached = []
        settings.allowsVacuous = true
        try AnnalsTesting.check(.bool, settings: settings) { _ in try Safe.ensureDecidesEqually(.empty, after: []) }
      }
      #expect(!Self.printed(by: result).contains("no example reached"), "\(Self.printed(by: result))")
    }
  #endif
}

/// A decider that refuses most picks, for different reasons.
private struct Picky: Decider {
  enum Command {
    case fine
    case pick(Int)
  }

  enum Refusal: Error { case a, b, c, d }

  func decide(_ command: Command) throws(Refusal) -> [SafeEvent] {
    switch command {
    case .fine: return [.emptied]
    case .pick(0): throw .a
    case .pick(1): throw .b
    case .pick(2): throw .c
    case .pick(let number) where number < 50: throw number == 9 ? .d : number == 3 || number == 4 ? .b : .a
    case .pick: return [.emptied]
    }
  }

  mutating func evolve(_ event: SafeEvent) {}
}

import AnnalsTesting
import Testing

/// The parts of a smallest input that can have any value, which a report marks.
@Suite struct ExplainTests {
  private let settings = CheckSettings(examples: 300, seed: 1, environment: [:])

  private func report(_ body: () throws -> Void) throws -> [String] {
    let failure = try #require(#expect(throws: PropertyFailure.self) { try body() })
    #expect(!failure.input.contains { $0.contains("any") })
    let lines = failure.description.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex { $0.hasPrefix("Smallest input") })
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("Rerun") && !$0.hasPrefix("Notes") })
  }

  private let sentence = "The case also fails with other values of a part that is marked as any."

  @Test func `an argument that has no influence is marked`() throws {
    let numbers = try report {
      try check(.int(in: 0...1_000), .int(in: 0...9), .string(), settings: settings) { first, _, _ in first < 10 }
    }
    #expect(numbers == ["  10", "  0 /* any */", "  \"\" /* any */", sentence])
    let none = try report { try check(.int(in: 0...1_000), .bool, settings: settings) { $0 < 10 || !$1 } }
    #expect(none == ["  10", "  true"])
  }

  @Test func `a part of a value is marked`() throws {
    let pairs = try report {
      try check(
        .array(of: zip(.element(of: ["a", "b", "c"]), .int(in: 0...100))), settings: settings
      ) { (pairs: [(String, Int)]) in
        pairs.allSatisfy { $0.0 == "a" }
      }
    }
    #expect(pairs == ["  [(\"b\", 0 /* any */)]", sentence])
  }

  @Test func `an argument of a command is marked`() throws {
    let lines = try report { try check(LampMachine(), settings: settings) }
    #expect(
      lines == [
        "  let system = try LampMachine().start().system", "  try system.set(true, at: 0 /* any */)",
        "  try system.set(false, at: 0 /* any */)", sentence,
      ], "\(lines)")
  }
}

/// A lamp that can't be turned off.
private final class Lamp {
  var isOn = false

  func set(_ isOn: Bool, at time: Int) { self.isOn = self.isOn || isOn }
}

private struct LampMachine: Machine {
  func start() -> (model: Bool, system: Lamp) { (false, Lamp()) }

  var commands: [Command<Bool, Lamp>] {
    Command("set(_:at:)") { _ in
      zip(.bool, .int(in: 0...1_000))
    } model: { isOn, arguments in
      isOn = arguments.0
    } run: { lamp, arguments in
      lamp.set(arguments.0, at: arguments.1)
    }
  }

  func invariant(_ isOn: Bool, _ lamp: Lamp) throws { try ensureEqual(lamp.isOn, isOn) }
}

import Testing

@testable import AnnalsTesting

/// The parts of a smallest input that can have any value, which a report marks.
@Suite struct ExplainTests {
  private let settings = CheckSettings(examples: 300, seed: 1, environment: .patient)

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

  @Test func `a string is marked as a whole, and only if each of its characters can be different`() throws {
    // The first has quotes, commas, brackets and accents. Of the second, only the number of characters matters.
    let lines = try report {
      try check(
        .string(of: "\",[é\\:", count: 2...6), .string(of: "xyz", count: 0...9), settings: settings
      ) { _, text in text.count < 2 }
    }
    #expect(lines == ["  \"\\\"\\\"\" /* any */", "  \"xx\"", sentence], "\(lines)")
  }

  @Test func `a mark never breaks a string`() throws {
    let part = Generator<String>.string(of: "\"\\,: /[(é", count: 0...4)
    let parts = Generator<[String]>.array(of: part, count: 0...3)
    try check(.int(in: 0...99), settings: CheckSettings(examples: 40)) { seed in
      let settings = CheckSettings(examples: 30, seed: UInt64(seed), environment: .patient)
      var found: PropertyFailure?
      do {
        try check(part, parts, .int(in: 0...9), settings: settings) { (first: String, others: [String], _: Int) in
          first.count + others.count < 3
        }
      } catch let error as PropertyFailure {
        found = error
      }
      guard let failure = found else { return }
      let lines = failure.description.split(separator: "\n").map(String.init)
      let start = try #require(lines.firstIndex { $0.hasPrefix("Smallest input") })
      for (line, input) in Swift.zip(lines[(start + 1)...], failure.input) {
        #expect(line.replacing(" /* any */", with: "") == "  " + input)
        // A mark follows an element: an odd number of quotes before it would be inside a string.
        for range in line.ranges(of: " /* any */") {
          let before = line[..<range.lowerBound].replacing("\\\\", with: "").replacing("\\\"", with: "")
          #expect(before.count { $0 == "\"" }.isMultiple(of: 2), "\(line)")
        }
      }
    }
  }

  @Test func `elements of a line are arguments, elements and keys`() throws {
    func elements(_ line: String) -> [String]? { SourceElement.all(in: line)?.map { String(line[$0.range]) } }
    #expect(elements("1") == ["1"])
    #expect(elements("[\"a, b\": (1, x: [])]") == ["\"a, b\"", "1", "x", "[]", "(1, x: [])", "[\"a, b\": (1, x: [])]"])
    #expect(elements("\"\\\"]\"") == ["\"\\\"]\""])
    for broken in ["\"", "[", "a)", "\"\\\"", "#\"a\"#", "x // y"] { #expect(elements(broken) == nil, "\(broken)") }
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

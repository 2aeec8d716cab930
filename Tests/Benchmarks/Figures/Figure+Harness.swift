import AnnalsTesting

extension Figure {
  /// The cost of the harness itself: properties that do almost nothing.
  static var harness: [Figure] { [cases, numberCases, machineSteps] }

  /// Half a million per second: 2,000 ns each.
  private static var cases: Figure {
    Figure(
      "harness-cases", rows: 100_000, "a test case of seven integers, 15 choices and 9 spans",
      .value(atMost: 2_000)
    ) {
      let settings = CheckSettings(examples: 100_000, seed: 1, environment: [:])
      let lists = Generator.array(of: .int(in: -1_000...1_000), count: 7)
      return Contest {
        try nanoseconds(per: settings.examples) { try check(lists, settings: settings) { $0.count == 7 } }
      }
    }
  }

  private static var numberCases: Figure {
    Figure(
      "harness-number", rows: 200_000, "a test case of one integer", .value(atMost: 500)
    ) {
      let settings = CheckSettings(examples: 200_000, seed: 1, environment: [:])
      return Contest {
        try nanoseconds(per: settings.examples) {
          try check(.int(in: 0...1_000), settings: settings) { $0 >= 0 }
        }
      }
    }
  }

  /// A million per second: 1,000 ns each.
  private static var machineSteps: Figure {
    Figure(
      "harness-steps", rows: 2_000, "a step of a machine with a dictionary and an array",
      .value(atMost: 1_000)
    ) {
      let settings = CheckSettings(examples: 2_000, seed: 1, environment: [:])
      return Contest {
        let machine = SlotsMachine()
        // The round counts its own steps, because their number is random.
        let time = try nanoseconds { try check(machine, settings: settings) }
        return time / Double(machine.counter.steps)
      }
    }
  }
}

/// Numbers in sixteen slots, kept in a dictionary.
private final class Slots {
  private var numbers: [Int: Int] = [:]

  func put(_ number: Int, at slot: Int) { numbers[slot] = number }
  func clear(_ slot: Int) { numbers[slot] = nil }
  func number(at slot: Int) -> Int { numbers[slot] ?? 0 }
}

private struct SlotsMachine: Machine {
  final class Counter {
    var steps = 0
  }

  let counter = Counter()
  var maxSteps: Int { 65 }

  func start() -> (model: [Int], system: Slots) { (Array(repeating: 0, count: 16), Slots()) }

  var commands: [Command<[Int], Slots>] {
    Command("put(_:at:)", weight: 2) { _ in
      zip(.int(in: 1...1_000), .int(in: 0...15))
    } model: { (model: inout [Int], arguments: (Int, Int)) in
      model[arguments.1] = arguments.0
    } run: { slots, arguments in
      slots.put(arguments.0, at: arguments.1)
    }
    Command("clear(_:)") { _ in
      .int(in: 0...15)
    } model: { (model: inout [Int], slot: Int) in
      model[slot] = 0
    } run: { slots, slot in
      slots.clear(slot)
    }
    Command("number(at:)") { _ in
      .int(in: 0...15)
    } model: { model, slot in
      model[slot]
    } run: { slots, slot in
      slots.number(at: slot)
    }
  }

  func invariant(_ model: [Int], _ system: Slots) throws {
    counter.steps += 1
    guard model[0] == system.number(at: 0) else { return try ensure(false, "the slots differ") }
  }
}

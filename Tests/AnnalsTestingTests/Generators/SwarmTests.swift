import AnnalsTesting
import Testing

@Suite struct SwarmTests {
  private enum Move: CaseIterable { case push, pop, peek }

  private struct Overflow: Error {}

  /// A stack of nine places.
  private func run(_ moves: [Move]) throws {
    var count = 0
    for move in moves {
      switch move {
      case .push: count += 1
      case .pop: count = max(0, count - 1)
      case .peek: break
      }
      if count > 9 { throw Overflow() }
    }
  }

  private func settings(_ seed: UInt64) -> CheckSettings {
    CheckSettings(examples: 500, seed: seed, environment: .patient)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `some cases leave alternatives out, so that many of one kind come`(seed: UInt64) throws {
    for move in [Generator<Move>.anyCase(), .oneOf(.constant(.peek), .constant(.pop), .constant(.push))] {
      let failure = #expect(throws: PropertyFailure.self) {
        try check(.array(of: move), settings: settings(seed)) { try run($0) }
      }
      #expect(failure?.input == ["[" + Array(repeating: ".push", count: 10).joined(separator: ", ") + "]"])
    }
  }

  @Test func `all alternatives still come, alone and together`() throws {
    let report = try check(
      .array(of: .frequency((1, .constant(0)), (5, .constant(1)), (1, .constant(2))), count: 12),
      settings: CheckSettings(examples: 2_000, seed: 1, environment: .patient)
    ) { (values: [Int]) in
      for value in 0...2 { sometimes(Set(values) == [value], "only \(value)") }
      sometimes(Set(values).count == 3, "all three")
      tally(values.filter { $0 == 1 }.count > 6 ? "mostly 1" : "not mostly 1")
    }
    // The weight still counts.
    #expect(report.occurrences["mostly 1"] ?? 0 > 1_000, "\(report)")
  }
}

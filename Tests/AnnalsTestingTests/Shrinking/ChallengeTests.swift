import AnnalsTesting
import Foundation
import ShrinkingProblems
import Testing

/// The problems of the shrinking challenge (github.com/jlink/shrinking-challenge).
///
/// Each has one smallest form, for every seed. `ANNALS_CHALLENGE_SEEDS=100` runs that many seeds, and prints the means
/// beside the results of other libraries there. `Docs/Evidence/Shrinking.md` shows them in a table.
@Suite struct ChallengeTests {
  private static let seeds = ProcessInfo.processInfo.environment["ANNALS_CHALLENGE_SEEDS"].flatMap { UInt64($0) }

  /// The most cases that shrinking a problem may run, on average.
  private static let limits = [
    "reverse": 16, "length list": 60, "bound 5": 90, "bound 5, long lists": 150, "large union list": 330,
    "calculator": 240, "binary heap": 240, "coupling": 60, "deletion": 20, "difference, not zero": 52,
    "difference, not small": 95, "difference, not one": 76, "distinct": 42, "nested lists": 160,
  ]

  @Test(arguments: Problem.challenge)
  func `a problem of the challenge shrinks to one form, in few cases`(problem: Problem) throws {
    let seeds = Self.seeds ?? 12
    let outcomes = try (0..<seeds).map { try #require(try problem.shrink(seed: $0)) }
    #expect(Set(outcomes.map(\.form)) == [problem.form])
    let cases = outcomes.map(\.cases).reduce(0, +) / outcomes.count
    #expect(cases <= Self.limits[problem.name] ?? 0)
    if Self.seeds != nil {
      let evaluations = outcomes.map(\.evaluations).reduce(0, +) / outcomes.count
      let published = [("Hypothesis", problem.hypothesis), ("elm-test", problem.elm)].compactMap { name, count in
        count.map { "\(name) \($0)" }
      }
      print(
        "\(problem): \(Set(outcomes.map(\.form)).count) form of \(seeds) seeds, \(cases) cases, \(evaluations) "
          + "evaluations; published: \(published.joined(separator: ", "))")
    }
  }
}

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
    "reverse": 16, "length list": 78, "bound 5": 112, "bound 5, long lists": 145, "large union list": 310,
    "calculator": 240, "binary heap": 260, "coupling": 60, "deletion": 17, "difference, not zero": 53,
    "difference, not small": 98, "difference, not one": 78, "distinct": 44, "nested lists": 160,
    "towers, any move": 580, "towers, permitted moves": 250, "jugs": 290, "digest": 330, "folders": 450,
  ]

  @Test(arguments: Problem.challenge)
  func `a problem of the challenge shrinks to one form, in few cases`(problem: Problem) throws {
    try shrink(problem)
  }

  @Test(arguments: Problem.programs)
  func `a program that other libraries do not shrink to the shortest does so here, in few cases`(
    problem: Problem
  ) throws {
    try shrink(problem)
  }

  @Test func `a program is the shortest also where a shorter one has other commands and other arguments`() throws {
    // Of a hundred seeds this one led to five steps with a copy, which no smaller change makes four.
    let problem = try #require(Problem.programs.first { $0.name == "folders" })
    #expect(try problem.shrink(seed: 86)?.form == problem.form)
  }

  @Test func `every problem that Hypothesis has numbers for needs fewer cases than there`() {
    let published = Problem.challenge.compactMap { problem in problem.hypothesis.map { (problem.name, $0) } }
    #expect(published.count == 5)
    for (name, count) in published { #expect(Self.limits[name] ?? .max <= count, "\(name)") }
  }

  private func shrink(_ problem: Problem) throws {
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

import ShrinkingProblems

extension Figure {
  /// How many cases shrinking runs, beside what other libraries have published for the same problems.
  ///
  /// Nothing is random here but the seeds, which are the first hundred, so that one round is as good as several.
  static var shrinking: [Figure] {
    [shrinkCounts, shrinkForms] + Problem.challenge.compactMap(shrinkCount)
  }

  private static let seeds = 100

  /// The problems with numbers of Hypothesis, together.
  private static var shrinkCounts: Figure {
    let problems = Problem.challenge.filter { $0.hypothesis != nil }
    return Figure(
      "shrink-counts", rows: seeds,
      "cases to shrink \(problems.count) problems, over \(seeds) seeds",
      against: "the published evaluations of Hypothesis", of: .cases, .cost(atMost: 1)
    ) {
      let value = try problems.reduce(0.0) { try $0 + meanCases($1) }
      return Contest {
        value
      } baseline: {
        Double(problems.compactMap(\.hypothesis).reduce(0, +))
      }
    }
  }

  /// Different smallest cases of all problems, of the challenge and of programs.
  private static var shrinkForms: Figure {
    let problems = Problem.challenge + Problem.programs
    return Figure(
      "shrink-forms", rows: seeds, "smallest cases of \(problems.count) problems, over \(seeds) seeds",
      against: "one per problem", of: .forms, .cost(atMost: 1)
    ) {
      let forms = try problems.map { Set(try outcomes($0).map(\.form)).count }.reduce(0, +)
      return Contest {
        Double(forms)
      } baseline: {
        Double(problems.count)
      }
    }
  }

  private static func shrinkCount(_ problem: Problem) -> Figure? {
    guard let published = problem.hypothesis ?? problem.elm else { return nil }
    let name = problem.name.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    return Figure(
      "shrink-\(name)", rows: seeds, "cases to shrink \(problem), over \(seeds) seeds",
      against: "the published evaluations of \(problem.hypothesis == nil ? "elm-test" : "Hypothesis")",
      of: .cases, .cost(atMost: 1)
    ) {
      let value = try meanCases(problem)
      return Contest {
        value
      } baseline: {
        Double(published)
      }
    }
  }

  private static func meanCases(_ problem: Problem) throws -> Double {
    Double(try outcomes(problem).map(\.cases).reduce(0, +)) / Double(seeds)
  }

  private static func outcomes(_ problem: Problem) throws -> [Problem.Outcome] {
    try (0..<UInt64(seeds)).compactMap { try problem.shrink(seed: $0) }
  }
}

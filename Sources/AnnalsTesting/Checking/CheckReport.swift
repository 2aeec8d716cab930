/// The result of a check whose cases passed.
public struct CheckReport: Sendable, CustomStringConvertible {
  /// How many cases passed.
  public internal(set) var examples = 0
  /// How many cases ended without a verdict.
  public internal(set) var discarded = 0
  /// The seed of all random choices.
  public internal(set) var seed: UInt64 = 0
  /// The number of cases for each name that `tally` and `sometimes` counted.
  public internal(set) var occurrences: [String: Int] = [:]
  /// How often each refusal came, by the name of the decider or the machine and of the refusal: `"Till: tooLittle"`.
  ///
  /// A refusal that was expected is no wrong answer, and no failure.
  public internal(set) var refusals: [String: Int] = [:]
  /// What no example reached, a line for each: cases of the events, commands and refusals that the laws, scenarios and
  /// machines of the check met, and commands that were always refused.
  public internal(set) var unreached: [String] = []

  /// How many cases the corpus has after the check, and how many of them are new; nil if there is no corpus.
  public internal(set) var corpus: (cases: Int, new: Int)?

  /// The report as a table.
  public var description: String {
    var lines = ["\(examples) examples passed, \(discarded) without a verdict, seed \(seed)"]
    let width = occurrences.keys.map(\.count).max() ?? 0
    for (name, count) in occurrences.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      let share = examples == 0 ? 0 : (Double(count) / Double(examples) * 1_000).rounded() / 10
      lines.append("  \(name)\(String(repeating: " ", count: width - name.count))  \(count)  \(share) %")
    }
    if !refusals.isEmpty {
      let counts = refusals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
      lines.append("refused as expected: " + counts.joined(separator: ", "))
    }
    if !unreached.isEmpty { lines.append("no example reached: " + unreached.joined(separator: "; ")) }
    if let corpus { lines.append("the corpus has \(corpus.cases) cases, \(corpus.new) of them new") }
    return lines.joined(separator: "\n")
  }
}

/// The report of a check whose cases all passed.
public struct CheckReport: Sendable, CustomStringConvertible {
  /// The number of cases that passed.
  public internal(set) var examples = 0
  /// The number of cases that ended without a verdict, because `assume` failed or a generator had no value.
  public internal(set) var discarded = 0
  /// The seed of all random choices.
  public internal(set) var seed: UInt64 = 0
  /// The number of cases for every name that you passed to `tally` or `sometimes`.
  public internal(set) var occurrences: [String: Int] = [:]
  /// The number of occurrences of every refusal.
  ///
  /// A key consists of the name of the decider or machine and the name of the refusal, such as `"Till: tooLittle"`.
  ///
  /// These refusals aren't failures, because a machine's ``Machine/Model`` or a test of a decider permits them.
  public internal(set) var refusals: [String: Int] = [:]
  /// A description of every feature that no case reached.
  ///
  /// Features are the enum cases of all events, commands and refusals that the check's laws, scenarios and machines
  /// test. A command that was always refused counts as not reached.
  public internal(set) var unreached: [String] = []

  /// The number of cases in the corpus after the check and the number of new cases, or `nil` without a corpus.
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

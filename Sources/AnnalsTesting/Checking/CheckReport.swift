/// A report of a check's cases.
public struct CheckReport: Sendable, CustomStringConvertible {
  /// The number of cases that passed.
  public internal(set) var examples = 0
  /// The number of cases that neither passed nor failed, because ``assume(_:)`` failed or a generator had no value.
  public internal(set) var discarded = 0
  /// The seed of all random choices.
  public internal(set) var seed: UInt64 = 0
  /// For every situation that the property named, the number of cases in which the situation occurred.
  ///
  /// The keys are the names that the property passed to ``tally(_:)`` or ``sometimes(_:_:)``. A call to `sometimes`
  /// counts only if its condition is true.
  ///
  /// If the check runs a machine, the dictionary also has two counts for every command. The key with the command's
  /// name, such as `add(_:)`, counts the cases that executed the command. The key `add(_:) refused` counts the cases
  /// that refused the command. For a command, a count of 0 is omitted.
  public internal(set) var occurrences: [String: Int] = [:]
  /// For every error, the number of times that a decider or a machine's model threw the error to refuse a command.
  ///
  /// A key consists of the decider's or machine's name and the error's name, such as `"Till: tooLittle"`.
  ///
  /// A refusal isn't a failure. If a machine's model refuses a command, the system must refuse the command, too. In a
  /// test of a decider, a function such as `ensureUndoes` permits refusals, and ``Decision/thenRefused(fileID:line:)``
  /// requires a refusal.
  public internal(set) var refusals: [String: Int] = [:]
  /// A description of every feature that no case reached.
  ///
  /// A feature is a ``Machine``'s command, or an enum case of an event, command or refusal type. The check considers
  /// a type only if the property tests this type with a machine, a ``Scenario``, or a function such as
  /// `ensureAllLaws`. A command that was always refused counts as not reached.
  ///
  /// A check that passes prints these descriptions to standard error, except for names in
  /// ``CheckSettings/allowsUnreached``. If only scenarios tested a decider, the check doesn't print the decider's
  /// commands and refusals, because a scenario is about a single situation.
  public internal(set) var unreached: [String] = []

  /// For every projection with events that changed no row and no section, a description of these events.
  ///
  /// For example, `"3 of 40 events changed no row and no section of Shelves: repriced 3"` can mean that the history
  /// reprices books that don't exist, or that the projection updates the wrong row. Events that the projection
  /// tolerates (`toleratedEvents`) aren't counted. If the events of one name never changed a row, ``unreached``
  /// describes them, too. A changed entity counts as an effect, even if no row depends on it.
  public internal(set) var ineffective: [String] = []

  /// For every law that ran, the number of its runs.
  ///
  /// A key consists of the name of the tested type and the name of the law's function, such as
  /// `"Till: ensureDecidesEqually"`.
  public internal(set) var laws: [String: Int] = [:]

  /// Sentences about parts of the check that you can improve, although the check passes.
  ///
  /// A sentence names a command that was refused in more than 95 % of its calls, so that its effect is hardly tested,
  /// or a law that took most of the time. A check that passes prints these sentences to standard error, except for
  /// commands in ``CheckSettings/allowsUnreached``.
  public internal(set) var advice: [String] = []

  /// The number of cases in the corpus (``CheckSettings/corpus``) after the check, and how many of them are new, or
  /// `nil` without a corpus.
  public internal(set) var corpus: (cases: Int, new: Int)?

  /// The report as lines of text, with a table of ``occurrences``.
  public var description: String {
    var lines = ["\(examples) examples passed, \(discarded) discarded, seed \(seed)"]
    let width = occurrences.keys.map(\.count).max() ?? 0
    for (name, count) in occurrences.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      let share = examples == 0 ? 0 : (Double(count) / Double(examples) * 1_000).rounded() / 10
      lines.append("  \(name)\(String(repeating: " ", count: width - name.count))  \(count)  \(share) %")
    }
    if !refusals.isEmpty {
      let counts = refusals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
      lines.append("refused as expected: " + counts.joined(separator: ", "))
    }
    lines += ineffective
    if !unreached.isEmpty { lines.append("no example reached: " + unreached.joined(separator: "; ")) }
    lines += advice
    if !laws.isEmpty {
      lines.append("laws: " + laws.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    }
    if let corpus { lines.append("the corpus has \(corpus.cases) cases, \(corpus.new) of them new") }
    return lines.joined(separator: "\n")
  }
}

/// An error for a property that doesn't hold, with the smallest failing case.
public struct PropertyFailure: Error, Sendable, CustomStringConvertible {
  /// A kind of failure.
  ///
  /// Later versions of the library can add more kinds.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let rawValue: String

    /// Creates a kind that this version of the library doesn't define.
    ///
    /// - Parameter rawValue: The name of the kind.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name of the kind.
    public var description: String { rawValue }

    /// A case failed.
    public static let falsified = Kind(rawValue: "falsified")
    /// A case failed, but passed when it was rerun.
    public static let flaky = Kind(rawValue: "flaky")
    /// Nearly all cases ended without passing or failing, for example because ``assume(_:)`` failed.
    public static let tooManyDiscards = Kind(rawValue: "tooManyDiscards")
    /// All cases passed, but a situation that ``sometimes(_:_:)`` requires never occurred.
    public static let neverHappened = Kind(rawValue: "neverHappened")
    /// All cases passed but tested nothing, because all histories were empty or all commands were refused.
    public static let vacuous = Kind(rawValue: "vacuous")
    /// All cases passed, but a command was tried at least ten times and always refused.
    ///
    /// This failure concerns the commands of machines, and of deciders that were tested by a function such as
    /// `ensureUndoes`.
    public static let alwaysRefused = Kind(rawValue: "alwaysRefused")
  }

  /// The kind of the failure.
  public internal(set) var kind: Kind
  /// The error of the smallest failing case, or `nil` if no case failed.
  public internal(set) var error: (any Error)?
  /// The input of the smallest failing case, as lines of Swift code.
  ///
  /// Every line is a generated value. If the check runs a machine, the lines are a program that creates the system and
  /// runs the commands.
  public internal(set) var input: [String] = []
  /// The log of a ``Machine``'s smallest failing run, with one CloudEvents JSON object per line.
  ///
  /// The lines contain the events of the machine's store, or the machine's steps if the machine has no store.
  ///
  /// Write the lines to a file, and turn the file into a log with `annals import`. With ``CheckSettings/logs``, the
  /// check writes the file for you.
  public internal(set) var log: [String] = []
  /// The path of the file with the log's lines, or `nil` if the check wrote no file.
  public internal(set) var logFile: String?
  /// The lines that ``note(_:)`` added for the smallest failing case.
  public internal(set) var notes: [String] = []
  /// A token with which you can rerun the smallest failing case, or `nil` if no case failed.
  ///
  /// Set ``CheckSettings/replay`` or the environment variable `ANNALS_REPLAY` to the token.
  public internal(set) var token: String?
  /// The number of times that shrinking replaced the failing case with a simpler failing case.
  public internal(set) var shrinks = 0
  /// Whether shrinking ran to completion.
  ///
  /// If false, shrinking ended early, and a smaller case might exist. Shrinking ends early if it reaches
  /// ``CheckSettings/shrinkTime`` or ``CheckSettings/maxShrinks``. It also ends early after 20,000 tries, or after
  /// `maxShrinks` tries if `maxShrinks` is greater than 20,000.
  public internal(set) var isSmallest = true
  /// The number of cases that ran during shrinking, that is, while the check looked for a simpler failing case.
  public internal(set) var shrinkTries = 0
  /// Descriptions of other failures that the check found during shrinking.
  ///
  /// The causes of these failures differ from the cause of this failure. Every description ends with a token that
  /// reruns the described failure, like ``token``.
  public internal(set) var others: [String] = []
  /// The input with a comment after every part that can have any value, or an empty array if no part can.
  var explained: [String] = []
  /// Whether the case fails only if commands run at the same time.
  var isRace = false
  /// The report of the cases that ran before the failure.
  public internal(set) var report: CheckReport
  /// Cases, events, commands or refusals that never happened, or the reasons for cases without a verdict.
  var missing: [String] = []
  let property: PropertyName

  init(_ kind: Kind, _ property: PropertyName, _ report: CheckReport) {
    self.kind = kind
    self.property = property
    self.report = report
  }

  /// The failure's report as text.
  public var description: String {
    let place = "\(property.function) at \(property.file):\(property.line)"
    switch kind {
    case .tooManyDiscards:
      let first =
        "\(place): only \(report.examples) cases passed, and \(report.discarded) cases were discarded before they "
        + "could pass or fail. Generate only values that the test accepts."
      return ([first] + missing.map { "  \($0)" }).joined(separator: "\n")
    case .neverHappened:
      return "\(place): `sometimes` requires situations that never occurred in \(report.examples) examples: "
        + "\(missing.joined(separator: "; "))\n  Generate values that lead to these situations, or run more examples.\n"
        + report.description
    case .vacuous:
      let lines = missing.map { "  \($0)" } + ["  If this is intended, set CheckSettings(allowsVacuous: true)."]
      return (["\(place) holds, but its \(report.examples) examples tested nothing:"] + lines + [report.description])
        .joined(separator: "\n")
    case .alwaysRefused:
      return
        (["\(place) holds, but its \(report.examples) examples never tested the effect of a command:"]
        + missing.map { "  \($0)" } + [report.description]).joined(separator: "\n")
    default:
      let first = kind == .flaky ? flaky(place) : "\(place) does not hold: \(reason)"
      return ([first] + location + details).joined(separator: "\n")
    }
  }

  /// The location of the failed condition, unless it is the location of the property.
  private var location: [String] {
    guard let unmet = error as? Unmet, (unmet.fileID, unmet.line) != (property.file, property.line) else { return [] }
    return ["  The condition is at \(unmet.fileID):\(unmet.line)."]
  }

  /// The location of the failed condition, or of the property if no condition failed.
  package var place: (fileID: String, filePath: String?, line: UInt) {
    guard let unmet = error as? Unmet else { return (property.file, nil, property.line) }
    return (unmet.fileID, unmet.filePath, unmet.line)
  }

  private var reason: String { error.map { "\($0)" } ?? "" }

  private func flaky(_ place: String) -> String {
    "\(place) failed once, but passed when it was rerun with the same input: \(reason)\n  The result depends on "
      + "something other than the input: a clock, randomness, the order of a set, or data of an earlier case."
  }

  private var details: [String] {
    let size = isSmallest ? "Smallest input" : "Smallest input so far (shrinking ran out of time or tries)"
    var lines = ["\(size), after \(report.examples) examples and \(shrinks) shrinks in \(shrinkTries) tries:"]
    lines += (explained.isEmpty ? input : explained).map { "  \($0)" }
    if !explained.isEmpty { lines.append("The case also fails with other values of a part that is marked as any.") }
    if isRace { lines.append("This is a race: the same commands pass if they run one after the other.") }
    if !notes.isEmpty { lines += ["Notes:"] + notes.map { "  \($0)" } }
    if !others.isEmpty { lines += ["Other failures during the check:"] + others.map { "  \($0)" } }
    if let logFile {
      lines.append("To show the run's log: annals import run.annals \(logFile), then annals show run.annals")
    }
    if let token { lines.append("Rerun it with ANNALS_REPLAY=\(token) (seed \(report.seed))") }
    return lines
  }
}

/// An error for a property that returned false.
struct AnsweredFalse: Error, CustomStringConvertible {
  var description: String { "the property returned false" }
}

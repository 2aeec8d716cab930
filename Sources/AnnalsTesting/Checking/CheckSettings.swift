public import Foundation

/// The settings that control how a property is checked.
///
/// Environment variables override the settings, so that you can change the settings for one run without changing code:
///
/// | Variable | Setting |
/// |---|---|
/// | `ANNALS_EXAMPLES` | ``examples`` |
/// | `ANNALS_SECONDS` | ``time`` |
/// | `ANNALS_CASE_SECONDS` | ``caseTime``, or `0` for no limit |
/// | `ANNALS_SEED` | ``seed`` |
/// | `ANNALS_MAX_SHRINKS` | ``maxShrinks`` |
/// | `ANNALS_SHRINK_SECONDS` | ``shrinkTime`` |
/// | `ANNALS_REPLAY` | ``replay``, but only for the property whose failure reported the token |
/// | `ANNALS_FAILURES` | ``failures``, a directory, or `off` for none |
/// | `ANNALS_CORPUS` | ``corpus``, a directory, or `off` for none |
/// | `ANNALS_LOGS` | ``logs``, a directory, or `off` for none |
/// | `ANNALS_REPORT` | `1` prints every report to standard error |
///
/// If `ANNALS_EXAMPLES` lowers the number of examples, a check can miss rare situations. For this reason, the check
/// then doesn't fail because of vacuous cases (``allowsVacuous``), because of a command that was always refused, or
/// because of a situation that ``sometimes(_:_:)`` requires but that never occurred.
///
///     try check(history, settings: CheckSettings(examples: 1_000, seed: 1)) { history in … }
public struct CheckSettings: Sendable {
  /// The number of cases that must pass, 200 by default.
  ///
  /// If you set it, a ``time`` that you didn't set becomes `nil`.
  public var examples: Int {
    didSet { if !hasOwnTime { time = nil } }
  }
  /// The minimum duration of the check, or `nil` to stop after the examples.
  ///
  /// If the examples pass in less time, the check runs more cases until the duration is over. The default is 0.3
  /// seconds, because thousands of quick cases find failures that 200 cases often miss, such as a fee that is wrong for
  /// one amount. If you choose the number of examples, the default is `nil`.
  public var time: Duration? {
    didSet { hasOwnTime = true }
  }
  /// Whether the caller set ``time``.
  private var hasOwnTime: Bool
  /// The seed of all random choices, or `nil` for a new seed in every run.
  public var seed: UInt64?
  /// The maximum number of times that shrinking replaces a failing case with a simpler failing case.
  public var maxShrinks: Int
  /// The maximum time for shrinking a failing case, after which the check reports the smallest failing case found so
  /// far.
  public var shrinkTime: Duration
  /// The longest time of a case, or `nil` for no limit, which is the default because tests can wait for each other.
  ///
  /// A running case can't be stopped. If a case takes longer, the check reports it and ends the process of the tests.
  /// Before that, and at the beginning of the next run, it looks for a smaller case in a separate process. Each of the
  /// smaller cases has a twentieth of the time.
  public var caseTime: Duration?
  /// The token from a failure's report, to rerun only the failing case, or `nil` to run the usual cases.
  public var replay: String?
  /// The directory where the check stores failing cases, or `nil` to store none.
  ///
  /// The next run starts with the stored cases. If a stored case passes, it is removed. You can commit the files to
  /// version control.
  public var failures: String?
  /// The directory where the check stores cases that increase the coverage (the corpus), or `nil` to store none.
  ///
  /// The next run starts with the stored cases. Coverage consists of events, executed and refused commands, the
  /// refusals' errors, states, and the names that are passed to `tally` and `sometimes`.
  public var corpus: String?
  /// The directory where the check writes the logs of machines' failing runs, or `nil` to write none.
  ///
  /// You can open the logs with the tool `annals`.
  public var logs: String?
  /// The maximum number of random choices that the generators can make in one case.
  ///
  /// A case that needs more choices ends without passing or failing.
  public var maxChoices: Int
  /// Whether a check can pass if its cases are vacuous, that is, if they test nothing.
  ///
  /// By default, a check with ten or more examples fails in these situations: a function such as `ensureAllLaws`
  /// received only empty histories, a decider produced no events, or a machine executed no command. Set this property
  /// to true if the situation is intended, for example if you test a closed account that refuses all commands. Then no
  /// command needs to be reached (``allowsUnreached``), and the check prints no unreached cases.
  public var allowsVacuous: Bool
  /// The names of commands, events and refusals that no example needs to reach, by default none.
  ///
  /// A check prints the names that its examples didn't reach. The check fails if a command was tried at least ten times
  /// and always refused, unless only scenarios (``Scenario``) tested the command's decider. If you intend that no
  /// example reaches a name, add the name to this set:
  ///
  ///     // These histories contain no open stage, so a slot can't move.
  ///     CheckSettings(allowsUnreached: ["move"])
  ///
  /// A name is the name of an enum's case or of a machine's command. For a machine's command with arguments, such as
  /// `add(_:)`, the name `add` is sufficient.
  public var allowsUnreached: Set<String>
  /// The environment variables that can override settings, by default the variables of the process.
  public var environment: [String: String]
  /// Whether `ANNALS_EXAMPLES` lowers the number of examples, so that vacuous cases and situations that never occurred
  /// don't fail the check.
  private(set) var isLowered = false
  /// Whether the report shows which parts of the smallest input can have any value.
  var explains = true

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - examples: The number of cases that must pass, or `nil` for 200 cases and at least 0.3 seconds.
  ///   - time: The minimum duration of the check, or `nil` for the default, which depends on `examples`.
  ///   - seed: The seed of all random choices, or `nil` for a new seed in every run.
  ///   - maxShrinks: The maximum number of times that shrinking replaces a failing case with a simpler failing case.
  ///   - shrinkTime: The maximum time for shrinking a failing case.
  ///   - caseTime: The longest time of a case, or `nil` for no limit.
  ///   - replay: The token from a failure's report, to rerun only the failing case, or `nil` to run the usual cases.
  ///   - failures: The directory where the check stores failing cases, or `nil` to store none.
  ///   - corpus: The directory where the check stores cases that increase coverage, or `nil` to store none.
  ///   - logs: The directory where the check writes the logs of machines' failing runs, or `nil` to write none.
  ///   - maxChoices: The maximum number of random choices that the generators can make in one case.
  ///   - allowsVacuous: Whether a check can pass if its cases are vacuous, for example because all histories are empty.
  ///   - allowsUnreached: The names of commands, events and refusals that no example needs to reach.
  ///   - environment: The environment variables that can override settings, by default the variables of the process.
  public init(
    examples: Int? = nil, time: Duration? = nil, seed: UInt64? = nil, maxShrinks: Int = 1_000,
    shrinkTime: Duration = .seconds(60), caseTime: Duration? = nil, replay: String? = nil,
    failures: String? = nil, corpus: String? = nil, logs: String? = nil, maxChoices: Int = 8_192,
    allowsVacuous: Bool = false,
    allowsUnreached: Set<String> = [],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.examples = examples ?? 200
    self.time = time ?? (examples == nil ? .milliseconds(300) : nil)
    hasOwnTime = time != nil
    self.seed = seed
    self.maxShrinks = maxShrinks
    self.shrinkTime = shrinkTime
    self.caseTime = caseTime
    self.replay = replay
    self.failures = failures
    self.corpus = corpus
    self.logs = logs
    self.maxChoices = maxChoices
    self.allowsVacuous = allowsVacuous
    self.allowsUnreached = allowsUnreached
    self.environment = environment
  }

  /// The settings of the current scope, if any.
  @TaskLocal package static var scoped: CheckSettings?

  /// The settings of a check to which you pass no settings.
  ///
  /// In a test with the trait `.checks(_:)` of the module AnnalsSwiftTesting, these are the trait's settings. Otherwise
  /// they are the default settings.
  public static var current: CheckSettings { scoped ?? CheckSettings() }

  /// Returns the settings after applying the environment variables that override them.
  func resolved(for property: PropertyName) throws -> CheckSettings {
    var settings = self
    if let examples = try number("ANNALS_EXAMPLES", Int.init) {
      settings.isLowered = examples < settings.examples
      settings.examples = examples
    }
    if let seed = try number("ANNALS_SEED", { UInt64($0) }) { settings.seed = seed }
    if let shrinks = try number("ANNALS_MAX_SHRINKS", Int.init) { settings.maxShrinks = shrinks }
    if let seconds = try number("ANNALS_SHRINK_SECONDS", Int.init) { settings.shrinkTime = .seconds(seconds) }
    if let seconds = try number("ANNALS_SECONDS", Int.init) { settings.time = .seconds(seconds) }
    if let seconds = try number("ANNALS_CASE_SECONDS", Int.init) {
      settings.caseTime = seconds == 0 ? nil : .seconds(seconds)
    }
    if let directory = text("ANNALS_CORPUS") { settings.corpus = directory == "off" ? nil : directory }
    if let directory = text("ANNALS_LOGS") { settings.logs = directory == "off" ? nil : directory }
    if let directory = text("ANNALS_FAILURES") { settings.failures = directory == "off" ? nil : directory }
    if let token = text("ANNALS_REPLAY"), try ReplayToken(token).property == property.hash { settings.replay = token }
    guard settings.examples > 0 else {
      throw CheckError(
        description: "`examples` must be at least 1 (was \(settings.examples))")
    }
    return settings
  }

  /// Returns whether no example needs to reach the command, event or refusal with the given name.
  func allows(unreached name: String) -> Bool {
    allowsUnreached.contains(name) || allowsUnreached.contains(String(name.prefix { $0 != "(" }))
  }

  /// Whether the environment requests reports.
  var printsReport: Bool { text("ANNALS_REPORT") == "1" }

  private func text(_ name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func number<Number: BinaryInteger>(_ name: String, _ parse: (String) -> Number?) throws -> Number? {
    guard let text = text(name) else { return nil }
    guard let number = parse(text), number >= 0 else {
      throw CheckError(description: "\(name) must be a whole number of at least 0 (was \"\(text)\")")
    }
    return number
  }
}

/// An error in the settings or in the use of a check.
public struct CheckError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the error, with the expected and the actual value.
  public let description: String

  package init(description: String) { self.description = description }
}

/// The identity and location of a property.
struct PropertyName: Hashable, Sendable {
  let file: String
  let function: String
  let line: UInt

  /// The name of the file that stores the property's failures.
  var fileName: String {
    let letters = function.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    return String(letters.prefix(60)) + "-" + String(hash, radix: 16)
  }

  /// A number that doesn't change when the property moves to another line.
  var hash: UInt32 {
    // FNV-1a is short, and returns the same value on all platforms.
    "\(file)|\(function)".utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}

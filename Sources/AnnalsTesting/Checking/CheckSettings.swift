public import Foundation

/// How to check a property.
///
/// Environment variables override these settings, so that you can change a run without changing code:
///
/// | Variable | What it sets |
/// |---|---|
/// | `ANNALS_EXAMPLES` | ``examples``; if it asks for fewer, no check fails for what its examples did not reach |
/// | `ANNALS_SECONDS` | ``time`` |
/// | `ANNALS_SEED` | ``seed`` |
/// | `ANNALS_MAX_SHRINKS` | ``maxShrinks`` |
/// | `ANNALS_SHRINK_SECONDS` | ``shrinkTime`` |
/// | `ANNALS_REPLAY` | ``replay``, for the property that the token belongs to; other properties run as usual |
/// | `ANNALS_FAILURES` | ``failures``, a directory; `off` for none |
/// | `ANNALS_CORPUS` | ``corpus``, a directory; `off` for none |
/// | `ANNALS_LOGS` | ``logs``, a directory; `off` for none |
/// | `ANNALS_REPORT` | `1` prints each report to standard error |
///
///     try check(history, settings: CheckSettings(examples: 1_000, seed: 1)) { history in … }
public struct CheckSettings: Sendable {
  /// How many cases must pass.
  public var examples: Int
  /// How long the check looks for failures after its examples have passed, as for a run at night; nil for no longer.
  public var time: Duration?
  /// The seed of all random choices; nil for another one in every run.
  public var seed: UInt64?
  /// How many times a failing case may become simpler.
  public var maxShrinks: Int
  /// The longest time to make a failing case simpler; after it, the smallest case so far is reported.
  public var shrinkTime: Duration
  /// The token of a failure to run again, and nothing else; nil to look for failures.
  public var replay: String?
  /// A directory that keeps failures, which run first next time; nil for none.
  ///
  /// A failure that passes later is removed. You can commit the files.
  public var failures: String?
  /// A directory that keeps cases that reached something new, for the next run to begin with; nil for none.
  ///
  /// What a case reaches are events, commands that are done or refused, refusals, states, and the names of `tally` and
  /// `sometimes`.
  public var corpus: String?
  /// A directory for the logs of failing runs of machines, which the tool `annals` opens; nil for none.
  public var logs: String?
  /// The largest number of choices that a case may make.
  public var maxChoices: Int
  /// Whether a check may pass whose examples show nothing.
  ///
  /// By default it fails: with ten examples or more, if a law met empty histories alone, if a decider made no event, or
  /// if a machine did no command. Set it to true where that is what you mean, as for a closed account that refuses all.
  public var allowsVacuous: Bool
  /// The environment variables, by default those of the process.
  public var environment: [String: String]
  /// True if `ANNALS_EXAMPLES` asks for fewer examples than the code: then nothing has to be reached.
  private(set) var isLowered = false

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - examples: How many cases must pass.
  ///   - time: How long the check looks for failures after that; nil for no longer.
  ///   - seed: The seed of all random choices; nil for another one in every run.
  ///   - maxShrinks: How many times a failing case may become simpler.
  ///   - shrinkTime: The longest time to make a failing case simpler.
  ///   - replay: The token of a failure to run again; nil to look for failures.
  ///   - failures: A directory that keeps failures; nil for none.
  ///   - corpus: A directory that keeps cases that reached something new; nil for none.
  ///   - logs: A directory for the logs of failing runs of machines; nil for none.
  ///   - maxChoices: The largest number of choices that a case may make.
  ///   - allowsVacuous: Whether a check may pass whose examples show nothing.
  ///   - environment: The environment variables, by default those of the process.
  public init(
    examples: Int = 200, time: Duration? = nil, seed: UInt64? = nil, maxShrinks: Int = 1_000,
    shrinkTime: Duration = .seconds(60), replay: String? = nil, failures: String? = nil, corpus: String? = nil,
    logs: String? = nil, maxChoices: Int = 8_192, allowsVacuous: Bool = false,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.examples = examples
    self.time = time
    self.seed = seed
    self.maxShrinks = maxShrinks
    self.shrinkTime = shrinkTime
    self.replay = replay
    self.failures = failures
    self.corpus = corpus
    self.logs = logs
    self.maxChoices = maxChoices
    self.allowsVacuous = allowsVacuous
    self.environment = environment
  }

  /// The settings after the environment's changes.
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
    if let directory = text("ANNALS_CORPUS") { settings.corpus = directory == "off" ? nil : directory }
    if let directory = text("ANNALS_LOGS") { settings.logs = directory == "off" ? nil : directory }
    if let directory = text("ANNALS_FAILURES") { settings.failures = directory == "off" ? nil : directory }
    if let token = text("ANNALS_REPLAY"), try ReplayToken(token).property == property.hash { settings.replay = token }
    guard settings.examples > 0 else {
      throw CheckError(
        description: "a check needs an example or more, found \(settings.examples): it would pass without a look")
    }
    return settings
  }

  /// True if the environment asks for reports.
  var printsReport: Bool { text("ANNALS_REPORT") == "1" }

  private func text(_ name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func number<Number: BinaryInteger>(_ name: String, _ parse: (String) -> Number?) throws -> Number? {
    guard let text = text(name) else { return nil }
    guard let number = parse(text), number >= 0 else {
      throw CheckError(description: "\(name) is to be a number, 0 or more, found \"\(text)\"")
    }
    return number
  }
}

/// A mistake in the settings or in the use of a check.
public struct CheckError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected, and what was found.
  public let description: String
}

/// The identity of a property, and where it is.
struct PropertyName: Hashable, Sendable {
  let file: String
  let function: String
  let line: UInt

  /// The name of the file that keeps the property's failures.
  var fileName: String {
    let letters = function.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    return String(letters.prefix(60)) + "-" + String(hash, radix: 16)
  }

  /// A number that stays the same when lines move.
  var hash: UInt32 {
    // FNV-1a: small, and the same everywhere.
    "\(file)|\(function)".utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}

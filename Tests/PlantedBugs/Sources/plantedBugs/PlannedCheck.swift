import AnnalsTesting
import Foundation

/// A check with a name, which the runner can run alone.
struct PlannedCheck: Sendable {
  let name: String
  /// Runs the check.
  ///
  /// The second argument is the way to start another process that runs only this check.
  let run: @Sendable (CheckSettings, Purity.Launch) async throws -> Void

  init(_ name: String, _ run: @escaping @Sendable (CheckSettings, Purity.Launch) async throws -> Void) {
    self.name = name
    self.run = run
  }
}

/// The outcome of all checks with one bug and one seed.
struct Finding: Codable, Sendable {
  /// The name of the check that failed, or nil if every check passed.
  var check: String?
  var seed = 0 as UInt64
  /// The number of the first example that failed.
  var example = 0
  /// The number of cases that ran while the check looked for a simpler case.
  var tries = 0
  /// The smallest case.
  var input: [String] = []
  /// Whether the case needs two commands at the same time.
  var isConcurrent = false
  var message = ""

  init(check: String? = nil, message: String = "") { (self.check, self.message) = (check, message) }

  init(_ failure: PropertyFailure, of check: String) {
    (self.check, message) = (check, "\(failure)")
    (example, tries, input) = (failure.report.examples + 1, failure.shrinkTries, failure.input)
    isConcurrent = input.contains { $0.contains("  // after ") || $0.contains("at the same time") }
  }

  /// The seeds 1 to this number shrink their failing cases.
  static let shrunkSeeds = 5 as UInt64

  /// The number of steps of a machine, or the number of events or commands of a history.
  var length: Int {
    if input.first?.hasPrefix("let system") == true { return input.count - 1 }
    var (depth, commas) = (0, 0)
    for character in input.first ?? "" {
      switch character {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "," where depth == 1: commas += 1
      default: break
      }
    }
    return input.first?.hasPrefix("[") == true && input.first != "[]" ? commas + 1 : 1
  }

  /// Runs checks one after the other, until one of them fails.
  static func first(of checks: [PlannedCheck], seed: UInt64, launch: (PlannedCheck) -> Purity.Launch) async -> Finding {
    let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ANNALS_") }
    for check in checks {
      // The current check, for the runner, if a trap ends this process.
      FileHandle.standardError.write(Data("check: \(check.name)\n".utf8))
      do {
        var settings = CheckSettings(seed: seed, environment: environment)
        // Most time is spent on shrinking, so only the first seeds shrink their cases.
        if seed > Self.shrunkSeeds { settings.maxShrinks = 0 }
        try await check.run(settings, launch(check))
      } catch let failure as PropertyFailure {
        return Finding(failure, of: check.name)
      } catch {
        return Finding(check: check.name, message: "\(error)")
      }
    }
    return Finding()
  }
}

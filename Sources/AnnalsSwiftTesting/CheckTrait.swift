public import AnnalsTesting
import Foundation
public import Testing

/// A trait that shows the failures of checks in the places where Swift Testing shows its own failures.
///
///     @Suite(.checks(CheckSettings(examples: 500, seed: 7))) struct ShelfTests {
///       @Test func `shelves hold their books`() throws {
///         try check(history) { #expect(total($0) >= 0) }
///       }
///     }
///
/// If a check of the test fails, the trait has these effects:
///
/// - The issue is at the line of the failed condition, for example of an `ensure`.
/// - The test has an attachment with the report. If the check ran a machine, another attachment contains the log of the
///   failing run.
/// - If the environment variable `GITHUB_ACTIONS` is `true`, an annotation is printed, so that a pull request shows the
///   failure next to its line.
///
/// A failed `#expect` in a property fails the case, so the check shrinks it and reports it once.
///
/// Create the trait with `checks(_:)`.
public struct CheckTrait: TestTrait, SuiteTrait, TestScoping {
  let settings: CheckSettings?
  /// The environment variables, which decide whether annotations are printed.
  var environment = ProcessInfo.processInfo.environment

  /// Whether the tests of nested suites inherit the trait, which is true.
  public var isRecursive: Bool { true }

  /// Runs a test with the trait's settings.
  ///
  /// Swift Testing calls this function.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: The test's case, if any.
  ///   - function: The function to run.
  /// - Throws: An error of the function, unless it is a `PropertyFailure`, which the trait records itself.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let issues = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.isFailure, let place = issue.sourceLocation else { return issue }
      let reason = Unmet(
        description: text(of: issue), fileID: place.fileID, filePath: place.filePath, line: UInt(place.line))
      return failCase(reason) ? nil : issue
    }
    try await CheckSettings.$scoped.withValue(settings ?? CheckSettings.scoped) {
      try await issues.provideScope(for: test, testCase: testCase) {
        do { try await function() } catch let failure as PropertyFailure {
          FailedCheck(failure, in: test).record(environment)
        }
      }
    }
  }
}

/// Returns the description of an issue without its severity, because a failure of a case is always an error.
private func text(of issue: Issue) -> String {
  let (text, severity) = ("\(issue)", " (error)")
  return text.hasSuffix(severity) ? String(text.dropLast(severity.count)) : text
}

extension Trait where Self == CheckTrait {
  /// Shows the failures of checks at their lines and with attachments, and sets the settings of the checks.
  ///
  /// - Parameter settings: The settings of checks to which the test passes no settings, or `nil` to keep the settings
  ///   of the enclosing suite. Environment variables, such as `ANNALS_SEED`, override the settings.
  /// - Returns: The trait.
  public static func checks(_ settings: CheckSettings? = nil) -> Self { CheckTrait(settings: settings) }
}

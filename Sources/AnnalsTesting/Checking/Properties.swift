/// Ends the case without a verdict, neither passed nor failed, if an assumption does not hold.
///
/// Such cases don't count as passed cases. If nearly all cases end without a verdict, the check fails with an error
/// that reports this. In that case, change the generator, so that it generates only suitable values.
///
/// - Parameter condition: The assumption.
/// - Throws: An error that the check handles. Don't catch it.
public func assume(_ condition: Bool) throws {
  guard condition else { throw Discarded.assumption }
}

/// Fails the case if a condition does not hold.
///
/// In a property, call this function instead of `#expect`. The check detects a failure by a thrown error or a false
/// result, but `#expect` doesn't throw. Instead, it would record an issue for every failing case, and the check
/// couldn't shrink the case.
///
/// - Parameters:
///   - condition: The condition that must hold.
///   - message: The description of the failure.
///   - fileID: The file that contains the call.
///   - line: The line of the call.
/// - Throws: ``Unmet`` if the condition is false.
public func ensure(
  _ condition: Bool, _ message: @autoclosure () -> String = "the condition isn't met",
  fileID: String = #fileID, line: UInt = #line
) throws {
  guard condition else { throw Unmet(description: message(), fileID: fileID, line: line) }
}

/// Fails the case if two values differ.
///
/// - Parameters:
///   - found: The actual value.
///   - expected: The expected value.
///   - fileID: The file that contains the call.
///   - line: The line of the call.
/// - Throws: ``Unmet`` if the values differ.
public func ensureEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, fileID: String = #fileID, line: UInt = #line
) throws {
  guard found != expected else { return }
  throw Unmet(
    description: "expected \(swiftSource(of: expected)), found \(swiftSource(of: found))", fileID: fileID, line: line)
}

/// An error for a condition that doesn't hold in a property.
public struct Unmet: Error, Sendable, CustomStringConvertible {
  /// The description of the failure.
  public let description: String
  /// The file that contains the condition.
  public let fileID: String
  /// The line of the condition.
  public let line: UInt
}

/// Adds a line to the report of the smallest failing case.
///
/// - Parameter text: The line, evaluated only for that case.
public func note(_ text: @autoclosure () -> String) {
  CaseContext.current?.note(text)
}

/// Steers the check toward cases with a high score.
///
/// - Parameters:
///   - score: The score of the case. The closer the case is to your goal, the higher the score must be.
///   - label: A name that distinguishes several scores.
public func target(_ score: Double, _ label: String = "score") {
  CaseContext.current?.score(score, label)
}

/// Requires that an event happens in at least one case.
///
/// If all cases pass but the event never happened, the check fails, because it didn't test the intended situation.
///
/// - Parameters:
///   - condition: True if the event happens in the current case.
///   - what: The name of the event for the report.
public func sometimes(_ condition: Bool, _ what: String) {
  CaseContext.current?.occurred(condition, .init(name: what, isRequired: true))
}

/// Counts the cases in which an event happens, for the report.
///
/// - Parameter what: The name of the event, for example `tally(list.isEmpty ? "empty" : "not empty")`.
public func tally(_ what: String) {
  CaseContext.current?.occurred(true, .init(name: what, isRequired: false))
}

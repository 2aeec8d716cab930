/// Discards the current case if an assumption doesn't hold.
///
/// A discarded case neither passes nor fails, and doesn't count as a passed case. If nearly all cases are discarded,
/// the check fails with an error that reports this. In that case, change the generator, so that it generates only
/// suitable values.
///
/// - Parameter condition: The assumption.
/// - Throws: An error that the check handles. Don't catch it.
public func assume(_ condition: Bool) throws {
  guard condition else { throw Discarded.assumption }
}

/// Fails the case if a condition doesn't hold.
///
/// In a property, call this function instead of `#expect`. The check detects a failure only by a thrown error or a
/// false result, but `#expect` doesn't throw. Without the trait `.checks()` of the module AnnalsSwiftTesting, a failed
/// `#expect` would only record an issue, and the check couldn't shrink the case.
///
/// - Parameters:
///   - condition: The condition that must hold.
///   - message: The description of the failure.
///   - fileID: The file that contains the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
/// - Throws: ``Unmet`` if the condition is false.
public func ensure(
  _ condition: Bool, _ message: @autoclosure () -> String = "the condition isn't met",
  fileID: String = #fileID, filePath: String = #filePath, line: UInt = #line
) throws {
  guard condition else {
    throw Unmet(description: message(), fileID: fileID, filePath: filePath, line: line)
  }
}

/// Fails the case if two values differ.
///
/// - Parameters:
///   - found: The actual value.
///   - expected: The expected value.
///   - name: The name of the compared value in the description of the failure, for example `"the number of guests"`.
///   - fileID: The file that contains the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
/// - Throws: ``Unmet`` if the values differ.
public func ensureEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, _ name: @autoclosure () -> String = "", fileID: String = #fileID,
  filePath: String = #filePath, line: UInt = #line
) throws {
  guard found != expected else { return }
  let name = name()
  let values = "expected \(swiftSource(of: expected)), found \(swiftSource(of: found))"
  throw Unmet(
    description: (name.isEmpty ? "" : "\(name): ") + values + differingMembers(found, expected), fileID: fileID,
    filePath: filePath, line: line)
}

/// Returns the members of two structs that differ, or an empty text if the values have fewer than two members or differ
/// in every member.
func differingMembers(_ found: Any, _ expected: Any) -> String {
  let (found, expected) = (Mirror(reflecting: found), Mirror(reflecting: expected))
  guard found.displayStyle == .struct, found.children.count > 1 else { return "" }
  let differences = Swift.zip(found.children, expected.children).compactMap { found, expected -> String? in
    let (foundText, expectedText) = (swiftSource(of: found.value), swiftSource(of: expected.value))
    guard let label = found.label, foundText != expectedText else { return nil }
    return "\(label): expected \(expectedText), found \(foundText)"
  }
  guard 1..<found.children.count ~= differences.count else { return "" }
  return "; the difference is in " + differences.joined(separator: ", and in ")
}

/// An error that is thrown if a condition or a rule doesn't hold, for example by ``ensure(_:_:fileID:filePath:line:)``.
public struct Unmet: Error, Sendable, CustomStringConvertible {
  /// The description of the failure.
  public let description: String
  /// The file that contains the condition.
  public let fileID: String
  /// The line of the condition.
  public let line: UInt
  /// The path of the file, if it is known.
  package let filePath: String?

  package init(description: String, fileID: String, filePath: String? = nil, line: UInt) {
    self.description = description
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
  }
}

/// Fails the running case for a reason that its property doesn't throw, such as an issue of a test framework.
///
/// - Parameter reason: The reason.
/// - Returns: Whether a case is running in this task.
package func failCase(_ reason: Unmet) -> Bool {
  guard let context = CaseContext.current else { return false }
  context.fail(reason)
  return true
}

/// Adds a line to the report of a failure, for example with an intermediate result.
///
/// A report describes only the smallest failing case, so the lines of other cases aren't reported.
///
/// - Parameter text: The line, which is evaluated only for the smallest failing case.
public func note(_ text: @autoclosure () -> String) {
  CaseContext.current?.note(text)
}

/// Sets the score of the current case, so that the check generates more cases like those with high scores.
///
/// - Parameters:
///   - score: The case's score. Pass a higher score if the case is closer to the situation that you want to reach.
///   - label: The score's name, if a property has several scores.
public func target(_ score: Double, _ label: String = "score") {
  CaseContext.current?.score(score, label)
}

/// Requires that a situation occurs in at least one of the check's cases.
///
/// If all cases pass but the situation never occurred, the check fails, because it didn't test the situation.
///
/// - Parameters:
///   - condition: True if the situation occurs in the current case.
///   - what: The situation's name in the report.
public func sometimes(_ condition: Bool, _ what: String) {
  CaseContext.current?.occurred(condition, .init(name: what, isRequired: true))
}

/// Counts the current case under a name in the report, so that you can see how often a situation occurs.
///
/// - Parameter what: The situation's name, for example `tally(list.isEmpty ? "empty" : "not empty")`.
public func tally(_ what: String) {
  CaseContext.current?.occurred(true, .init(name: what, isRequired: false))
}

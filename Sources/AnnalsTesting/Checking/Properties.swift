/// Ends the case without a verdict if an assumption does not hold.
///
/// Such cases do not count. If nearly all cases end like this, the check fails and says so. Then draw the right values
/// instead.
///
/// - Parameter condition: The assumption.
/// - Throws: An error that the check understands; do not catch it.
public func assume(_ condition: Bool) throws {
  guard condition else { throw Discarded.assumption }
}

/// Fails the case if a condition does not hold.
///
/// Use this in a property, not `#expect`. The check sees a failure as an error or a false, and `#expect` does not
/// throw. It would record an issue for every failing case on the way, and nothing would be shrunk.
///
/// - Parameters:
///   - condition: What must hold.
///   - message: What is wrong if it does not.
///   - fileID: The file of the call.
///   - line: The line of the call.
/// - Throws: ``Unmet`` if it does not hold.
public func ensure(
  _ condition: Bool, _ message: @autoclosure () -> String = "what was to be ensured does not hold",
  fileID: String = #fileID, line: UInt = #line
) throws {
  guard condition else { throw Unmet(description: message(), fileID: fileID, line: line) }
}

/// Fails the case if two values differ.
///
/// - Parameters:
///   - found: A value.
///   - expected: The value that it must be equal to.
///   - fileID: The file of the call.
///   - line: The line of the call.
/// - Throws: ``Unmet`` if they differ.
public func ensureEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, fileID: String = #fileID, line: UInt = #line
) throws {
  guard found != expected else { return }
  throw Unmet(
    description: "expected \(swiftSource(of: expected)), found \(swiftSource(of: found))", fileID: fileID, line: line)
}

/// A condition in a property that does not hold.
public struct Unmet: Error, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let description: String
  /// The file of the condition.
  public let fileID: String
  /// The line of the condition.
  public let line: UInt
}

/// Adds a line to the report of the smallest failing case.
///
/// - Parameter text: The line; it is made for that case only.
public func note(_ text: @autoclosure () -> String) {
  CaseContext.current?.note(text)
}

/// Steers the search toward cases with a high score.
///
/// - Parameters:
///   - score: How near the case is to what you look for.
///   - label: A name, if there are several scores.
public func target(_ score: Double, _ label: String = "score") {
  CaseContext.current?.score(score, label)
}

/// Requires that something happens in at least one case.
///
/// If all cases pass but it never happened, the check fails, because it did not test what it claims.
///
/// - Parameters:
///   - condition: Whether it happens now.
///   - what: What happens, in the words of the report.
public func sometimes(_ condition: Bool, _ what: String) {
  CaseContext.current?.occurred(condition, .init(name: what, isRequired: true))
}

/// Counts the cases in which something happens, for the report.
///
/// - Parameter what: What happens: `tally(list.isEmpty ? "empty" : "not empty")`.
public func tally(_ what: String) {
  CaseContext.current?.occurred(true, .init(name: what, isRequired: false))
}

public import Annals
import AnnalsLog

/// A test of a decider: the events of a stream, and a command that is executed after them.
///
///     try Bookshop.given(.inserted(book)).when(.sell(book.id)).then(.sold(book.id))
///     try Bookshop.given().when(.sell("b1")).thenRefused(.unknown("b1"))
///     try Bookshop.given().when(.insert(book)).when(.sell(book.id)).then(.sold(book.id))
public struct Scenario<D: Decider> {
  fileprivate let history: [D.Event]

  /// Calls the decider with a command and the state after the history.
  ///
  /// For a `BoundaryDecider`, the query that is the command's boundary must match all events of the history, because a
  /// store reads only matching events. If an event is outside the boundary, `then` and `thenRefused` throw.
  ///
  /// - Parameter command: The command.
  /// - Returns: The decider's result. Verify it with ``Decision/then(_:fileID:line:)`` or
  ///   ``Decision/thenRefused(fileID:line:)``.
  public func when(_ command: D.Command) -> Decision<D> {
    var state = D()
    for event in history { state.evolve(event) }
    let answer = Result { () throws(D.Rejection) in try state.decide(command) }
    switch answer {
    case .success(let events): Coverage.note(D.self, command, events: events.count, refusal: nil, isExpected: true)
    case .failure(let refusal):
      Coverage.note(D.self, command, events: 0, refusal: EnumCases.name(of: refusal), isExpected: true)
    }
    return Decision(
      history: history, answer: answer,
      stray: Result { try (D.self as? any BoundaryDecider.Type)?.stray(in: history, of: command) })
  }
}

extension Decider {
  /// Starts a scenario with a stream's events.
  ///
  /// - Parameter history: The events, in order.
  /// - Returns: The scenario.
  public static func given(_ history: Event...) -> Scenario<Self> { Scenario(history: history) }

  /// Starts a scenario with an array of a stream's events, for example a generated history.
  ///
  /// - Parameter history: The events, in order.
  /// - Returns: The scenario.
  public static func given(_ history: [Event]) -> Scenario<Self> { Scenario(history: history) }
}

/// A decider's result for a command.
public struct Decision<D: Decider> {
  fileprivate let history: [D.Event]
  /// The events that the decider returned, or the error with which it refused the command.
  public let answer: Result<[D.Event], D.Rejection>
  /// A message about an event of the history that is outside the boundary, or the error that this check threw.
  fileprivate let stray: Result<String?, any Error>

  fileprivate func ensureAllIsInside(_ fileID: String, _ line: UInt) throws {
    if let stray = try stray.get() { throw Unmet(description: stray, fileID: fileID, line: line) }
  }

  /// Verifies that the command produced exactly the given events, in this order.
  ///
  /// Events are compared in their stored form.
  ///
  /// - Parameters:
  ///   - expected: The expected events. Pass none if the command must have no effect.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the events differ, if the command was refused, or if an event of the history is outside the
  ///   boundary. Another error if an event can't be stored.
  public func then(_ expected: D.Event..., fileID: String = #fileID, line: UInt = #line) throws {
    try ensureAllIsInside(fileID, line)
    let found: [D.Event]
    switch answer {
    case .success(let events): found = events
    case .failure(let rejection):
      throw Unmet(
        description: "expected \(swiftSource(of: expected)), found the refusal \(rejection)", fileID: fileID, line: line
      )
    }
    let coder = try EventCoder<D.Event>()
    let (foundForms, expectedForms) = (
      try found.map { try coder.encode($0) }, try expected.map { try coder.encode($0) }
    )
    guard foundForms != expectedForms else { return }
    // Every event that differs has its own line, because a list of long events hides the difference.
    let lines = (0..<max(found.count, expected.count)).compactMap { index -> String? in
      let isEqual = index < found.count && index < expected.count && foundForms[index] == expectedForms[index]
      if isEqual { return nil }
      let texts = [expected, found].map { index < $0.count ? swiftSource(of: $0[index]) : "no event" }
      return "event \(index + 1): expected \(texts[0]), found \(texts[1])"
    }
    throw Unmet(description: lines.joined(separator: "\n  "), fileID: fileID, line: line)
  }

  /// Calls the decider with another command after the events of this decision.
  ///
  /// If a command was refused, the decider isn't called, and the refusal is also the result of the later commands.
  ///
  /// - Parameter command: The command.
  /// - Returns: The decider's result.
  public func when(_ command: D.Command) -> Decision<D> {
    guard case .success(let events) = answer else { return self }
    if case .success(nil) = stray { return Scenario(history: history + events).when(command) }
    return self
  }

  /// Verifies that the command was refused with any error.
  ///
  /// - Parameters:
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the command produced events, or if an event of the history is outside the boundary.
  public func thenRefused(fileID: String = #fileID, line: UInt = #line) throws {
    try ensureAllIsInside(fileID, line)
    guard case .success(let events) = answer else { return }
    throw Unmet(description: "expected a refusal, found \(swiftSource(of: events))", fileID: fileID, line: line)
  }

  /// Verifies that the command was refused with a given error.
  ///
  /// Errors that aren't `Equatable` are equal if their types and their descriptions are equal.
  ///
  /// - Parameters:
  ///   - expected: The expected error.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the command was refused with a different error or produced events, or if an event of the
  ///   history is outside the boundary.
  public func thenRefused(_ expected: D.Rejection, fileID: String = #fileID, line: UInt = #line) throws {
    try ensureAllIsInside(fileID, line)
    switch answer {
    case .success(let events):
      throw Unmet(
        description: "expected the refusal \(expected), found \(swiftSource(of: events))", fileID: fileID, line: line)
    case .failure(let found):
      try ensure(
        Self.isSame(found, expected), "expected the refusal \(expected), found the refusal \(found)", fileID: fileID,
        line: line)
    }
  }

  private static func isSame(_ found: any Error, _ expected: any Error) -> Bool {
    func equals<Refusal: Equatable>(_ type: Refusal.Type) -> Bool { found as? Refusal == expected as? Refusal }
    // A description can omit values that are different.
    if let type = type(of: expected) as? any Equatable.Type { return equals(type) }
    return type(of: found) == type(of: expected) && describedWhole(found) == describedWhole(expected)
  }
}

/// An error for a decider that returned different events for the same command in the same state.
///
/// Usually, such a decider reads the clock, a random number or a global variable. Pass such values in the command
/// instead. Otherwise a ``Branch`` could change although no command was executed, because the branch re-decides its
/// commands when its base changes. In a debug build, every command on a branch is decided twice, and this error is
/// thrown if the results differ. A release build decides each command once. In tests, `ensureDecidesEqually` of
/// AnnalsTesting finds such deciders.
public struct UnequalDecision: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the decider, and a description of the command.
  public let decider, command: String
  /// The types and payloads of the events of the first decision.
  public let first: [String]
  /// The types and payloads of the events of the second decision, or `nil` if the second decision refused the command.
  public let second: [String]?

  /// A message that contains both decisions and how to fix the decider.
  public var description: String {
    "\(decider) made two different decisions about the command \(command) in the same state: first \(first), then "
      + "\(second.map { "\($0)" } ?? "a refusal"); let `decide` depend only on the state and the command, and pass "
      + "times and identifiers in the command"
  }

  /// Decides a command a second time, and throws if the result differs.
  static func check<D: Decider>(
    _ events: [D.Event], of command: D.Command, on state: D, _ encode: (D.Event) throws -> NewEvent
  ) throws {
    func texts(_ events: [D.Event]) throws -> [String] {
      try events.map {
        let event = try encode($0)
        return "\(event.type) \(event.payload ?? "")"
      }
    }
    let first = try texts(events)
    let second = try (try? state.decide(command)).map(texts)
    guard second != first else { return }
    throw UnequalDecision(decider: "\(D.self)", command: "\(command)", first: first, second: second)
  }
}

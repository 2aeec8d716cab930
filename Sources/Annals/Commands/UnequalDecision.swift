/// A decider that decides otherwise when it is asked again in the same state, so that a draft would change by itself.
///
/// In a debug build, each command on a ``Branch`` is decided twice, and this is thrown where the answers differ; a
/// release build decides once. `ensureDecidesEqually` in AnnalsTesting finds such deciders in tests. A decider that
/// reads the clock, a random number or a global variable is one. Pass such values with the command.
public struct UnequalDecision: Error, Hashable, Sendable, CustomStringConvertible {
  /// The decider's name, and its command.
  public let decider, command: String
  /// The events that were decided first, each with its type and its payload.
  public let first: [String]
  /// The events that were decided when it was asked again; nil if it refused the command then.
  public let second: [String]?

  /// What was decided first and then, and what to do.
  public var description: String {
    "\(decider) decides \(command) otherwise when it is asked again in the same state: first \(first), then "
      + "\(second.map { "\($0)" } ?? "a refusal"); let it depend on its state and on the command alone, and pass times "
      + "and identifiers with the command"
  }

  /// Decides a command again, and throws if the answer is another one.
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

/// An error for a decider that decides differently when it decides a command a second time in the same state.
///
/// Such a decider would change a draft without a command. In a debug build, every command on a ``Branch`` is decided
/// twice, and this error is thrown if the results differ. A release build decides once. `ensureDecidesEqually` in
/// AnnalsTesting finds such deciders in tests. For example, a decider may read the clock, a random number or a global
/// variable. Pass such values with the command.
public struct UnequalDecision: Error, Hashable, Sendable, CustomStringConvertible {
  /// The decider's name, and its command.
  public let decider, command: String
  /// The events of the first decision, with their types and payloads.
  public let first: [String]
  /// The events of the second decision, or `nil` if it refused the command.
  public let second: [String]?

  /// A message with both decisions, and the advice.
  public var description: String {
    "\(decider) decides \(command) differently a second time in the same state: first \(first), then "
      + "\(second.map { "\($0)" } ?? "a refusal"). Let it depend only on its state and the command, and pass times "
      + "and identifiers with the command"
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

import AnnalsLog

/// The check that a decider returns the same events for the same command in the same state.
enum DecisionCheck {
  /// Decides a command a second time, and throws ``EventStoreError`` (`.unequalDecision`) if the result differs.
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
    throw EventStoreError(
      .unequalDecision,
      "\(D.self) made two different decisions about the command \(described(command)) in the same "
        + "state: first \(first), then \(second.map { "\($0)" } ?? "a refusal"); let `decide` depend only on the "
        + "state and the command, and pass times and identifiers in the command")
  }
}

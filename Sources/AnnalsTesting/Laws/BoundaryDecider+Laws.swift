public import Annals

extension BoundaryDecider {
  /// Demands that a decision needs nothing from outside of the command's boundary: decided on what lies inside it is the same as
  /// decided on the whole history.
  ///
  /// A boundary that is too narrow breaks this, and an event that does not carry the tags that boundaries ask for.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - history: The log's events that the decider knows, in order.
  ///   - fileID: Where this is written.
  ///   - line: Where this is written.
  /// - Throws: ``Unmet``, or why an event cannot be stored.
  public static func ensureBoundaryHolds(
    _ command: Command, after history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let coder = try EventCoder<Event>()
    let boundary = boundary(for: command)
    let inside = try history.filter { try Self.contains(boundary, coder.encode($0)) }
    let (whole, part) = try (
      DeciderAnswer(Self.self, command, after: history), DeciderAnswer(Self.self, command, after: inside)
    )
    try ensure(
      whole == part,
      "decided on all \(history.count) events: \(whole), on the \(inside.count) inside the boundary: \(part)",
      fileID: fileID, line: line)
  }

  /// What is to be said of the first event of a history that lies outside of a command's boundary; nil if none does.
  static func stray(in history: [any Annals.Event], of command: Any) throws -> String? {
    guard let command = command as? Command, let history = history as? [Event] else { return nil }
    let coder = try EventCoder<Event>()
    let boundary = boundary(for: command)
    for (place, event) in history.enumerated() {
      let stored = try coder.encode(event)
      if contains(boundary, stored) { continue }
      let tags = stored.tags.map(\.text).sorted()
      return """
        event \(place + 1) of the history, \(swiftSource(of: event)), lies outside of the boundary of \(swiftSource(of: command)), so \
        that no store reads it to the decider: it is stored as \(stored.type) with \(tags.isEmpty ? "no tags" : "the tags \(tags)"); \
        widen the boundary, give the event the tags that it asks for, or leave it out
        """
    }
    return nil
  }

  /// Whether an event lies inside a boundary, in one of the streams that it names, or in the decider's own.
  private static func contains(_ boundary: EventQuery, _ event: NewEvent) -> Bool {
    let named = (boundary.alternatives ?? []).flatMap(\.streams)
    return (named + [StreamName(category)]).contains {
      boundary.matches(stream: $0, type: event.type, tags: event.tags)
    }
  }
}

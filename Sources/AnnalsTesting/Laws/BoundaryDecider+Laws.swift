public import Annals
import AnnalsLog

extension BoundaryDecider {
  /// Verifies that a decision doesn't depend on events outside the command's boundary, that is, on events that the
  /// boundary's query doesn't match.
  ///
  /// A decision based only on the events inside the boundary must be the same as a decision based on the whole history.
  /// The check fails if a boundary's query is too narrow, or if an event lacks a tag that the query requires.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - history: The log's events of the decider's event type, in order.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the decisions differ. Another error if an event can't be stored.
  public static func ensureBoundaryHolds(
    _ command: Command, after history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureBoundaryHolds", of: Self.self)
    defer { run.end() }
    let coder = try EventCoder<Event>()
    let boundary = boundary(for: command)
    let inside = try history.filter { try Self.contains(boundary, of: command, coder.encode($0)) }
    let (whole, part) = try (
      DeciderAnswer(Self.self, command, after: history), DeciderAnswer(Self.self, command, after: inside)
    )
    Coverage.note(history, isContext: true)
    whole.note(Self.self, command)
    try ensure(
      whole == part,
      "with all \(history.count) events, the decision is \(whole), but with only the \(inside.count) events inside the "
        + "boundary, the decision is \(part); widen the boundary, or give the events the required tags",
      fileID: fileID, line: line)
  }

  /// Returns a message about the first event of a history that is outside a command's boundary, or `nil`.
  static func stray(in history: [any Annals.Event], of command: Any) throws -> String? {
    guard let command = command as? Command, let history = history as? [Event] else { return nil }
    let coder = try EventCoder<Event>()
    let boundary = boundary(for: command)
    for (place, event) in history.enumerated() {
      let stored = try coder.encode(event)
      if contains(boundary, of: command, stored) { continue }
      let tags = stored.tags.map(\.text).sorted()
      return """
        event \(place + 1) of the history, \(swiftSource(of: event)), is outside the boundary of \
        \(swiftSource(of: command)), so no store passes it to the decider: it is stored as \(stored.type) with \
        \(tags.isEmpty ? "no tags" : "the tags \(tags)"); widen the boundary, give the event the required tags, or \
        remove the event from the history
        """
    }
    return nil
  }

  /// Returns whether an event is inside a boundary, in one of the boundary's streams or in the stream of the command's
  /// events.
  static func contains(_ boundary: EventQuery, of command: Command, _ event: NewEvent) -> Bool {
    let named = (boundary.alternatives ?? []).flatMap(\.streams)
    return (named + [stream(for: command)]).contains {
      boundary.matches(stream: $0, type: event.type, tags: event.tags)
    }
  }
}

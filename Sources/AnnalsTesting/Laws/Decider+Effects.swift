public import Annals
import AnnalsLog

extension Decider {
  /// Verifies that the events of every accepted command reach a projection's rows.
  ///
  /// The commands are executed one after the other on one stream. An event reaches the rows if it sets, changes or
  /// deletes a row, or if it changes a section's title or number, or a related entity. The check fails if a decider
  /// accepts a command, but the projection then updates a row that doesn't exist.
  ///
  /// For example, the decider and the projection might compare ids in different ways. The letter "é" can be one Unicode
  /// scalar or two scalars. In Swift, both spellings are equal strings, so a decider's `Set<String>` contains only one
  /// of the spellings. But as the ids of rows, the two spellings are different. To find such a fault, generate both
  /// spellings:
  ///
  ///     let ids = Generator.element(of: ["b1", "\u{E9}", "e\u{301}"])
  ///
  /// Commands that the decider refuses and events that the projection tolerates (`toleratedEvents`) are skipped.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order. The decider can refuse some of them.
  ///   - projection: The projection that builds the rows.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if an event reaches no row. Another error if an event can't be stored or applied.
  public static func ensureEffects<P: Projection>(
    _ commands: [Command], in projection: P, fileID: String = #fileID, line: UInt = #line
  ) throws where P.Event == Event {
    let run = LawRun("ensureEffects", of: Self.self)
    defer { run.end() }
    var (state, rows, count) = (Self(), Rows<P.Row>(for: P.self), 0)
    let coder = try EventCoder<Event>()
    for (index, command) in commands.enumerated() {
      let events: [Event]
      do {
        events = try state.decide(command)
      } catch {
        Coverage.note(Self.self, command, events: 0, refusal: EnumCases.name(of: error))
        continue
      }
      Coverage.note(Self.self, command, events: events.count, refusal: nil)
      for event in events {
        state.evolve(event)
        let stored = try coder.encode(event)
        let before = rows
        rows.entries.touched = []
        try projection.project(LawHistory.recorded(event, count), into: &rows)
        count += 1
        let touched = rows.entries.touched ?? []
        rows.entries.touched = nil
        let isReached = touched.contains { rows[key: $0] != nil || before[key: $0] != nil }
        if isReached || P.toleratedEvents.contains(stored.type) || !rows.isSame(as: before) { continue }
        throw Unmet(
          description: "command \(index + 1) (\(swiftSource(of: command))) was accepted, but its event "
            + "\(swiftSource(of: event)) changed no row and no section of \(P.self)"
            + hint(stored.payload ?? "", rows.all.compactMap { $0.id as? String }),
          fileID: fileID, line: line)
      }
    }
  }

  /// Returns a sentence about the first id that occurs in a payload, but with other scalars, or an empty string.
  private static func hint(_ payload: String, _ ids: [String]) -> String {
    let spelled = ids.first { !$0.isEmpty && payload.contains($0) && !ExactString.occurs($0, in: payload) }
    guard let spelled else { return "" }
    let scalars = spelled.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    return
      ". A row has the canonically equivalent id \(scalars), which consists of other Unicode scalars. The decider must "
      + "compare ids by their Unicode scalars"
  }
}

extension ExactString {
  /// Returns whether a text contains another text, scalar by scalar.
  fileprivate static func occurs(_ part: String, in text: String) -> Bool {
    let (part, text) = (Array(part.unicodeScalars), Array(text.unicodeScalars))
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
